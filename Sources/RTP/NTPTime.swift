/// An NTP time stamp, RFC 3550 section 4: seconds since 1 January 1900 as a 32.32 fixed-point number.
///
/// RTCP compares wall clocks only with themselves, so any offset of the wall clock is harmless.
@frozen
public struct NTPTime: Hashable, Sendable, BitwiseCopyable {
    /// Seconds in the upper 32 bits, fraction of a second in the lower 32.
    public var rawValue: UInt64

    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The time `nanoseconds` after the Unix epoch (1 January 1970); wraps in 2036 as the format does.
    public init(unixNanoseconds nanoseconds: Int64) {
        let billion: Int64 = 1_000_000_000
        var seconds = nanoseconds / billion
        var rest = nanoseconds % billion
        if rest < 0 {
            seconds -= 1
            rest += billion
        }
        // 2 208 988 800 s lie between 1900 and 1970 (RFC 868).
        let ntpSeconds = UInt64(UInt32(truncatingIfNeeded: seconds &+ 2_208_988_800))
        rawValue = ntpSeconds << 32 | (UInt64(rest) << 32) / UInt64(billion)
    }

    /// A delay in the units of DLSR and DLRR, 1/65536 s.
    static func compactUnits(milliseconds: Double) -> UInt32 {
        UInt32(min(max(0, milliseconds) * 65.536, Double(UInt32.max)))
    }

    /// The middle 32 bits, in 1/65536 s: the form of LSR in report blocks (RFC 3550 section 6.4.1).
    @inlinable
    public var compact: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 16) }
}
