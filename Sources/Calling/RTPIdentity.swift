import RTP

/// What RFC 3550 section 5.1 wants random in a stream, drawn from the call's seed so that a run can be repeated.
struct RTPIdentity {
    let ssrc: UInt32
    let firstSequence: UInt16
    let firstTimestamp: UInt32

    init(seed: UInt64) {
        var state = seed
        // SplitMix64 (Steele, Lea, Flood 2014): good for a handful of values from any seed.
        func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
        ssrc = UInt32(truncatingIfNeeded: next())
        // The upper half is left free, so that the first wrap comes late (RFC 3711 section 3.3.1 asks for that).
        firstSequence = UInt16(truncatingIfNeeded: next()) & 0x7fff
        firstTimestamp = UInt32(truncatingIfNeeded: next())
    }
}
