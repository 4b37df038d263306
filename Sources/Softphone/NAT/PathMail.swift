import ICE
import Link
import LiveMedia
import Realtime

/// What the owner of a call by ICE and the thread that steps its link leave for each other.
package final class PathMail: Sendable {
    /// What became of the way to the other side.
    package enum News: Sendable, Hashable {
        /// Media pass by this pair from now on.
        case selected(SelectedPair)
        /// Nobody answers any more (RFC 7675).
        case consentLost
        case failed(ICEFailure)
        /// After a change of address: who we are now, and where; to be told to the other side.
        case moved(ICECredentials, [Candidate])
        /// Said goodbye.
        case closed
    }

    /// What the link is to do.
    package enum Order: Sendable, Hashable {
        /// The other side is somebody else to the checks: it restarted, or answers our restart. `own`: who we are to it from now on.
        case follow(RemoteEnd, own: ICECredentials)
        /// Our addresses are others: find candidates anew, then tell `moved`.
        case move([IPAddress])
        /// Our addresses are others, and the other side cannot be told: have checks show it.
        case show([IPAddress])
    }

    /// Candidates that wait at most: more than the agent takes.
    private static let mostWaiting = 128

    package let news: Mailbox<News>
    private let waiting = Lock<[TrickledCandidate]>([])
    private let orders = Lock<[Order]>([])
    private let late = Lock<[TrickledCandidate]>([])

    package init() throws(RealtimeError) { news = try Mailbox() }

    /// Leaves candidates of the other side's for the link.
    package func leave(_ candidates: [TrickledCandidate]) {
        waiting.withLock { $0 += candidates.prefix(max(0, Self.mostWaiting - $0.count)) }
    }

    package func takeCandidates() -> [TrickledCandidate] { Self.take(waiting) }

    /// Leaves candidates of ours that came after the answer for whoever fetches them.
    package func tellLate(_ candidates: [TrickledCandidate]) { late.withLock { $0 += candidates } }

    /// Candidates of ours that were found since the last time.
    package func takeLate() -> [TrickledCandidate] { Self.take(late) }

    package func order(_ order: Order) { orders.withLock { $0.append(order) } }
    package func takeOrders() -> [Order] { Self.take(orders) }

    private static func take<Item: Sendable>(_ place: borrowing Lock<[Item]>) -> [Item] {
        place.withLock { waiting in
            guard !waiting.isEmpty else { return [] }
            defer { waiting = [] }
            return waiting
        }
    }
}

/// What the other side said of itself.
package struct RemoteEnd: Sendable, Hashable {
    package let credentials: ICECredentials
    package let isLite: Bool
    package let candidates: [TrickledCandidate]

    package init(_ credentials: ICECredentials, isLite: Bool, candidates: [TrickledCandidate]) {
        (self.credentials, self.isLite, self.candidates) = (credentials, isLite, candidates)
    }
}

/// A line that came after the offer or the answer.
package enum TrickledCandidate: Sendable, Hashable {
    /// The value of `a=candidate`.
    case line(String)
    /// There are no more.
    case end
}
