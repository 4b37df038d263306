/// The pitch of the sound before or after a point: the lag of 4 to 15 ms at which it resembles itself most.
struct PitchSearch {
    let sampleRate: Int

    private var shortest: Int { sampleRate * 4 / 1000 }
    private var longest: Int { sampleRate * 15 / 1000 }
    /// Taken off the correlation per sample of lag at 8 kHz: of two multiples of a cycle the shorter is the pitch.
    private var penalty: Float { 0.0006 * 8000 / Float(sampleRate) }

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// - Parameter end: at least `Concealment.historyLength` samples lie before it.
    /// - Returns: the lag in samples, and the mean correlation over a long (20 ms) and a short (7.5 ms) window.
    func before(_ end: UnsafePointer<Float>) -> (lag: Int, voicing: Float) {
        let long = sampleRate / 50
        let short = sampleRate * 15 / 2000
        let found = best(in: shortest...longest) { lag, step in
            0.5 * Similarity.correlation(end - long, end - (long + lag), count: long, step: step)
                + 0.5 * Similarity.correlation(end - short, end - (short + lag), count: short, step: step)
        }
        return (found.lag, found.correlation)
    }

    /// The lag of the sound after `start`, near `expected` as far as `count` samples can tell.
    func after(_ start: UnsafePointer<Float>, count: Int, near expected: Int) -> Int? {
        let low = max(shortest, expected * 4 / 5)
        let high = min(longest, expected * 5 / 4, count * 2 / 3)
        guard low <= high else { return low <= count * 3 / 4 ? low : nil }
        return best(in: low...high) { lag, step in
            Similarity.correlation(start, start + lag, count: count - lag, step: step)
        }.lag
    }

    private func best(
        in lags: ClosedRange<Int>, _ correlation: (_ lag: Int, _ step: Int) -> Float
    ) -> (lag: Int, correlation: Float) {
        let step = SearchStep.of(sampleRate)
        var best = (lag: lags.lowerBound, score: -Float.infinity)
        var lag = lags.lowerBound
        while lag <= lags.upperBound {
            let score = correlation(lag, step) - penalty * Float(lag)
            if score > best.score { best = (lag, score) }
            lag += step
        }
        let centre = best.lag
        best.score = -.infinity
        for fine in max(lags.lowerBound, centre - step)...min(lags.upperBound, centre + step) {
            let score = correlation(fine, 1) - penalty * Float(fine)
            if score > best.score { best = (fine, score) }
        }
        return (best.lag, best.score + penalty * Float(best.lag))
    }
}
