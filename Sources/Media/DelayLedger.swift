import Metrics

extension MediaStream {
    /// The delay of a voice on its way, stage by stage, in milliseconds (docs/architecture.md, "Delay ledger").
    ///
    /// A stage that is not known is `nil`, never 0.
    var ledger: DelayLedgerFigures {
        var ledger = DelayLedgerFigures()
        deviceDelay.fill(&ledger)
        ledger.encoder = sendPath.codec.delayMilliseconds
        ledger.network = networkMilliseconds
        ledger.jitterBuffer = receivePath.buffer.delayOfFastestMilliseconds
        ledger.decoder = ledger.jitterBuffer == nil ? nil : receivePath.conversionMilliseconds
        ledger.sum = mouthToEarMilliseconds
        return ledger
    }

    /// From our microphone to our socket; travels to the other side in an RTCP APP packet. `nil` before a frame was sent.
    var sendDelayMilliseconds: Double? {
        deviceDelay.sendMilliseconds.map { $0 + sendPath.codec.delayMilliseconds }
    }

    /// From our socket to our loudspeaker; `nil` before something was heard.
    var receiveDelayMilliseconds: Double? {
        guard let device = deviceDelay.receiveMilliseconds, let buffer = receivePath.buffer.delayOfFastestMilliseconds else {
            return nil
        }
        return device + buffer + receivePath.conversionMilliseconds
    }

    /// From the other side's mouth until a bridge has the voice: the network, the jitter buffer, and what the other side tells of
    /// its own part; `nil` while the network or the buffer is not known.
    var delayBeforeBridge: Double? {
        guard let network = networkMilliseconds, let buffer = receivePath.buffer.delayOfFastestMilliseconds else { return nil }
        return (control.remoteSendDelayMilliseconds ?? 0) + network + buffer + receivePath.conversionMilliseconds
    }

    /// From a bridge until the voice is at the other side's socket; `nil` while the network is not known.
    var delayBehindBridge: Double? { networkMilliseconds.map { $0 + sendPath.codec.delayMilliseconds } }

    private var networkMilliseconds: Double? {
        control.networkMilliseconds(jitter: receivePath.receiver.statistics.jitterMilliseconds)
    }

    /// Their mouth to our ear; `nil` while the other side or RTCP has not told its part.
    var mouthToEarMilliseconds: Double? {
        guard let theirs = control.remoteSendDelayMilliseconds, let network = networkMilliseconds,
            let ours = receiveDelayMilliseconds
        else { return nil }
        return theirs + network + ours
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
