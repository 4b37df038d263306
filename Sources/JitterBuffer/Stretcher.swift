/// Shortens and lengthens sound to move the delay towards its target: unheard in pauses and in tones, in speech and music
/// only when no pause has come for long.
package struct Stretcher: ~Copyable {
    /// Where in the sound pauses are.
    package private(set) var pauses: PauseDetector
    private let sampleRate: Int
    private let tuning: StretchTuning
    private let pitch: PitchSearch
    /// A frame with its past before it, for joins that look back; and the frame that comes out.
    private let joined: Scratch
    private let output: Scratch
    /// Samples of the longest frame, and of the past that is needed before it.
    private let frame: Int
    /// Whether the delay is being moved in sound, for want of pauses: once begun it goes on to the target.
    private var movesInSound = false
    /// Whether a steady tone was found when it was last looked for, and the milliseconds since.
    private var isTone = false
    private var sinceToneSearch = Double.infinity

    package init(
        sampleRate: Int, frame: Int, tuning: StretchTuning = StretchTuning(), pitch: PitchTuning = PitchTuning()
    ) {
        self.sampleRate = sampleRate
        self.frame = frame
        self.tuning = tuning
        pauses = PauseDetector(tuning: tuning)
        self.pitch = PitchSearch(sampleRate: sampleRate, tuning: pitch)
        joined = Scratch(count: 2 * frame)
        output = Scratch(count: 2 * frame)
    }

    /// Goes on where a stretcher for another rate was.
    mutating func takeOver(_ other: borrowing Stretcher) {
        pauses = other.pauses
        movesInSound = other.movesInSound
        isTone = other.isTone
        sinceToneSearch = other.sinceToneSearch
    }

    /// A frame that was stretched, or left as it was.
    package struct Result {
        /// Valid until the next call.
        package let samples: UnsafePointer<Float>
        package let count: Int
        /// Samples taken out; negative when some were put in.
        package let shift: Int
    }

    /// Notes a frame of about 20 ms before it is stretched.
    package mutating func hear(_ frame: UnsafePointer<Float>, count: Int) {
        pauses.add(frame, count: count, milliseconds: Double(Int64(count)) * 1000 / Double(sampleRate))
    }

    /// The delay is right: a move in sound has come to its end.
    package mutating func settle() { movesInSound = false }

    /// Stretches a frame if its sound allows.
    /// - Parameters:
    ///   - wanted: samples to take out (positive) or to put in (negative).
    ///   - end: end of the sound before it, of which the frame's longest length and the pitch search's past are readable.
    package mutating func stretch(
        _ samples: UnsafePointer<Float>, count: Int, by wanted: Int, after end: UnsafePointer<Float>
    ) -> Result {
        guard wanted != 0 else { return Result(samples: samples, count: count, shift: 0) }
        // The past right before the frame: joins may reach back.
        joined.base.update(from: end - frame, count: frame)
        let origin = joined.base + frame
        origin.update(from: samples, count: count)
        guard let plan = plan(UnsafePointer(origin), count: count, wanted: wanted, after: end) else {
            return Result(samples: samples, count: count, shift: 0)
        }
        let length = Splice.apply(
            origin: UnsafePointer(origin), count: count, shift: plan.shift, fade: plan.fade, into: output.base)
        return Result(samples: UnsafePointer(output.base), count: length, shift: plan.shift)
    }

    /// Shortens or lengthens a frame whatever it sounds like.
    /// - Parameters:
    ///   - samples: the frame.
    ///   - count: its samples, at least 1.
    ///   - shift: samples to take out, fewer than there are; negative to put in, as many as a frame has at most.
    ///   - end: end of the sound before it, of which the frame's longest length is readable.
    /// - Returns: the frame.
    package mutating func shift(
        _ samples: UnsafePointer<Float>, count: Int, by shift: Int, after end: UnsafePointer<Float>
    ) -> Result {
        joined.base.update(from: end - frame, count: frame)
        let origin = joined.base + frame
        origin.update(from: samples, count: count)
        let length = Splice.apply(
            origin: UnsafePointer(origin), count: count, shift: shift, fade: 0, into: output.base)
        return Result(samples: UnsafePointer(output.base), count: length, shift: shift)
    }

    private mutating func plan(
        _ frame: UnsafePointer<Float>, count: Int, wanted: Int, after end: UnsafePointer<Float>
    ) -> SplicePlan? {
        let rate = sampleRate
        if isInPause(movingBy: wanted) {
            movesInSound = false
            return wanted > 0
                ? Accelerate.inPause(frame, count: count, wanted: wanted, sampleRate: rate, tuning: tuning)
                : Decelerate.inPause(
                    frame, count: count, past: self.frame, wanted: -wanted, sampleRate: rate, tuning: tuning)
        }
        // Of a steady tone a cycle more or less is not heard.
        let isTone = isInTone(milliseconds: Double(count) * 1000 / Double(rate), end)
        guard isTone || movesInSound || isWorthStretching(by: wanted) else { return nil }
        if !isTone { movesInSound = true }
        let threshold = pauses.sinceSettled > tuning.patienceForPitch ? -1 : tuning.leastCorrelation
        return wanted > 0
            ? Accelerate.inSound(
                frame, count: count, wanted: wanted, sampleRate: rate, threshold: threshold, tuning: tuning)
            : Decelerate.inSound(
                frame, count: count, past: self.frame, wanted: -wanted, sampleRate: rate, threshold: threshold,
                tuning: tuning)
    }

    private func isInPause(movingBy wanted: Int) -> Bool {
        let isFar = Double(wanted) * 1000 / Double(sampleRate) > tuning.farAbove
        return pauses.isSettled || (isFar && pauses.pauseMilliseconds > tuning.shortPause)
    }

    /// Whether what was heard last is a steady tone, or digital silence, which is as good. It is seldom a tone, and looking for
    /// its pitch costs more than all the rest of a pull: twice a second is enough, until one is found.
    private mutating func isInTone(milliseconds: Double, _ end: UnsafePointer<Float>) -> Bool {
        if Sums.energy(end - frame, count: frame) < tuning.silence { return true }
        sinceToneSearch += milliseconds
        guard isTone || sinceToneSearch >= tuning.toneInterval else { return false }
        sinceToneSearch = 0
        isTone = pitch.before(end).voicing >= tuning.steadyTone
        return isTone
    }

    private func isWorthStretching(by wanted: Int) -> Bool {
        let over = pauses.sinceSettled - tuning.patience
        guard over > 0 else { return false }
        let way = Double(abs(wanted)) * 1000 / Double(sampleRate)
        return way > tuning.greatWay * max(0, 1 - over / (tuning.lastPatience - tuning.patience))
    }
}
