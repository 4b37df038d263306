import Codecs
import Reporting
import SDP
import Signalling

extension NegotiationReport {
    init(_ media: NegotiatedMedia) {
        let receipt = media.receipt
        self.init(offeredByUs: receipt.offeredBy == .us)
        codec = media.agreement?.codec.name
        remote = media.agreement?.remote.map { "\($0)" }
        packetMilliseconds = media.agreement.map { Double($0.packetMilliseconds) }
        delayMilliseconds = receipt.cost?.delay
        bitRate = receipt.cost?.bitRate
        rows = receipt.rows.map {
            Row(
                line: $0.line, subject: "\($0.subject)", offered: $0.offered, answered: $0.answered, inForce: $0.inForce,
                why: "\($0.why)")
        }
    }
}

extension RegistrationReport {
    init(_ change: RegistrationChange) {
        self.init(account: change.account, state: change.state.rawValue)
        reason = change.reason
        sipCode = change.sipCode
        expiresSeconds = change.expires.map(Double.init)
        retrySeconds = change.retryAfter
        isReachable = change.isReachable
        remedy = change.remedy()
    }
}

extension EventBody {
    /// A text, or that voice messages wait; nil for whatever else signalling tells.
    init?(notice event: CallSignallingEvent) {
        switch event {
        case .message(let message):
            self = .message(from: message.from, name: message.name, to: message.to, text: message.text)
        case .messagesWaiting(let account, let summary):
            self = .messagesWaiting(account: account, isWaiting: summary.isWaiting, new: summary.new, old: summary.old)
        default: return nil
        }
    }
}
