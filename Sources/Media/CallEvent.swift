import Link
import Metrics

/// What a call tells of its media while it runs.
public enum CallEvent: Sendable, Equatable {
    /// The first valid media packet of the other side came.
    case mediaStarted
    /// The other side's stream changed its SSRC in mid-call.
    case sourceChanged(from: UInt32, to: UInt32)
    /// The other side's stream goes on from another address, and so does what is sent.
    case remoteMoved(from: SocketAddress, to: SocketAddress)
    /// Who was taken for the other side fell silent after its first packets; nothing is sent there any more.
    case remoteLost(SocketAddress)
    /// The jitter buffer began anew, for that reason (`ResetReason.name`).
    case bufferReset(reason: String)
    /// The other side pressed a key.
    case digitReceived(Character, durationMilliseconds: Double)
    /// The other side speaks in another codec, and from now on this side does too.
    case formatFollowed(MediaFormat)
    /// What was to be sent in another format goes on in the one before; why, and what to do.
    case formatRefused(String)
    /// The media are encrypted from now on: by which suite, and whose certificate proved the keys.
    case secured(suite: String, fingerprint: String)
    /// The media cannot be encrypted as was agreed, and nothing passes: why, and whether the certificate is the reason.
    case notSecured(reason: String, isCertificate: Bool)
    /// The call is over.
    case ended(EndReason)
}

extension CallEvent {
    /// What the other side can cause as often as it likes: of each kind so much is told, and what is left out as a number.
    public enum Limited: Int, CaseIterable, Sendable {
        case sources, resets, digits

        /// What is left out, for a person.
        public var name: String {
            switch self {
            case .sources: "changes of the other side's source"
            case .resets: "new beginnings of the jitter buffer"
            case .digits: "digits"
            }
        }

        /// Sources and resets: as much as a bad network may cause. Digits: faster than any dialler sends them, whose tones and
        /// pauses last 40 ms each and more (ITU-T Q.24).
        public var limit: EventLimit {
            switch self {
            case .sources, .resets: EventLimit(burst: 8, perSecond: 2)
            case .digits: EventLimit(burst: 32, perSecond: 25)
            }
        }
    }

    /// The kind whose limit holds for the event; `nil`: it always passes.
    public var limited: Limited? {
        switch self {
        case .sourceChanged, .remoteMoved, .remoteLost: .sources
        case .bufferReset: .resets
        case .digitReceived: .digits
        case .mediaStarted, .formatFollowed, .formatRefused, .secured, .notSecured, .ended: nil
        }
    }
}
