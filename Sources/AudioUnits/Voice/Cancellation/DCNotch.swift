import Glibc

/// The notch at 0 Hz that SpeexDSP's canceller puts on its microphone: microphone minus its output is the echo estimate only
/// where the microphone went through the very same.
///
/// H(z) = r (1 - 2 z⁻¹ + z⁻²) / (1 - 2 r z⁻¹ + (r² + 0.7 (1 - r)²) z⁻²).
package struct DCNotch: BitwiseCopyable {
    fileprivate let radius: Float
    fileprivate let damping: Float
    private var first: Float = 0
    private var second: Float = 0

    /// - Parameters:
    ///   - decimated: the filter runs on a signal whose rate will be lowered this many times; its poles are then those that
    ///     belong to the lower rate.
    ///   - isGentle: no voice is lost under 12 kHz, where SpeexDSP's notch takes in all of a low voice's fundamental; see
    ///     `NotchRelief`.
    package init(rate: Int, decimated factor: Int = 1, isGentle: Bool = false) {
        let lower = rate / factor
        var r = lower < 12_000 ? (isGentle ? 0.982 : 0.9) : lower < 24_000 ? 0.982 : 0.992
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

/// Turns what went through SpeexDSP's notch into what would have come out of the gentle one.
struct NotchRelief: BitwiseCopyable {
    /// Whether the two are the same.
    let isIdle: Bool
    private let gain: Float
    private let steep: DCNotch
    private let gentle: DCNotch
    private var first: Float = 0
    private var second: Float = 0

    init(rate: Int) {
        steep = DCNotch(rate: rate)
        gentle = DCNotch(rate: rate, isGentle: true)
        isIdle = steep.radius == gentle.radius
        gain = gentle.radius / steep.radius
    }

    /// The next sample.
    @_noLocks @inline(__always)
    mutating func next(_ x: Float) -> Float {
        let y = gain * x + first
        first = second - 2 * steep.radius * gain * x + 2 * gentle.radius * y
        second = steep.damping * gain * x - gentle.damping * y
        return y
    }

    /// After a block.
    @_noLocks
    mutating func settle() {
        first.settle()
        second.settle()
    }
}
