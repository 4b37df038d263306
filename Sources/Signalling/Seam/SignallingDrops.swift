import Realtime
import SIP

/// How much of what came by SIP was dropped, by the reason. Each by itself is told to nobody.
public final class SignallingDrops: Sendable {
    /// The raw values are the names in figures.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// No SIP, or malformed. A request is told so by its answer, where it may have one.
        case unparsable
        /// A response to no request of ours, or to one that is over.
        case strayResponse = "stray_response"
        /// An ACK that belongs to nothing.
        case strayAcknowledgement = "stray_acknowledgement"
        /// Its source, or all together, keep too many requests open here.
        case tooManyTransactions = "too_many_transactions"
        /// Too many calls ring here.
        case tooManyCalls = "too_many_calls"
        /// A TCP or TLS stream that was closed: nothing more of it could be understood.
        case brokenStream = "broken_stream"
    }

    private let counts = Lock<[Reason: Int]>([:])

    public init() {}

    /// How many there were since the start.
    public subscript(reason: Reason) -> Int { counts.withLock { $0[reason] ?? 0 } }

    package func count(_ reason: Reason) { counts.withLock { $0[reason, default: 0] += 1 } }

    /// What there was, in words; nil: nothing.
    package var text: String? {
        let all = counts.withLock { $0 }
        let words = Reason.allCases.compactMap { reason in all[reason].map { "\(reason.rawValue) \($0)" } }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}

extension SignallingDrops.Reason {
    init(_ reason: DropReason) {
        self =
            switch reason {
            case .unparsable: .unparsable
            case .strayResponse: .strayResponse
            case .strayAcknowledgement: .strayAcknowledgement
            case .tooManyTransactions: .tooManyTransactions
            case .tooManyCalls: .tooManyCalls
            case .brokenStream: .brokenStream
            }
    }
}
