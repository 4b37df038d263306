import Reporting

/// One subscriber's stream of events as text (server-sent events): where it is, and what it gets next.
package struct EventStream: Sendable {
    private let spool: EventSpool
    private let snapshot: @Sendable (UInt64) -> String
    private let isAllowed: @Sendable () -> Bool
    /// Number of the last event that was handed out.
    private var place: UInt64
    /// Events that wait at most for a client that does not read.
    private static let batch = 16
    /// What is told before the first event.
    private enum Opening { case none, snapshot, restarted }
    private var opening: Opening

    /// - Parameters:
    ///   - last: the last event that the subscriber has; `nil`: none, it begins now.
    ///   - isAllowed: whether the subscriber may still be told anything.
    ///   - snapshot: everything as it is once the event of that number has been told, or a little later.
    package init(
        _ spool: EventSpool, after last: EventID?, isAllowed: @escaping @Sendable () -> Bool = { true },
        snapshot: @escaping @Sendable (UInt64) -> String
    ) {
        (self.spool, self.isAllowed, self.snapshot) = (spool, isAllowed, snapshot)
        let now = spool.position
        switch last {
        case nil: (place, opening) = (now.sequence, .snapshot)
        // Another life of the service, or a number that was never given.
        case let last? where last.epoch != now.epoch || last.sequence > now.sequence:
            (place, opening) = (now.sequence, .restarted)
        case let last?: (place, opening) = (last.sequence, .none)
        }
    }

    /// What the subscriber is sent now, empty where there is nothing; `isLast`: nothing comes after it.
    package mutating func next() -> (text: String, isLast: Bool) {
        guard isAllowed() else { return ("", true) }
        var text = ""
        switch opening {
        case .none: break
        case .snapshot: text += snapshotText()
        case .restarted: text += Self.gap(nil) + snapshotText()
        }
        opening = .none
        let batch = spool.read(after: place, limit: Self.batch)
        if batch.lost > 0 {
            spool.noteLoss(batch.lost)
            text += Self.gap(batch.lost)
        }
        for item in batch.items { text += Self.event(item.id, item.type, item.data) }
        place = batch.items.last?.id.sequence ?? place
        return (text, batch.isFinished && place >= batch.end)
    }

    /// Says that events are missing.
    private static func gap(_ lost: UInt64?) -> String {
        let value = JSONValue.object([
            JSONMember("type", .string("gap")), JSONMember("time", .string(Timestamp.now().text)),
            JSONMember("lost", lost.map { .integer(Int(clamping: $0)) } ?? .null),
            JSONMember(
                "reason",
                .string(lost == nil ? "these events are of another run of the service" : "read too slowly or too late")),
        ])
        return event(nil, "gap", value.text)
    }

    private mutating func snapshotText() -> String {
        // First the place: what happens meanwhile is told again, and never missed.
        let now = spool.position
        place = now.sequence
        return Self.event(now, "snapshot", snapshot(now.sequence))
    }

    private static func event(_ id: EventID?, _ type: String, _ data: String) -> String {
        (id.map { "id: \($0)\n" } ?? "") + "event: \(type)\ndata: \(data)\n\n"
    }

    /// Says nothing, so that both sides see whether the other is still there.
    package static let keepAlive = ": still here\n\n"
}
