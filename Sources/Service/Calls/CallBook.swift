import Link
import Realtime
import Reporting
import Softphone

/// Every call there is, and the last ones that are over. Any thread may call any function.
///
/// A call's own thread brings its events; whoever asks gets the record, without waiting for a call.
package final class CallBook: Sendable {
    package let spool: EventSpool
    package let counters: CallCounters
    let state: Lock<State>
    /// Wakes whoever owns the book: a call has begun, or is over and to be closed.
    let onChange: @Sendable () -> Void
    /// Is told a call as it is when it begins, ends, and has its report.
    let onKept: @Sendable (CallRecord) -> Void

    /// Is told what happened to a call, behind everybody else, on a thread of the call's.
    let watcher = Lock<Watcher?>(nil)

    /// A function by itself in a lock would be wrapped once more each time that it is taken out, until no stack is deep enough to call it.
    struct Watcher { let told: @Sendable (CallRecord, EventBody) -> Void }

    /// Calls that are over and still known.
    package static let remembered = 200
    /// When who was refused may come again.
    package static let retrySeconds = 5
    /// Calls of browsers at one address that may be on their way to a connection: each has its sockets and threads from the offer on,
    /// whether anybody is there or not.
    package static let connectingPerSource = 8

    /// Whether no memory is left for another call.
    let isMemoryShort: @Sendable () -> Bool
    /// Whether another call would be served in time.
    let keepsUp: @Sendable () -> Bool

    /// - Parameter capacity: calls at once at most.
    package init(
        spool: EventSpool, counters: CallCounters, capacity: Int, drainSeconds: Int,
        isMemoryShort: @escaping @Sendable () -> Bool = { false }, keepsUp: @escaping @Sendable () -> Bool = { true },
        onKept: @escaping @Sendable (CallRecord) -> Void = { _ in }, onChange: @escaping @Sendable () -> Void
    ) {
        (self.onKept, self.isMemoryShort, self.keepsUp) = (onKept, isMemoryShort, keepsUp)
        (self.spool, self.counters, self.onChange) = (spool, counters, onChange)
        state = Lock(State(capacity: capacity, drainSeconds: drainSeconds))
    }

    /// Has somebody told of what happens to calls.
    func watch(_ watcher: @escaping @Sendable (CallRecord, EventBody) -> Void) {
        self.watcher.withLock { $0 = Watcher(told: watcher) }
    }

    // MARK: Calls begin

    /// Takes a place, makes a call by `begin`, and follows it.
    /// - Parameters:
    ///   - audio: its audio end; `nil`: the calls that it becomes the handset of.
    ///   - handsets: names of those where it rings.
    ///   - bridge: where it hears other calls.
    ///   - begin: is told its id.
    package func open(
        _ direction: CallRecord.Direction, account: String?, from: String? = nil, to: String? = nil, audio: AudioEnd?,
        handsets: [String] = [], bridge: CallBridge? = nil, begin: (String) throws(SoftphoneError) -> any LiveCall
    ) throws(Problem) -> CallRecord {
        let id = try takePlace(.sip, of: nil, at: bridge)
        let live: any LiveCall
        do throws(SoftphoneError) { live = try begin(id) } catch {
            giveBack(id)
            throw Problem(error)
        }
        var record = CallRecord(id: id, direction, account: account, from: from, to: to, audio: audio ?? .handset(id))
        record.handsets = handsets
        return try follow(live, record, bridge: bridge)
    }

    func follow(
        _ live: any LiveCall, _ record: CallRecord, source: IPAddress? = nil, bridge: CallBridge? = nil
    ) throws(Problem) -> CallRecord {
        let id = record.id
        let subscription: EventSubscription<PartyEvent>
        do throws(SoftphoneError) {
            subscription = try live.subscribe(capacity: 1024) { [weak self] in self?.carry(id) }
        } catch {
            giveBack(id)
            throw Problem(error)
        }
        let programs = programs(of: id, live)
        let tooLate = state.withLock { state -> Problem? in
            state.opening.removeValue(forKey: id)
            if state.isOver { return .draining(seconds: state.drainSeconds) }
            state.entries[id] = Entry(
                record: record, live: live, subscription: subscription, source: source, bridge: bridge, programs: programs)
            state.order.append(id)
            onKept(record)
            publish(EventText.callCreated, record)
            return nil
        }
        if let tooLate {
            _ = live.close()
            throw tooLate
        }
        counters.noteBegin(record.direction)
        programs.use(record.audio.line)
        // What happened before anybody knew of it.
        carry(id)
        onChange()
        return self.record(id) ?? record
    }

    /// Where a call that is not over hears others; `nil`: nowhere.
    func sharedBridge(of id: String) -> CallBridge? {
        state.withLock { state in state.entries[id].flatMap { $0.isRunning ? $0.bridge : nil } }
    }

    /// Takes note of the audio end that a call has now, and tells it.
    /// - Parameters:
    ///   - bridge: where it hears other calls.
    ///   - recording: name of the file that it makes.
    ///   - holds: whether the call still is what the audio end is for.
    /// - Returns: whether it was, and runs.
    @discardableResult
    func note(
        _ audio: AudioEnd, _ bridge: CallBridge?, recording: String? = nil, of id: String,
        if holds: (CallRecord) -> Bool = { _ in true }
    ) -> Bool {
        let isNoted = state.withLock { state in
            guard var entry = state.entries[id], entry.isRunning, holds(entry.record) else { return false }
            (entry.record.audio, entry.record.recording, entry.bridge) = (audio, recording, bridge)
            state.entries[id] = entry
            publish(EventText.callAudio, entry.record)
            return true
        }
        guard isNoted else { return false }
        try? programs(of: id).use(audio.line)
        onChange()
        return true
    }

    /// Takes note of the message that a caller has left, and tells it.
    func note(message name: String, seconds: Double, of id: String) {
        state.withLock { state in
            guard var entry = state.entries[id] else { return }
            entry.record.message = name
            state.entries[id] = entry
            let value = JSONValue.object([
                JSONMember("type", .string(EventText.voiceMessage)), JSONMember("time", .string(Timestamp.now().text)),
                JSONMember("call_id", .string(id)), JSONMember("name", .string(name)),
                JSONMember("seconds", .number(seconds, decimals: 1)),
            ])
            publish(value, EventText.voiceMessage, entry.record)
            onKept(entry.record)
        }
    }

    /// What a call was made for may be over by now.
    func lookAgain() { onChange() }

    // MARK: Calls go on

    /// Does something to a call, where its state allows it.
    /// - Parameters:
    ///   - check: refuses, or changes the record.
    ///   - act: is done to the call itself.
    package func change(
        _ id: String, _ check: (inout CallRecord) throws(Problem) -> Void, _ act: (any LiveCall) -> Void = { _ in }
    ) throws(Problem) -> CallRecord {
        let (live, record, programs) = try state.withLock { state throws(Problem) in
            guard var entry = state.entries[id] else { throw .noCall(id) }
            let was = entry.record
            try check(&entry.record)
            state.entries[id] = entry
            if was.isMuted != entry.record.isMuted {
                publish(entry.record.isMuted ? EventText.callMuted : EventText.callUnmuted, entry.record)
            }
            publish(recordingAfter: was, entry.record)
            // Another thread may have changed the line by the time that this one would say it again.
            let programs = was.audio.line == entry.record.audio.line ? nil : entry.programs
            return (entry.live, entry.record, programs)
        }
        programs?.use(record.audio.line)
        if let live { act(live) }
        return self.record(id) ?? record
    }

    /// Mutes a call, or does so no more.
    package func mute(_ id: String, _ muted: Bool) throws(Problem) -> CallRecord {
        try change(
            id,
            { (record) throws(Problem) in
                guard record.state != .ended else { throw .conflict("the call is over") }
                record.isMuted = muted
            },
            { live in
                var done = muted
                live.setMuted(done)
                // What was wished meanwhile may have been done before this.
                while let wished = record(id)?.isMuted, wished != done {
                    done = wished
                    live.setMuted(done)
                }
            })
    }
}
