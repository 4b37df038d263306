import Link
import Softphone

/// How many calls there may be at once.
extension CallBook {
    /// Has other limits from now on; calls there are go on.
    package func limit(capacity: Int, drainSeconds: Int) {
        state.withLock { ($0.capacity, $0.drainSeconds) = (capacity, drainSeconds) }
    }

    /// Lets a call in, or says why not.
    /// - Parameters:
    ///   - source: where it comes from.
    ///   - bridge: where it will hear other calls, which may run already; `nil`: nowhere.
    /// - Returns: its id.
    func takePlace(
        _ kind: CallRecord.Kind, of source: IPAddress?, at bridge: CallBridge? = nil
    ) throws(Problem) -> String {
        let isServed = bridge?.keepsUp ?? keepsUp()
        return try state.withLock { state throws(Problem) in
            guard !state.isDraining else {
                counters.noteRefusal(.draining)
                throw .draining(seconds: state.drainSeconds)
            }
            let running = state.entries.values.filter { $0.live != nil }
            guard running.count + state.opening.count < state.capacity else {
                counters.noteRefusal(.full)
                throw Problem(
                    503, "there are too many calls",
                    "\(state.capacity) calls at once are allowed; end one, or raise softphone.calls",
                    retryAfterSeconds: Self.retrySeconds)
            }
            guard isServed else {
                counters.noteRefusal(.late)
                throw Problem(
                    503, "the machine does not keep up with the calls there are",
                    "\(running.count) calls run, and their turns come late; end one, or call again later",
                    retryAfterSeconds: Self.retrySeconds)
            }
            guard !isMemoryShort() else {
                counters.noteRefusal(.memory)
                throw Problem(
                    503, "there is no memory for another call",
                    "\(running.count) calls run; end one, or allow the process more memory",
                    retryAfterSeconds: Self.retrySeconds)
            }
            if kind == .browser { try checkConnecting(running, state.opening, source, capacity: state.capacity) }
            state.lastNumber += 1
            let id = "\(spool.epoch)-\(state.lastNumber)"
            state.opening.updateValue(kind == .browser ? source : nil, forKey: id)
            return id
        }
    }

    /// Offers without anybody behind them must not take the places of others, nor all places.
    private func checkConnecting(
        _ running: [Entry], _ opening: [String: IPAddress?], _ source: IPAddress?, capacity: Int
    ) throws(Problem) {
        let connecting = running.filter { $0.record.kind == .browser && $0.record.answered == nil }
        let own = connecting.count { $0.source == source } + opening.values.count { $0 == source && source != nil }
        guard own < Self.connectingPerSource else {
            throw Problem(
                429, "too many of your calls are connecting",
                "\(own) offers from this address wait for their browsers; finish or end one", retryAfterSeconds: 5)
        }
        // Those that are being answered are from somewhere, as no other call that is being made.
        guard connecting.count + opening.values.count(where: { $0 != nil }) < capacity - capacity / 4 else {
            throw Problem(
                503, "too many calls are connecting", "offers wait for their browsers; try again later", retryAfterSeconds: 5)
        }
    }

    func giveBack(_ id: String) {
        state.withLock { _ = $0.opening.removeValue(forKey: id) }
        // Its place is free again.
        onChange()
    }

    /// Calls that are not closed yet, or being made.
    package var running: Int { state.withLock { state in state.opening.count + state.entries.values.count { $0.live != nil } } }

    /// How many calls more would be let in now.
    package var headroom: Int {
        let free = state.withLock { state in
            state.isDraining ? 0 : max(0, state.capacity - state.opening.count - state.entries.values.count { $0.live != nil })
        }
        return free > 0 && (!keepsUp() || isMemoryShort()) ? 0 : free
    }

    package var isDraining: Bool { state.withLock { $0.isDraining } }

    /// No call begins any more. Those that ring here, and that nobody has taken, are let go of at once: who calls may ask
    /// another server.
    package func drain() {
        let ringing = state.withLock { state -> [any LiveCall] in
            state.isDraining = true
            return state.order.compactMap { id in
                guard let entry = state.entries[id], entry.record.kind == .sip, entry.record.rings else { return nil }
                state.entries[id]?.record.ringing = .taken
                return entry.live
            }
        }
        for live in ringing { live.hangUp(byDuration: false) }
    }
}
