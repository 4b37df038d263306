import Glibc

/// The notch at 0 Hz that SpeexDSP's canceller puts on its microphone: microphone minus its output is the echo estimate only
/// where the microphone went through the very same.
///
/// H(z) = r (1 - 2 z⁻¹ + z⁻²) / (1 - 2 r z⁻¹ + (r² + 0.7 (1 - r)²) z⁻²).
package struct DCNotch: BitwiseCopyable {
    private let radius: Float
    private let damping: Float
    private var first: Float = 0
    private var second: Float = 0

    /// - Parameter decimated: the filter runs on a signal whose rate will be lowered this many times; its poles are
    ///   then those that belong to the lower rate.
    package init(rate: Int, decimated factor: Int = 1) {
        let lower = rate / factor
        var r = lower < 12_000 ? 0.9 : lower < 24_000 ? 0.982 : 0.992
        var square = r * r + 0.7 * (1 - r) * (1 - r)
        if factor > 1 {
            let modulus = pow(square, 0.5 / Double(factor))
            r = modulus * cos(acos(r / square.squareRoot()) / Double(factor))
            square = modulus * modulus
        }
        radius = Float(r)
        damping = Float(square)
    }

    /// In place.
    @_noLocks
    package mutating func process(_ block: UnsafeMutablePointer<Float>, count: Int) {
        for index in 0..<count {
            let x = block[index]
            let v = first + x
            let y = radius * v
            first = second + 2 * (y - x)
            second = x - damping * v
            block[index] = y
        }
        first.settle()
        second.settle()
    }
}
