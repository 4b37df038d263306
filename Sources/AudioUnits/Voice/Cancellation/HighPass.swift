import Glibc

/// Takes out what is below speech: Butterworth of the second order (bilinear transform).
package struct HighPass: BitwiseCopyable {
    private let b: Float
    private let a1: Float
    private let a2: Float
    private var first: Float = 0
    private var second: Float = 0

    /// - Parameters:
    ///   - rate: Hz.
    ///   - cutoff: the -3 dB point in Hz, under half the rate.
    package init(rate: Int, cutoff: Double) {
        let k = tan(.pi * cutoff / Double(rate))
        let norm = 1 / (1 + 2.0.squareRoot() * k + k * k)
        b = Float(norm)
        a1 = Float(2 * (k * k - 1) * norm)
        a2 = Float((1 - 2.0.squareRoot() * k + k * k) * norm)
    }

    /// `count` samples; `output` may be `input`.
    @_noLocks
    package mutating func process(
        _ input: UnsafePointer<Float>, count: Int, into output: UnsafeMutablePointer<Float>
    ) {
        for index in 0..<count {
            let x = input[index]
            let y = b * x + first
            first = second - 2 * b * x - a1 * y
            second = b * x - a2 * y
            output[index] = y
        }
        first.settle()
        second.settle()
    }
}

extension Float {
    /// Zero where the number has become so small that the processor would handle it slowly.
    @inline(__always) @_noLocks
    mutating func settle() {
        if magnitude < 1e-15 { self = 0 }
    }
}
