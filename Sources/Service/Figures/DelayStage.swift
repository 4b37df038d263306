import Metrics

/// The stages of the delay ledger, by the names that its JSON has.
package enum DelayStage: String, Sendable, CaseIterable {
    case capture
    case voiceProcessing = "voice_processing"
    case conversion
    case ring
    case framer
    case encoder
    case network
    case jitterBuffer = "jitter_buffer"
    case decoder
    case playoutRing = "playout_ring"
    case playback

    /// In milliseconds; `nil` where the stage does not tell.
    func value(in ledger: DelayLedgerFigures) -> Double? {
        switch self {
        case .capture: ledger.capture
        case .voiceProcessing: ledger.voiceProcessing
        case .conversion: ledger.conversion
        case .ring: ledger.ring
        case .framer: ledger.framer
        case .encoder: ledger.encoder
        case .network: ledger.network
        case .jitterBuffer: ledger.jitterBuffer
        case .decoder: ledger.decoder
        case .playoutRing: ledger.playoutRing
        case .playback: ledger.playback
        }
    }
}
