import Metrics

extension DelayLedgerFigures: ReportObject {
    public static let fields: [ReportField<DelayLedgerFigures>] = [
        .number("capture", decimals: 2) { $0.capture },
        .number("voice_processing", decimals: 2) { $0.voiceProcessing },
        .number("conversion", decimals: 2) { $0.conversion },
        .number("ring", decimals: 2) { $0.ring },
        .number("framer", decimals: 2) { $0.framer },
        .number("encoder", decimals: 2) { $0.encoder },
        .number("network", decimals: 2) { $0.network },
        .number("jitter_buffer", decimals: 2) { $0.jitterBuffer },
        .number("decoder", decimals: 2) { $0.decoder },
        .number("playout_ring", decimals: 2) { $0.playoutRing },
        .number("playback", decimals: 2) { $0.playback },
        .number("sum", decimals: 2) { $0.sum },
    ]
}
