import Reporting
import Softphone

/// Calls as they are now.
extension CallBook {
    package func record(_ id: String) -> CallRecord? { state.withLock { $0.entries[id]?.record } }

    /// The programs that hear a call.
    func programs(of id: String) throws(Problem) -> CallPrograms {
        guard let entry = state.withLock({ $0.entries[id] }) else { throw .noCall(id) }
        return entry.programs
    }

    /// The call itself; `nil`: it is closed, or there is none.
    func live(_ id: String) -> (any LiveCall)? { state.withLock { $0.entries[id]?.live } }

    /// A call's figures as they are now, or its report. Waits while the call's device is being opened.
    package func statistics(_ id: String) throws(Problem) -> JSONValue {
        guard let entry = state.withLock({ $0.entries[id] }) else { throw .noCall(id) }
        return entry.record.statisticsJSON(
            entry.live?.statistics(of: 0), program: entry.live == nil ? nil : entry.record.audio.line?.json)
    }

    /// Call-IDs of a call's messages. Waits while the call's device is being opened.
    func dialogs(of id: String) throws(Problem) -> [String] {
        guard let entry = state.withLock({ $0.entries[id] }) else { throw .noCall(id) }
        return entry.live?.dialogs ?? entry.dialogs
    }

    /// Where a call's packets are captured.
    func captures(of id: String) throws(Problem) -> [String] {
        guard let entry = state.withLock({ $0.entries[id] }) else { throw .noCall(id) }
        return entry.live?.captures ?? entry.captures
    }

    /// Takes note of the figures of every call that was answered.
    package func sample() {
        let answered = state.withLock { state in
            state.order.compactMap { id -> (id: String, live: any LiveCall)? in
                guard let entry = state.entries[id], entry.record.answered != nil, let live = entry.live else { return nil }
                return (id, live)
            }
        }
        for (id, live) in answered {
            let event = PartyEvent(party: 0, body: .stats(live.statistics(of: 0)), time: .now())
            // A call that was closed meanwhile has been counted to its end.
            state.withLock { state in
                guard var entry = state.entries[id], entry.live != nil else { return }
                entry.record.take(event)
                counters.note(event, of: entry.record)
                state.entries[id] = entry
            }
        }
    }

    /// Oldest first.
    package var records: [CallRecord] { state.withLock { state in state.order.compactMap { state.entries[$0]?.record } } }
}
