import Glibc

/// Background noise as an all-pole model: its power and reflection coefficients.
///
/// Sign as in the payload of RFC 3389 the way its senders use it: noise that leans to low frequencies has a negative first
/// coefficient (A(z) = 1 + sum of a_i z^-i).
package struct NoiseSpectrum: Sendable, BitwiseCopyable {
    package static let order = 10
    /// Coefficients stay below this, so that the filter stays stable in single precision.
    private static let largest: Float = 0.98

    /// A coefficient's quantization step (RFC 3389 section 3.2): 127 stands for 0, 0 and 254 for nearly -1 and 1.
    private static let step: Float = 258 / 32_768

    /// Bytes that `write` writes: the level, and one for each coefficient.
    package static let payloadBytes = 1 + order

    /// Mean square, full scale is 1.
    package var power: Float = 0
    package var reflection = InlineArray<10, Float>(repeating: 0)

    /// White noise.
    package init(power: Float) { self.power = power }

    /// A comfort-noise payload (RFC 3389 section 3): level in -dBov, then one byte a coefficient; coefficients beyond the
    /// tenth are left out. Nil when it is empty.
    package init?(payload: UnsafeRawBufferPointer) {
        guard let first = payload.first else { return nil }
        power = powf(10, -Float(first & 0x7f) / 10)
        for index in 0..<min(Self.order, payload.count - 1) {
            let value = Self.step * (Float(payload[index + 1]) - 127)
            reflection[index] = min(max(value, -Self.largest), Self.largest)
        }
    }

    /// The model of a sound with this autocorrelation (`order` + 1 lags), by Levinson's and Durbin's recursion.
    package init(autocorrelation lags: InlineArray<11, Float>, count: Int) {
        // A little white noise keeps the recursion stable for tones.
        let zero = lags[0] * 1.0001 + 1e-12
        power = count > 0 ? lags[0] / Float(count) : 0
        var error = zero
        var a = InlineArray<11, Float>(repeating: 0)
        a[0] = 1
        for order in 1...Self.order {
            var sum = lags[order]
            for index in 1..<order { sum += a[index] * lags[order - index] }
            let k = min(max(-sum / error, -Self.largest), Self.largest)
            reflection[order - 1] = k
            let old = a
            for index in 1..<order { a[index] = old[index] + k * old[order - index] }
            a[order] = k
            error *= 1 - k * k
        }
    }

    /// The comfort-noise payload (RFC 3389 section 3): level, rounded to dB, and the nearest code of each coefficient.
    /// - Returns: bytes written, `payloadBytes`; 0 when `payload` is shorter.
    package func write(into payload: UnsafeMutableRawBufferPointer) -> Int {
        guard payload.count >= Self.payloadBytes else { return 0 }
        payload[0] = levelCode
        for index in 0..<Self.order {
            let code = (reflection[index] / Self.step + 127).rounded()
            payload[index + 1] = code.isFinite ? UInt8(min(max(code, 0), 254)) : 127
        }
        return Self.payloadBytes
    }

    /// Noise level in -dBov, 0...127; silence is the least.
    package var levelCode: UInt8 {
        guard power.isFinite, power > 0 else { return 127 }
        return UInt8(min(max((-10 * log10f(power)).rounded(), 0), 127))
    }

    /// Share of the power that the neighbouring samples do not foretell: 1 for white noise, near 0 for a tone.
    package var flatness: Float {
        var product: Float = 1
        for index in 0..<Self.order { product *= 1 - reflection[index] * reflection[index] }
        return product
    }

    /// Amplitude of white noise of unit variance that gives the filter's output its power.
    package var gain: Float {
        var product = power
        for index in 0..<Self.order { product *= 1 - reflection[index] * reflection[index] }
        return product > 0 ? product.squareRoot() : 0
    }
}
