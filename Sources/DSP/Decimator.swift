import Glibc

/// Lowers the sampling rate by a whole factor: a linear-phase low-pass under a Kaiser window (Kaiser 1974), of which only
/// the samples that stay are computed.
///
/// Made for a short, exactly known delay: `delay` input samples.
package struct Decimator: ~Copyable {
    package let factor: Int
    /// Group delay, in input samples.
    package let delay: Int
    /// Input samples of a call to `process`.
    package let blockLength: Int
    private let taps: Int
    private let paddedTaps: Int
    private let coefficients: UnsafeMutablePointer<Float>
    private let history: UnsafeMutablePointer<Float>

    /// - Parameters:
    ///   - factor: 2...6.
    ///   - delay: half the length of the filter: 8...1000 input samples.
    ///   - blockLength: a multiple of `factor`, 1...100 000.
    ///   - cutoff: of the -6 dB point, as a part of the output's Nyquist frequency, 0.1...1.
    package init(factor: Int, delay: Int, blockLength: Int, cutoff: Double = 0.94) throws(DSPError) {
        guard 2...6 ~= factor else { throw .outOfRange(parameter: "factor", allowed: "2...6") }
        guard 8...1000 ~= delay else { throw .outOfRange(parameter: "delay", allowed: "8...1000") }
        guard 1...100_000 ~= blockLength, blockLength % factor == 0 else {
            throw .outOfRange(parameter: "blockLength", allowed: "1...100000, a multiple of the factor")
        }
        guard 0.1...1 ~= cutoff else { throw .outOfRange(parameter: "cutoff", allowed: "0.1...1") }
        self.factor = factor
        self.delay = delay
        self.blockLength = blockLength
        taps = 2 * delay + 1
        // Vectors of 8: zeros fill the last one, on the side of the oldest samples.
        paddedTaps = (taps + 7) / 8 * 8
        coefficients = .allocate(capacity: paddedTaps)
        coefficients.initialize(repeating: 0, count: paddedTaps)
        history = .allocate(capacity: paddedTaps + blockLength)
        history.initialize(repeating: 0, count: paddedTaps + blockLength)
        // beta 5: side lobes 55 dB down.
        let edge = cutoff / Double(factor)
        var sum = 0.0
        for tap in 0..<taps {
            let x = Double(tap - delay)
            let sinc = x == 0 ? edge : sin(.pi * edge * x) / (.pi * x)
            let reach = x / Double(delay + 1)
            let value = sinc * besselI0(5 * (1 - reach * reach).squareRoot())
            coefficients[paddedTaps - taps + tap] = Float(value)
            sum += value
        }
        for tap in 0..<paddedTaps { coefficients[tap] /= Float(sum) }
    }

    deinit {
        coefficients.deallocate()
        history.deallocate()
    }

    /// What is left of a tone's amplitude, by its frequency as a share of the input's rate.
    package func amplitude(at frequency: Double) -> Double {
        var sum = 0.0
        for tap in 0..<taps {
            let h = Double(coefficients[paddedTaps - taps + tap])
            sum += h * cos(2 * .pi * frequency * Double(tap - delay))
        }
        return sum
    }

    /// Takes `blockLength` samples, makes `blockLength / factor`.
    @_noLocks
    package mutating func process(_ input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>) {
        for index in 0..<paddedTaps { history[index] = history[index &+ blockLength] }
        for index in 0..<blockLength { history[paddedTaps &+ index] = input[index] }
        for index in 0..<blockLength / factor {
            // The newest tap falls on the first input sample of each group.
            let start = UnsafeRawPointer(history + (1 &+ index &* factor))
            var sum = SIMD8<Float>()
            for vector in 0..<paddedTaps / 8 {
                let x = (start + vector &* 32).loadUnaligned(as: SIMD8<Float>.self)
                let h = (UnsafeRawPointer(coefficients) + vector &* 32).loadUnaligned(as: SIMD8<Float>.self)
                sum += x * h
            }
            let four = sum.lowHalf + sum.highHalf
            let two = four.lowHalf + four.highHalf
            output[index] = two.x + two.y
        }
    }
}
