/// What to do while sound is missing.
package enum GapStep: Equatable {
    /// Invent so many more milliseconds.
    case conceal(Double)
    /// The next packet is late as a whole: decode it to keep the decoder's state, do not play it.
    case discard
    /// Play the next packet, without so many milliseconds of its start.
    case resume(skip: Double)
}

/// Decides how a gap ends: time lost to an empty buffer may become delay, up to the target; time lost to a missing packet
/// never does.
///
/// Delay beyond the target keeps words, and has to be taken back in a pause. A near miss, a gap of which nothing was given
/// up, is always worth a little of it. A longer gap is worth it as far as the delay stays bearable.
package struct GapPolicy {
    /// Delay before the gap, on the axis of relative delays.
    package var delay: Double
    /// Target on the same axis.
    package var target: Double
    /// Milliseconds invented since the gap began.
    package var concealed: Double
    /// Those of them during which the buffer was empty.
    package var emptied: Double
    /// Whether some of the gap's packets came and were given up: the rest is no near miss.
    package var hasDropped: Bool
    /// How far above the target the delay may go when the gap is no near miss, in milliseconds.
    package var roomAfterLongMiss: Double
    package let tuning: DecisionTuning

    package init(
        delay: Double, target: Double, concealed: Double, emptied: Double, hasDropped: Bool = false,
        roomAfterLongMiss: Double = 0, tuning: DecisionTuning = DecisionTuning()
    ) {
        self.delay = delay
        self.target = target
        self.concealed = concealed
        self.emptied = emptied
        self.hasDropped = hasDropped
        self.roomAfterLongMiss = roomAfterLongMiss
        self.tuning = tuning
    }

    /// - Parameter target: above the fastest packets of an idle line, in milliseconds.
    /// - Returns: `roomAfterLongMiss` for it.
    package static func room(aboveTarget target: Double, tuning: DecisionTuning = DecisionTuning()) -> Double {
        max(0, min(tuning.roomAfterLongMiss, tuning.mostAfterLongMiss - target))
    }

    /// - Parameters:
    ///   - missing: milliseconds of media between the gap's start and the first packet that can be played.
    ///   - duration: of that packet, in milliseconds.
    package func step(missing: Double, duration: Double) -> GapStep {
        let lag = concealed - missing
        if lag < 0 { return .conceal(min(tuning.step, -lag)) }
        let late = emptied - missing
        let above = !hasDropped && late <= tuning.nearMiss ? tuning.nearMiss : roomAfterLongMiss
        let allowed = max(0, min(target + above - delay, late))
        let skip = max(0, lag - allowed)
        return skip >= duration ? .discard : .resume(skip: skip)
    }

    /// The same in a pause of the sender or after a long outage: the delay may be set anew.
    /// - Parameters:
    ///   - delayNow: delay that the packet would have if its play-out began now.
    ///   - room: how far above the target it may begin, in milliseconds.
    package func stepInPause(delayNow: Double, duration: Double, room: Double) -> GapStep {
        if delayNow < target { return .conceal(min(tuning.step, target - delayNow)) }
        let skip = max(0, delayNow - (target + room))
        return skip >= duration ? .discard : .resume(skip: skip)
    }
}
