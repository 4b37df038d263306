/// Chooses what to repeat before a frame, to raise the delay. The frame must have its past right before it in memory.
package enum Decelerate {
    /// In a settled pause: the samples before the frame once more, at most the frame's length.
    /// - Parameter past: readable samples before `frame`.
    package static func inPause(
        _ frame: UnsafePointer<Float>, count: Int, past: Int, wanted: Int, sampleRate: Int,
        tuning: StretchTuning = StretchTuning()
    ) -> SplicePlan? {
        let fade = min(sampleRate * tuning.pauseFade / 1_000_000, count)
        let longest = min(wanted, count, past)
        guard fade > 0, longest > 0 else { return nil }
        // Not less than half: a join of a single sample fits best, and gets nowhere.
        let shortest = max(1, longest - min(sampleRate * tuning.pauseSearch / 1_000_000, longest / 2))
        let found = Similarity.bestShift(
            of: frame, around: frame, in: -longest...(-shortest), count: fade, step: SearchStep.of(sampleRate))
        return SplicePlan(shift: found.shift, fade: fade)
    }

    /// In sound: one stretch of whole pitch periods, 2.5 to 15 ms, repeated.
    package static func inSound(
        _ frame: UnsafePointer<Float>, count: Int, past: Int, wanted: Int, sampleRate: Int, threshold: Float,
        tuning: StretchTuning = StretchTuning()
    ) -> SplicePlan? {
        let shortest = sampleRate * tuning.shortestPeriod / 1_000_000
        let fade = min(sampleRate * tuning.soundFade / 1_000_000, count)
        let longest = min(max(wanted, shortest), sampleRate * tuning.longestPeriod / 1_000_000, past)
        guard fade >= shortest, longest >= shortest else { return nil }
        let found = Similarity.bestShift(
            of: frame, around: frame, in: -longest...(-shortest), count: fade, step: SearchStep.of(sampleRate))
        return found.correlation >= threshold ? SplicePlan(shift: found.shift, fade: fade) : nil
    }
}
