/// Logarithm and power to the base 2 for render threads, where the C library's may not be called: a polynomial on the
/// mantissa, the exponent from the bits.
package enum FastMath {
    /// log2 of a positive number to 0.0001 (0.0003 dB as a power); what is smaller than a normal number counts as 2^-126.
    @inline(__always) @_noLocks
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
    @inline(__always) @_noLocks
    package static func exp2(_ x: Float) -> Float {
        let limited: Float = x > -126 ? (x < 127 ? x : 127) : -126
        let whole = limited.rounded(.down)
        // Taylor series of 2^f about the middle of the interval.
        let f = (limited - whole - 0.5) * 0.693_147_2
        let square = f * f
        let series: Float = 1 + f + square * (0.5 + f * (1 / 6) + square * (1 / 24))
        let scale = Float(bitPattern: UInt32(truncatingIfNeeded: Int32(whole) &+ 127) << 23)
        return scale * 1.414_213_6 * series
    }

    /// 10 lg(x).
    @inline(__always) @_noLocks
    package static func decibels(power x: Float) -> Float { 3.010_299_9 * log2(x) }
}
