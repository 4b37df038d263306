/// Finds the delay between what one side said and what the other heard, from the audio itself.
///
/// Normalised cross-correlation, second by second, at a reduced rate; the median of the seconds in which somebody spoke.
/// It is what the delay ledger is held against.
public enum DelayMeter {
    /// Rate the search runs at, in Hz.
    private static let searchRate = 4000
    /// Correlation below which a second does not count.
    private static let leastCorrelation = 0.5

    /// - Parameters:
    ///   - spoken: what was said, at `sampleRate`.
    ///   - heard: what was heard; both begin at the same time.
    ///   - maximumMilliseconds: longest delay looked for.
    /// - Returns: milliseconds, or `nil` when no second of `heard` resembles `spoken`.
    public static func milliseconds(
        spoken: [Float], heard: [Float], sampleRate: Int, maximumMilliseconds: Int = 600
    ) -> Double? {
        let step = max(1, sampleRate / searchRate)
        let a = decimated(spoken, by: step)
        let b = decimated(heard, by: step)
        let rate = sampleRate / step
        let maximumLag = rate * maximumMilliseconds / 1000
        var delays: [Double] = []
        var start = 0
        while start + rate + maximumLag <= min(a.count, b.count) {
            if let lag = bestLag(of: a[start..<start + rate], in: b, from: start, maximumLag: maximumLag) {
                delays.append(Double(lag) * 1000 / Double(rate))
            }
            start += rate * max(1, (a.count / rate) / 8)
        }
        return delays.isEmpty ? nil : delays.sorted()[delays.count / 2]
    }

    private static func decimated(_ signal: [Float], by step: Int) -> [Float] {
        guard step > 1 else { return signal }
        return stride(from: 0, to: signal.count - step + 1, by: step).map { start in
            var sum: Float = 0
            for i in 0..<step { sum += signal[start + i] }
            return sum / Float(step)
        }
    }

    private static func bestLag(
        of reference: ArraySlice<Float>, in signal: [Float], from start: Int, maximumLag: Int
    ) -> Int? {
        let length = reference.count
        let referenceEnergy = reference.reduce(0) { $0 + $1 * $1 }
        guard referenceEnergy > 1e-5 * Float(length) else { return nil }
        var best = (lag: 0, correlation: Float(leastCorrelation))
        var found = false
        reference.withUnsafeBufferPointer { x in
            signal.withUnsafeBufferPointer { y in
                var energy: Float = 0
                for i in 0..<length { energy += y[start + i] * y[start + i] }
                for lag in 0...maximumLag {
                    let correlation =
                        product(x.baseAddress!, y.baseAddress! + start + lag, length)
                        / (referenceEnergy * max(energy, 1e-9)).squareRoot()
                    if correlation > best.correlation {
                        best = (lag, correlation)
                        found = true
                    }
                    let (leaves, enters) = (y[start + lag], start + lag + length < y.count ? y[start + lag + length] : 0)
                    energy += enters * enters - leaves * leaves
                }
            }
        }
        return found ? best.lag : nil
    }

    /// Sum of `x` times `y`: this is where the meter's time goes. Eight sums at once: a single one would wait for each addition.
    private static func product(_ x: UnsafePointer<Float>, _ y: UnsafePointer<Float>, _ count: Int) -> Float {
        var sums = SIMD8<Float>()
        let whole = count / 8 * 8
        var i = 0
        while i < whole {
            let a = UnsafeRawPointer(x + i).loadUnaligned(as: SIMD8<Float>.self)
            let b = UnsafeRawPointer(y + i).loadUnaligned(as: SIMD8<Float>.self)
            sums += a * b
            i += 8
        }
        var sum = sums.sum()
        while i < count {
            sum += x[i] * y[i]
            i += 1
        }
        return sum
    }
}
