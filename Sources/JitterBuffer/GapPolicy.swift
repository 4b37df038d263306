/// What to do while sound is missing.
package enum GapStep: Equatable {
    /// Invent so many more milliseconds.
    case conceal(Double)
    /// The next content is late as a whole: decode it for the decoder's sake, do not play it.
    case discard
    /// Play the next content, without so many milliseconds of its start.
    case resume(skip: Double)
}

/// Decides how a gap ends: time lost to an empty buffer may become delay, time lost to a missing packet never does.
package struct GapPolicy {
    /// Longest stretch invented before looking again, in milliseconds.
    package static let step = 10.0
    /// How far above the target a shift may raise the delay, in milliseconds.
    package static let shiftRoom = 120.0

    /// Delay before the gap, on the axis of relative delays.
    package var delay: Double
    /// Target on the same axis.
    package var target: Double
    /// Milliseconds invented since the gap began.
    package var concealed: Double
    /// Those of them during which the buffer was empty.
    package var emptied: Double

    package init(delay: Double, target: Double, concealed: Double, emptied: Double) {
        self.delay = delay
        self.target = target
        self.concealed = concealed
        self.emptied = emptied
    }

    /// - Parameters:
    ///   - missing: milliseconds of content between the gap's start and the first usable content.
    ///   - duration: of that content.
    package func step(missing: Double, duration: Double) -> GapStep {
        let lag = concealed - missing
        if lag < 0 { return .conceal(min(Self.step, -lag)) }
        let allowed = max(0, min(target + Self.shiftRoom - delay, emptied - missing))
        let skip = max(0, lag - allowed)
        return skip >= duration ? .discard : .resume(skip: skip)
    }

    /// The same in a pause of the sender: nothing is lost there, the delay may be set anew.
    /// - Parameter delayNow: delay that the content would have if its play-out began now.
    package func stepInPause(delayNow: Double, duration: Double) -> GapStep {
        if delayNow < target { return .conceal(min(Self.step, target - delayNow)) }
        let skip = max(0, delayNow - (target + Self.shiftRoom))
        return skip >= duration ? .discard : .resume(skip: skip)
    }
}
