/// Logarithm, power and root for render threads, where those of the C and the standard library may not be called:
/// polynomials on the mantissa, the exponent from the bits.
package enum FastMath {
    /// log2 of a positive number to 0.0001 (0.0003 dB as a power); what is smaller than a normal number counts as 2^-126.
    @inlinable @inline(__always) @_noLocks
    package static func log2(_ x: Float) -> Float {
        let bits = (x > Float.leastNormalMagnitude ? x : Float.leastNormalMagnitude).bitPattern
        let exponent = Int32(truncatingIfNeeded: bits >> 23) &- 127
        // Mantissa as 1 ..< 2; log2(m) = 2 atanh((m - 1) / (m + 1)) / ln 2, centred on the square root of 2.
        let mantissa = Float(bitPattern: (bits & 0x7F_FFFF) | 0x3F80_0000)
        let t = (mantissa - 1.414_213_6) / (mantissa + 1.414_213_6)
        let square = t * t
        let series: Float = t * (2.885_390_1 + square * (0.961_796_7 + square * 0.577_078_0))
        return Float(exponent) + 0.5 + series
    }

    /// 2^x to 0.01 % for -126 ... 127; beyond, the value at the end of that range.
    @inlinable @inline(__always) @_noLocks
    package static func exp2(_ x: Float) -> Float {
        let limited: Float = x > -126 ? (x < 127 ? x : 127) : -126
        // Adding 1.5 * 2^23 rounds to the nearest whole number and leaves it in the low bits.
        let shifted = limited + 12_582_912
        let exponent = Int32(bitPattern: shifted.bitPattern &- 0x4B40_0000)
        let f = (limited - (shifted - 12_582_912)) * 0.693_147_2
        let square = f * f
        let series: Float = 1 + f + square * (0.5 + f * (1 / 6) + square * (1 / 24))
        return Float(bitPattern: UInt32(truncatingIfNeeded: exponent &+ 127) << 23) * series
    }

    /// Square root to 0.0001 %; 0 of what has none. Newton's iteration on 1 / sqrt(x).
    @inlinable @inline(__always) @_noLocks
    package static func squareRoot(_ x: Float) -> Float {
        guard x > Float.leastNormalMagnitude else { return 0 }
        var y = Float(bitPattern: 0x5F37_5A86 &- (x.bitPattern >> 1))
        let half = 0.5 * x
        y *= 1.5 - half * y * y
        y *= 1.5 - half * y * y
        y *= 1.5 - half * y * y
        return x * y
    }

    /// 10 lg(x).
    @inlinable @inline(__always) @_noLocks
    package static func decibels(power x: Float) -> Float { 3.010_299_9 * log2(x) }
}
