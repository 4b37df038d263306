import Glibc

/// Background noise as an all-pole model: its power and reflection coefficients.
///
/// Sign as in the payload of RFC 3389 the way its senders use it: noise that leans to low frequencies has a negative first
/// coefficient (A(z) = 1 + sum of a_i z^-i).
struct NoiseSpectrum: BitwiseCopyable {
    static let order = 10
    /// Coefficients stay below this, so that the filter stays stable in single precision.
    private static let largest: Float = 0.98

    /// Mean square, full scale is 1.
    var power: Float = 0
    var reflection = InlineArray<10, Float>(repeating: 0)

    /// White noise.
    init(power: Float) { self.power = power }

    /// A comfort-noise payload (RFC 3389 section 3): level in -dBov, then one byte a coefficient; coefficients beyond the
    /// tenth are left out. Nil when it is empty.
    init?(payload: UnsafeRawBufferPointer) {
        guard let first = payload.first else { return nil }
        power = powf(10, -Float(first & 0x7f) / 10)
        for index in 0..<min(Self.order, payload.count - 1) {
            let value = 258 * (Float(payload[index + 1]) - 127) / 32_768
            reflection[index] = min(max(value, -Self.largest), Self.largest)
        }
    }

    /// The model of a sound with this autocorrelation (`order` + 1 lags), by Levinson's and Durbin's recursion.
    init(autocorrelation lags: InlineArray<11, Float>, count: Int) {
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

    /// Amplitude of white noise of unit variance that gives the filter's output its power.
    var gain: Float {
        var product = power
        for index in 0..<Self.order { product *= 1 - reflection[index] * reflection[index] }
        return product > 0 ? product.squareRoot() : 0
    }
}
