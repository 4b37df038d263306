import Link
import Realtime
import Reporting
import Softphone

/// Every call there is, and the last ones that are over. Any thread may call any function.
///
/// A call's own thread brings its events; whoever asks gets the record, without waiting for a call.
package final class CallBook: Sendable {
    private struct Entry: Sendable {
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

    private struct State {
        var entries: [String: Entry] = [:]
        /// Oldest first.
        var order: [String] = []
        var lastNumber = 0
        /// Places taken by calls that are being made.
        var opening: [String: IPAddress?] = [:]
        var isDraining = false
        var capacity: Int
        var drainSeconds: Int
        /// Over, and to be closed.
        var ended: [String] = []
    }

    package let spool: EventSpool
    package let counters: CallCounters
    private let state: Lock<State>
    /// Wakes whoever owns the book: a call has begun, or is over and to be closed.
    private let onChange: @Sendable () -> Void
    /// Is told a call as it is when it begins, ends, and has its report.
    private let onKept: @Sendable (CallRecord) -> Void

    /// Is told what happened to a call, behind everybody else, on a thread of the call's.
    private let watcher = Lock<Watcher?>(nil)

    /// A function by itself in a lock would be wrapped once more each time that it is taken out, until no stack is deep enough to call it.
    private struct Watcher { let told: @Sendable (CallRecord, EventBody) -> Void }

    /// Calls that are over and still known.
    package static let remembered = 200
    /// When who was refused may come again.
    package static let retrySeconds = 5
    /// Calls of browsers at one address that may be on their way to a connection: each has its sockets and threads from the offer on,
    /// whether anybody is there or not.
    package static let connectingPerSource = 8

    /// Whether no memory is left for another call.
    private let isMemoryShort: @Sendable () -> Bool

    /// - Parameter capacity: calls at once at most.
    package init(
        spool: EventSpool, counters: CallCounters, capacity: Int, drainSeconds: Int,
        isMemoryShort: @escaping @Sendable () -> Bool = { false },
        onKept: @escaping @Sendable (CallRecord) -> Void = { _ in }, onChange: @escaping @Sendable () -> Void
    ) {
        (self.onKept, self.isMemoryShort) = (onKept, isMemoryShort)
        (self.spool, self.counters, self.onChange) = (spool, counters, onChange)
        state = Lock(State(capacity: capacity, drainSeconds: drainSeconds))
    }

    /// Has other limits from now on; calls there are go on.
    package func limit(capacity: Int, drainSeconds: Int) {
        state.withLock { ($0.capacity, $0.drainSeconds) = (capacity, drainSeconds) }
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
        let id = try takePlace(.sip, of: nil)
        let live: any LiveCall
        do throws(SoftphoneError) { live = try begin(id) } catch {
            giveBack(id)
            throw Problem(error)
        }
        var record = CallRecord(id: id, direction, account: account, from: from, to: to, audio: audio ?? .handset(id))
        record.handsets = handsets
        return try follow(live, record, bridge: bridge)
    }

    /// The same for a browser's call, whose candidates take their time.
    /// - Parameters:
    ///   - name: of the handset.
    ///   - source: where the offer came from.
    func openBrowser(
        name: String?, audio: AudioEnd?, bridge: CallBridge?, source: IPAddress?,
        begin: () async throws(SoftphoneError) -> BrowserConversation
    ) async throws(Problem) -> (record: CallRecord, conversation: BrowserConversation) {
        let id = try takePlace(.browser, of: source)
        let made: BrowserConversation
        do throws(SoftphoneError) { made = try await begin() } catch {
            giveBack(id)
            throw Problem(error)
        }
        var record = CallRecord(id: id, .incoming, kind: .browser, account: nil, audio: audio ?? .handset(id))
        record.name = name
        let followed = try follow(made.call, record, source: source, bridge: bridge)
        attach(made, to: id)
        return (followed, made)
    }

    private func giveBack(_ id: String) {
        state.withLock { _ = $0.opening.removeValue(forKey: id) }
        // Its place is free again.
        onChange()
    }

    private func follow(
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
        state.withLock { state in
            state.opening.removeValue(forKey: id)
            state.entries[id] = Entry(
                record: record, live: live, subscription: subscription, source: source, bridge: bridge, programs: programs)
            state.order.append(id)
            onKept(record)
            publish(EventText.callCreated, record)
        }
        counters.noteBegin(record.direction)
        programs.use(record.audio.line)
        // What happened before anybody knew of it.
        carry(id)
        onChange()
        return self.record(id) ?? record
    }

    /// A browser's call has a place for late candidates.
    func attach(_ browser: BrowserConversation, to id: String) {
        state.withLock { state in
            if state.entries[id]?.live != nil { state.entries[id]?.browser = browser }
        }
    }

    /// The calls that a browser is the handset of, to be joined by another one.
    package func bridge(of handset: String) throws(Problem) -> CallBridge {
        let found = state.withLock { state -> CallBridge? in
            guard let entry = state.entries[handset], entry.isRunning else { return nil }
            return entry.browser?.bridge
        }
        guard let found else {
            throw .badField(
                "audio.handset",
                "no browser is here as handset '\(handset.prefix(80))'; make one by POST /v1/webrtc?handset=true")
        }
        return found
    }

    /// Where a call that is not over hears others; `nil`: nowhere.
    func sharedBridge(of id: String) -> CallBridge? {
        state.withLock { state in state.entries[id].flatMap { $0.isRunning ? $0.bridge : nil } }
    }

    /// Takes note of the audio end that a call has now, and tells it.
    /// - Parameter recording: name of the file that it makes.
    func note(_ audio: AudioEnd, _ bridge: CallBridge?, recording: String? = nil, of id: String) {
        state.withLock { state in
            guard var entry = state.entries[id], entry.isRunning else { return }
            (entry.record.audio, entry.record.recording, entry.bridge) = (audio, recording, bridge)
            state.entries[id] = entry
            publish(EventText.callAudio, entry.record)
        }
        try? programs(of: id).use(audio.line)
        onChange()
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

    /// Hands a browser's late candidates on.
    func trickle(_ id: String, _ fragment: [UInt8]) throws(Problem) -> String? {
        guard let browser = state.withLock({ $0.entries[id]?.browser }) else { throw .conflict("the call is over") }
        do throws(SoftphoneError) { return try browser.trickle(fragment) } catch {
            throw Problem(400, "the fragment cannot be used", error.description)
        }
    }

    /// What a call was made for may be over by now.
    func lookAgain() { onChange() }

    private func takePlace(_ kind: CallRecord.Kind, of source: IPAddress?) throws(Problem) -> String {
        try state.withLock { state throws(Problem) in
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
        guard connecting.count < capacity - capacity / 4 else {
            throw Problem(
                503, "too many calls are connecting", "offers wait for their browsers; try again later", retryAfterSeconds: 5)
        }
    }

    // MARK: Calls go on

    /// Brings a call's events into its record and to the subscribers, and keys to its programs.
    private func carry(_ id: String) {
        var told: [(CallRecord, EventBody)] = []
        var digits: [Character] = []
        let (hasEnded, programs) = state.withLock { state -> (Bool, CallPrograms?) in
            guard var entry = state.entries[id], let subscription = entry.subscription else { return (false, nil) }
            let was = entry.record.state
            for event in subscription.take().values {
                if case .dtmf(let digit, .received) = event.body { digits += digit }
                entry.record.take(event)
                counters.note(event, of: entry.record)
                // Figures are asked for instead.
                if case .stats = event.body { continue }
                publish(event.body, entry.record, time: event.time)
                told.append((entry.record, event.body))
            }
            state.entries[id] = entry
            guard was != .ended, entry.record.state == .ended else { return (false, entry.programs) }
            counters.noteEnd(entry.record)
            onKept(entry.record)
            state.ended.append(id)
            return (true, entry.programs)
        }
        for digit in digits { programs?.hear(digit: digit) }
        if hasEnded { onChange() }
        guard !told.isEmpty, let watcher = watcher.withLock({ $0 }) else { return }
        for (record, body) in told { watcher.told(record, body) }
    }

    private func publish(_ body: EventBody, _ record: CallRecord, time: Timestamp) {
        publish(Event(body, callID: record.id, time: time).json, body.type, record)
    }

    private func publish(_ type: String, _ record: CallRecord) {
        let value = JSONValue.object([
            JSONMember("type", .string(type)), JSONMember("time", .string(Timestamp.now().text)),
            JSONMember("call_id", .string(record.id)),
        ])
        publish(value, type, record)
    }

    /// Every event of a call has the whole call in it.
    private func publish(_ value: JSONValue, _ type: String, _ record: CallRecord) {
        guard case .object(let members) = value else { return }
        spool.publish(type: type, .object(members + [JSONMember("call", record.json)]))
    }

    /// Does something to a call, where its state allows it.
    /// - Parameters:
    ///   - check: refuses, or changes the record.
    ///   - act: is done to the call itself.
    package func change(
        _ id: String, _ check: (inout CallRecord) throws(Problem) -> Void, _ act: (any LiveCall) -> Void = { _ in }
    ) throws(Problem) -> CallRecord {
        let (live, record, isChanged, programs) = try state.withLock { state throws(Problem) in
            guard var entry = state.entries[id] else { throw .noCall(id) }
            let was = entry.record.isMuted
            try check(&entry.record)
            state.entries[id] = entry
            return (entry.live, entry.record, was != entry.record.isMuted, entry.programs)
        }
        programs.use(record.audio.line)
        if let live { act(live) }
        if isChanged { publish(record.isMuted ? EventText.callMuted : EventText.callUnmuted, record) }
        return self.record(id) ?? record
    }

    // MARK: Looking

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
                if let entry = state.entries[id], entry.live != nil { counters.note(event, of: entry.record) }
            }
        }
    }

    /// Oldest first.
    package var records: [CallRecord] { state.withLock { state in state.order.compactMap { state.entries[$0]?.record } } }

    /// Calls that are not closed yet, or being made.
    package var running: Int { state.withLock { state in state.opening.count + state.entries.values.count { $0.live != nil } } }

    /// How many calls more would be let in now.
    package var headroom: Int {
        let free = state.withLock { state in
            state.isDraining ? 0 : max(0, state.capacity - state.opening.count - state.entries.values.count { $0.live != nil })
        }
        return free > 0 && isMemoryShort() ? 0 : free
    }

    package var isDraining: Bool { state.withLock { $0.isDraining } }

    // MARK: Calls end

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
            let over = state.order.filter { state.entries[$0]?.live == nil }
            for old in over.dropLast(Self.remembered) {
                state.entries[old] = nil
                state.order.removeAll { $0 == old }
            }
            return entry.record
        }
        if let record, let report { publish(.report(report), record, time: .now()) }
    }

    /// No call begins any more.
    package func drain() { state.withLock { $0.isDraining = true } }

    package func hangUpAll() {
        for live in state.withLock({ $0.entries.values.compactMap(\.live) }) { live.hangUp(byDuration: false) }
    }

    /// Closes all calls, in whatever state they are.
    package func closeAll() {
        let all = state.withLock { state in
            state.order.compactMap { id in state.entries[id]?.live.map { (id: id, live: $0) } }
        }
        for (id, live) in all { close(id, live) }
    }
}
