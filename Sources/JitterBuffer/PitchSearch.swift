/// The pitch of the sound before or after a point: the lag of 4 to 15 ms at which it resembles itself most.
struct PitchSearch {
    private let sampleRate: Int
    private let tuning: PitchTuning

    private var shortest: Int { sampleRate * tuning.shortestLag / 1000 }
    private var longest: Int { sampleRate * tuning.longestLag / 1000 }
    /// Taken off the correlation per sample of lag.
    private let penalty: Float

    init(sampleRate: Int, tuning: PitchTuning) {
        self.sampleRate = sampleRate
        self.tuning = tuning
        penalty = tuning.penalty * 8000 / Float(sampleRate)
    }

    /// - Parameter end: at least `Concealment.historyLength` samples lie before it.
    /// - Returns: the lag in samples, and the mean correlation over a long and a short window.
    func before(_ end: UnsafePointer<Float>) -> (lag: Int, voicing: Float) {
        let step = SearchStep.of(sampleRate)
        let coarse = before(end, lags: shortest...longest, step: step)
        let near = max(shortest, coarse.lag - step)...min(longest, coarse.lag + step)
        return step == 1 ? coarse : before(end, lags: near, step: 1)
    }

    /// The lag of the sound after `start`, near `expected` as far as `count` samples can tell.
    func after(_ start: UnsafePointer<Float>, count: Int, near expected: Int) -> Int? {
        let low = max(shortest, expected * 4 / 5)
        let high = min(longest, expected * 5 / 4, count * 2 / 3)
        guard low <= high else { return low <= count * 3 / 4 ? low : nil }
        let step = SearchStep.of(sampleRate)
        let coarse = after(start, count: count, lags: low...high, step: step)
        let near = max(low, coarse - step)...min(high, coarse + step)
        return step == 1 ? coarse : after(start, count: count, lags: near, step: 1)
    }

    private func before(_ end: UnsafePointer<Float>, lags: ClosedRange<Int>, step: Int) -> (lag: Int, voicing: Float) {
        let long = (sampleRate * tuning.longWindow / 1_000_000 + step - 1) / step
        let short = (sampleRate * tuning.shortWindow / 1_000_000 + step - 1) / step
        let tries = (lags.upperBound - lags.lowerBound) / step + 1
        // The longest lag tried lies first in memory.
        let start = end - long * step
        let first = start - (lags.lowerBound + (tries - 1) * step)
        return Thinned.withPair(start, count: long, first, count: long + tries - 1, step: step) { now, past in
            // The short window is the end of the long one.
            let rest = long - short
            let shortEnergy = Sums.energy(now + rest, count: short)
            let longEnergy = Sums.energy(now, count: rest) + shortEnergy
            var pastShort = SlidingEnergy(past + rest, count: short)
            var pastLong = SlidingEnergy(past, count: long)
            var best = (lag: lags.lowerBound, voicing: -Float.infinity)
            var bestScore = -Float.infinity
            for index in 0..<tries {
                if index > 0 {
                    pastShort.advance()
                    pastLong.advance()
                }
                let place = past + index
                let lag = lags.lowerBound &+ (tries &- 1 &- index) &* step
                let product = Sums.products(now + rest, place + rest, count: short)
                let longProduct = Sums.products(now, place, count: rest) + product
                let value =
                    0.5 * Similarity.normalised(longProduct, longEnergy, pastLong.value)
                    + 0.5 * Similarity.normalised(product, shortEnergy, pastShort.value)
                let score = value - penalty * Float(lag)
                if score > bestScore {
                    bestScore = score
                    best = (lag, value)
                }
            }
            return best
        }
    }

    private func after(_ start: UnsafePointer<Float>, count: Int, lags: ClosedRange<Int>, step: Int) -> Int {
        let tries = (lags.upperBound - lags.lowerBound) / step + 1
        func points(_ lag: Int) -> Int { (count - lag + step - 1) / step }
        let most = points(lags.lowerBound)
        return Thinned.withPair(start, count: most, start + lags.lowerBound, count: most, step: step) { now, later in
            var best = (lag: lags.lowerBound, score: -Float.infinity)
            for index in 0..<tries {
                let lag = lags.lowerBound &+ index &* step
                let value = Similarity.correlation(now, later + index, count: min(points(lag), most - index))
                let score = value - penalty * Float(lag)
                if score > best.score { best = (lag, score) }
            }
            return best.lag
        }
    }
}
