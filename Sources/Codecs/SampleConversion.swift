/// Samples at the codecs' edge: Float in -1 ..< 1 inside, 16-bit integers in G.711 and L16.
enum SampleConversion {
    /// Nearest 16-bit value (ties to even), clipped at both ends; never traps, not even for NaN.
    ///
    /// Adding 1.5 * 2^23 leaves the rounded integer in the low bits, which vectorises where a trapping cast does not.
    @inline(__always)
    static func toInt16(_ sample: Float) -> Int16 {
        let scaled = sample * 32_768
        let clipped = scaled < -32_768 ? -32_768 : scaled > 32_767 ? 32_767 : scaled
        return Int16(truncatingIfNeeded: (clipped + 12_582_912 as Float).bitPattern)
    }

    /// The value in -1 ..< 1, exact.
    @inline(__always)
    static func toFloat(_ value: Int16) -> Float { Float(value) * (1 / 32_768) }
}
