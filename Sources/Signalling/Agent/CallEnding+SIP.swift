import SIP
import SignallingTransport

extension SIPSignalling.WayFailure {
    var text: String {
        switch self {
        case .location(let failure): "\(failure)"
        case .transport(let failure): "\(failure)"
        }
    }

    var isCertificate: Bool {
        if case .transport(.certificate) = self { true } else { false }
    }
}

extension CallEnding {
    /// - Parameter failure: why the way to the peer failed just now.
    init(_ end: CallEnd, _ failure: SIPSignalling.WayFailure?, wasAnswered: Bool) {
        let reason: Reason =
            switch end.cause {
            case .local: .localHangup
            case .remote: end.status == nil || end.status == 487 ? .remoteHangup : .lost
            case .refused: Self.reason(ofStatus: end.status ?? 0)
            case .redirected: .redirected
            case .timeout: wasAnswered ? .lost : .noAnswer
            case .network: failure?.isCertificate == true ? .certificate : .network
            case .authentication: .authentication
            case .notAcknowledged, .sessionExpired: .lost
            case .replaced: .replaced
            case .noAnswer: .noAnswer
            }
        var text = end.reason
        if end.cause == .network, let failure { text = failure.text }
        if let warning = end.warnings.first { text += " (\(warning.phrase))" }
        self.init(reason, sipCode: end.status, text: text, contacts: end.contacts.map(\.uri.text))
    }

    /// What a final response of 400 and more means to the caller.
    private static func reason(ofStatus status: Int) -> Reason {
        switch status {
        case 401, 407: .authentication
        case 408, 480: .noAnswer
        case 486, 600: .busy
        case 488, 606: .noCommonMedia
        case 500..<600: .network
        default: .refused
        }
    }
}
