/// Chooses what to leave out of a frame, to lower the delay.
package enum Accelerate {
    /// In a settled pause: as much as wanted, at most three quarters of the frame, joined where it fits best
    /// within 2.5 ms.
    package static func inPause(
        _ frame: UnsafePointer<Float>, count: Int, wanted: Int, sampleRate: Int,
        tuning: StretchTuning = StretchTuning()
    ) -> SplicePlan? {
        let fade = min(sampleRate * tuning.pauseFade / 1_000_000, count / 4)
        let longest = min(wanted, count - fade, count * 3 / 4)
        guard fade > 0, longest > 0 else { return nil }
        // Not less than half: a join of a single sample fits best, and gets nowhere.
        let shortest = max(1, longest - min(sampleRate * tuning.pauseSearch / 1_000_000, longest / 2))
        let found = Similarity.bestShift(
            of: frame, around: frame, in: shortest...longest, count: fade, step: SearchStep.of(sampleRate))
        return SplicePlan(shift: found.shift, fade: fade)
    }

    /// In sound: whole pitch periods of 2.5 to 15 ms, when the sound resembles itself at that distance (WSOLA with one
    /// period, Verhelst and Roelands 1993).
    package static func inSound(
        _ frame: UnsafePointer<Float>, count: Int, wanted: Int, sampleRate: Int, threshold: Float,
        tuning: StretchTuning = StretchTuning()
    ) -> SplicePlan? {
        let shortest = sampleRate * tuning.shortestPeriod / 1_000_000
        let fade = min(sampleRate * tuning.soundFade / 1_000_000, count / 2)
        let longest = min(wanted, sampleRate * tuning.longestPeriod / 1_000_000, count - fade)
        guard fade >= shortest, longest >= shortest else { return nil }
        let found = Similarity.bestShift(
            of: frame, around: frame, in: shortest...longest, count: fade, step: SearchStep.of(sampleRate))
        return found.correlation >= threshold ? SplicePlan(shift: found.shift, fade: fade) : nil
    }
}

/// Coarse searches run at about 12 kHz: pitch lies far below.
enum SearchStep {
    static func of(_ sampleRate: Int) -> Int { max(1, sampleRate / 12_000) }
}
