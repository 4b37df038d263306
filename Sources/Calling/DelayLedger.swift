import Reporting

/// The delay of a voice on its way, stage by stage (docs/architecture.md, "Delay ledger").
///
/// Each side knows its own send and receive half. The send half travels to the other side in an RTCP APP packet, so that
/// each side can show the whole way from mouth to ear. A stage that is not known is `nil`, never 0.
extension DelayLedgerFigures {
    /// Sum of the stages before the network, in milliseconds; `nil` until the device has told its delay.
    package var sendSum: Double? {
        guard let capture, let framer else { return nil }
        return capture + framer + (voiceProcessing ?? 0) + (ring ?? 0) + (encoder ?? 0)
    }

    /// Sum of the stages after the network, in milliseconds; `nil` until sound has been played.
    package var receiveSum: Double? {
        guard let jitterBuffer, let playback else { return nil }
        return jitterBuffer + playback + (decoder ?? 0) + (playoutRing ?? 0)
    }
}

/// A figure that moves slowly: the mean over about `updates` values, for display and for the ledger.
struct SmoothedFigure {
    private(set) var value: Double?
    private let updates: Double
    private var seen = 0.0

    init(updates: Double = 50) { self.updates = updates }

    mutating func add(_ figure: Double) {
        seen = min(seen + 1, updates)
        value = value.map { $0 + (figure - $0) / seen } ?? figure
    }
}
