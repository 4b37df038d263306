extension Codec {
    /// Opus (RFC 6716, RFC 7587): one channel is sent, one or two are taken.
    public static let opus = Codec(
        name: "opus", encodingName: "opus", channels: 2,
        // RFC 7587 section 4.1: 48 000 whatever the sampling rate.
        clock: .fixed(48_000), sampleRate: 48_000, sampleRates: .list(OpusDecoder.sampleRates),
        payloadType: .dynamic(111), sendableFrameMilliseconds: [10, 20, 40, 60], bitrate: .adjustable,
        // RFC 6716 section 2, in the modes for speech and for sound; 2.5 in the one for low delay.
        lookaheadMilliseconds: 6.5, hasInbandFEC: true, hasDTX: true,
        // From 24 kbit/s. G.113 has no values for it; these are ours. Ie: on the scale of narrowband telephony the codec
        // takes nothing away. Bpl: PESQ's fall at 5 % of random loss without in-band FEC (4.43 to 2.71, so R by 41) gives
        // 6.7, and 14 for G.711 concealed by its Appendix I; scaled so that G.711 has its published 25.1.
        impairment: Impairment(equipment: 0, lossRobustness: 12),
        encoder: { (settings, rate) throws(CodecError) in try OpusEncoder(settings: settings, sampleRate: rate) },
        decoder: { (rate) throws(CodecError) in try OpusDecoder(sampleRate: rate) })
}
