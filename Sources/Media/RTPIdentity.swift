import RTP
import Realtime

/// What RFC 3550 section 5.1 wants random in a stream, drawn from the call's seed so that a run can be repeated.
struct RTPIdentity {
    let ssrc: UInt32
    let firstSequence: UInt16
    let firstTimestamp: UInt32

    /// The upper half is left free, so that the first wrap comes late (RFC 3711 section 3.3.1 asks for that).
    static let highestFirstSequence: UInt16 = 0x7fff

    init(_ configuration: StreamConfiguration) {
        var random = SplitMix64(seed: configuration.seed)
        ssrc = UInt32(truncatingIfNeeded: random.next())
        let drawn = UInt16(truncatingIfNeeded: random.next()) & Self.highestFirstSequence
        firstSequence = configuration.firstSequence ?? drawn
        firstTimestamp = UInt32(truncatingIfNeeded: random.next())
    }
}
