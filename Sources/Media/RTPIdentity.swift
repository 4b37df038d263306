import RTP
import Realtime

/// What RFC 3550 section 5.1 wants random in a stream, drawn from the call's seed so that a run can be repeated.
struct RTPIdentity {
    let ssrc: UInt32
    let firstSequence: UInt16
    let firstTimestamp: UInt32

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        ssrc = UInt32(truncatingIfNeeded: random.next())
        // The upper half is left free, so that the first wrap comes late (RFC 3711 section 3.3.1 asks for that).
        firstSequence = UInt16(truncatingIfNeeded: random.next()) & 0x7fff
        firstTimestamp = UInt32(truncatingIfNeeded: random.next())
    }
}
