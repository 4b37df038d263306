import ICE
import LiveMedia
import Realtime

/// What the owner of a browser's call and the media thread leave for each other.
package final class BrowserMail: Sendable {
    /// What the way to the browser did.
    package enum News: Sendable, Hashable {
        /// Media pass by this pair from now on.
        case selected(SelectedPair)
        /// Nobody answers any more (RFC 7675).
        case consentLost
        case failed(ICEFailure)
        /// The browser said goodbye.
        case closed
    }

    /// Candidates that wait at most: more than the agent takes.
    private static let mostWaiting = 128

    package let news: Mailbox<News>
    private let waiting = Lock<[TrickledCandidate]>([])

    package init() throws(RealtimeError) { news = try Mailbox() }

    /// Leaves candidates for the media thread.
    package func leave(_ candidates: [TrickledCandidate]) {
        waiting.withLock { $0 += candidates.prefix(max(0, Self.mostWaiting - $0.count)) }
    }

    package func takeCandidates() -> [TrickledCandidate] {
        waiting.withLock { waiting in
            guard !waiting.isEmpty else { return [] }
            defer { waiting = [] }
            return waiting
        }
    }
}

/// A line that came after the offer.
package enum TrickledCandidate: Sendable, Hashable {
    /// The value of `a=candidate`.
    case line(String)
    /// There are no more.
    case end
}
