/// Samples at the edges: Float in -1 ..< 1 inside, 16-bit integers in files, codecs, SpeexDSP and most hardware.
public enum SampleConversion {
    /// Nearest 16-bit value (ties to even), clipped at both ends; never traps, not even for NaN.
    ///
    /// Adding 1.5 * 2^23 leaves the rounded integer in the low bits, which vectorises where a trapping cast does not.
    @inlinable @inline(__always) @_noLocks
    public static func toInt16(_ sample: Float) -> Int16 {
        let scaled = sample * 32_768
        let clipped = scaled < -32_768 ? -32_768 : scaled > 32_767 ? 32_767 : scaled
        return Int16(truncatingIfNeeded: (clipped + 12_582_912 as Float).bitPattern)
    }

    /// The value in -1 ..< 1, exact.
    @inlinable @inline(__always) @_noLocks
    public static func toFloat(_ value: Int16) -> Float { Float(value) * (1 / 32_768) }

    /// Converts `count` samples.
    @inlinable @_noLocks
    public static func toInt16(_ source: UnsafePointer<Float>, count: Int, into target: UnsafeMutablePointer<Int16>) {
        for i in 0..<count { target[i] = toInt16(source[i]) }
    }

    /// Converts `count` samples.
    @inlinable @_noLocks
    public static func toFloat(_ source: UnsafePointer<Int16>, count: Int, into target: UnsafeMutablePointer<Float>) {
        for i in 0..<count { target[i] = toFloat(source[i]) }
    }
}
