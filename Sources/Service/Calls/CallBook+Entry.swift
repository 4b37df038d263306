import Link
import Softphone

/// What the book keeps.
extension CallBook {
    /// Of one call.
    struct Entry: Sendable {
        var record: CallRecord
        /// `nil` once it is closed.
        var live: (any LiveCall)?
        var subscription: EventSubscription<PartyEvent>?
        /// Where a browser's late candidates go; `nil`: no browser's, or closed.
        var browser: BrowserConversation?
        /// Where the request for it came from.
        var source: IPAddress?
        /// Where it hears other calls; `nil`: nowhere.
        var bridge: CallBridge?
        /// Call-IDs of its messages, once it is closed.
        var dialogs: [String] = []
        /// Where its packets were captured, once it is closed.
        var captures: [String] = []
        /// The programs that hear it.
        var programs: CallPrograms
        /// It was hung up because the other half of it is over.
        var isLetGo = false

        var isRunning: Bool { live != nil && record.ended == nil }
    }

    /// Of all together.
    struct State {
        var entries: [String: Entry] = [:]
        /// Oldest first.
        var order: [String] = []
        var lastNumber = 0
        /// Places taken by calls that are being made.
        var opening: [String: IPAddress?] = [:]
        var isDraining = false
        /// Whoever began a call before that closes it.
        var isOver = false
        var capacity: Int
        var drainSeconds: Int
        /// Over, and to be closed.
        var ended: [String] = []
        /// Closed, and still known, in the order in which they were closed.
        var closed: [String] = []
    }
}
