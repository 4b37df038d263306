import Softphone

/// Calls that are over, or to be ended.
extension CallBook {
    /// Closes calls that are over, and ends those that are of no use without them. It joins their threads: only whoever owns the book
    /// does that.
    package func closeEnded() {
        letGoOfHalves()
        let over = state.withLock { state in
            defer { state.ended = [] }
            return state.ended.compactMap { id in state.entries[id]?.live.map { (id: id, live: $0) } }
        }
        for (id, live) in over { close(id, live) }
    }

    private func close(_ id: String, _ live: any LiveCall) {
        let (dialogs, captures) = (live.dialogs, live.captures)
        let report = live.close().first?.report
        // Its last events, where it was closed before it ended.
        carry(id)
        state.withLock { $0.entries[id]?.programs }?.end()
        let record = state.withLock { state -> CallRecord? in
            state.ended.removeAll { $0 == id }
            guard var entry = state.entries[id] else { return nil }
            (entry.record.report, entry.live, entry.subscription, entry.browser) = (report, nil, nil, nil)
            (entry.bridge, entry.dialogs, entry.captures) = (nil, dialogs, captures)
            entry.record.recording = nil
            state.entries[id] = entry
            counters.noteClosed(entry.record, report)
            onKept(entry.record)
            state.closed.append(id)
            if state.closed.count > Self.remembered {
                let old = state.closed.removeFirst()
                state.entries[old] = nil
                state.order.removeAll { $0 == old }
            }
            return entry.record
        }
        if let record, let report { publish(.report(report), record, time: .now()) }
    }

    /// Hangs up on calls whose handset is gone, and on handsets whose calls are all over.
    private func letGoOfHalves() {
        let halves = state.withLock { state -> [any LiveCall] in
            var users: [String: [Bool]] = [:]
            for entry in state.entries.values where entry.record.kind == .sip {
                if case .handset(let id) = entry.record.audio { users[id, default: []].append(entry.isRunning) }
            }
            return state.order.compactMap { id in
                guard let entry = state.entries[id], entry.isRunning, !entry.isLetGo,
                    let partner = entry.record.audio.partner
                else { return nil }
                let isHalf =
                    entry.record.kind == .sip
                    ? state.entries[partner]?.isRunning != true : users[id].map { !$0.contains(true) } ?? false
                guard isHalf else { return nil }
                state.entries[id]?.isLetGo = true
                return entry.live
            }
        }
        for live in halves { live.hangUp(byDuration: false) }
    }

    package func hangUpAll() {
        for live in state.withLock({ $0.entries.values.compactMap(\.live) }) { live.hangUp(byDuration: false) }
    }

    /// Closes all calls, in whatever state they are.
    package func closeAll() {
        let all = state.withLock { state in
            state.isOver = true
            return state.order.compactMap { id in state.entries[id]?.live.map { (id: id, live: $0) } }
        }
        for (id, live) in all { close(id, live) }
    }
}
