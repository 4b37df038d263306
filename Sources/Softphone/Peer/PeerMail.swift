import Link
import LiveMedia
import PeerSignalling
import Realtime
import SecureRTP

/// What the owner of a call from person to person and whoever steps its link leave for each other.
final class PeerMail: Sendable {
    enum News: Sendable {
        /// The handshake is done, and this is whose certificate is to be judged.
        case undecided(DTLSFingerprint)
        case connected(DTLSSession)
        /// Somebody's handshake failed; others may come.
        case turnedAway(DTLSFailure, SocketAddress)
        /// There will be no association.
        case failed(DTLSFailure)
        /// The other side said goodbye.
        case closed
        case dialog(PeerDialog.Event)
    }

    enum Wish: Sendable {
        case answer
        case refuse(PeerRefusal, String)
        case hold(Bool)
        case hangUp
    }

    let news: Mailbox<News>
    private let wishes = Lock<[Wish]>([])

    init() throws(RealtimeError) { news = try Mailbox() }

    func leave(_ wish: Wish) { wishes.withLock { $0.append(wish) } }

    func takeWishes() -> [Wish] {
        wishes.withLock { wishes in
            guard !wishes.isEmpty else { return [] }
            defer { wishes = [] }
            return wishes
        }
    }
}
