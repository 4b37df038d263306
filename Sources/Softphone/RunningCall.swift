import Glibc
import Media
import Metrics
import Realtime
import Reporting
import Synchronization
import Threads

/// A call that any thread may use. A thread of its own carries the events to the subscribers, whatever these do.
final class RunningCall: LiveCall {
    var parties: Int { core.call.withLock { $0.parties } }
    private let core: CallCore
    private let thread: Lock<RealtimeThread?>

    /// - Parameter call: has begun.
    /// - Throws: no descriptor or thread is left; the call is closed.
    init(_ call: sending any OwnedCall) throws(RealtimeError) {
        let core = try CallCore(call)
        self.core = core
        do throws(RealtimeError) { thread = Lock(try RealtimeThread(name: "events", owning: core) { $0.run() }) } catch {
            core.abandon()
            throw error
        }
    }

    deinit { _ = close() }

    func subscribe(
        capacity: Int, onReady: (@Sendable () -> Void)?
    ) throws(SoftphoneError) -> EventSubscription<PartyEvent> {
        do {
            return try core.events.subscribe(capacity: capacity, onReady: onReady)
        } catch {
            throw .resources("\(error)")
        }
    }

    var failure: SoftphoneError? { core.call.withLock { $0.failure } }
    var wasCall: Bool { core.call.withLock { $0.wasCall } }
    func endReason(of party: Int) -> Media.EndReason? { core.call.withLock { $0.endReason(of: party) } }
    func statistics(of party: Int) -> CallStatistics { core.call.withLock { $0.statistics(of: party) } }
    func answer(through bridge: CallBridge?) { core.command { $0.answer(through: bridge) } }
    func setMuted(_ muted: Bool) { core.command { $0.setMuted(muted) } }
    func setHeld(_ held: Bool) { core.command { $0.setHeld(held) } }
    var isHeld: Bool { core.call.withLock { $0.isHeld } }
    func setVolume(decibels: Int) { core.command { $0.setVolume(decibels: decibels) } }
    func send(digit: Character) { core.command { $0.send(digit: digit) } }
    func transfer(to target: String) throws(SoftphoneError) {
        try core.attempt { call throws(SoftphoneError) in try call.transfer(to: target) }
    }
    func send(text: String) throws(SoftphoneError) {
        try core.attempt { call throws(SoftphoneError) in try call.send(text: text) }
    }
    func record(to path: String?) throws(SoftphoneError) {
        try core.attempt { call throws(SoftphoneError) in try call.record(to: path) }
    }
    func take(_ sound: CallSound) throws(SoftphoneError) {
        try core.attempt { call throws(SoftphoneError) in try call.take(sound) }
    }
    var dialogs: [String] { core.call.withLock { $0.dialogs } }
    var captures: [String] { core.call.withLock { $0.captures } }

    func listen(at tap: CallTap?) throws(SoftphoneError) {
        try core.attempt { call throws(SoftphoneError) in try call.listen(at: tap) }
    }
    var transferPlace: TransferPlace? { core.call.withLock { $0.transferPlace } }
    func transfer(replacing place: TransferPlace) throws(SoftphoneError) {
        try core.attempt { call throws(SoftphoneError) in try call.transfer(replacing: place) }
    }
    func dial(_ target: String) throws(SoftphoneError) {
        try core.attempt { call throws(SoftphoneError) in try call.dial(target) }
    }
    func switchCalls() throws(SoftphoneError) { try core.attempt { call throws(SoftphoneError) in try call.switchCalls() } }
    func join() throws(SoftphoneError) { try core.attempt { call throws(SoftphoneError) in try call.join() } }
    func hangUpActive() -> Bool {
        defer { core.wake() }
        return core.call.withLock { $0.hangUpActive() }
    }
    func hangUp(byDuration: Bool) { core.command { $0.hangUp(byDuration: byDuration) } }
    func leave() { core.command { $0.leave() } }

    func close() -> [(party: Int, report: CallReport)] {
        guard let running = thread.withLock({ $0.take() }) else { return [] }
        core.stop()
        running.join()
        ProcessMemory.letGo(of: .call)
        return core.close()
    }
}

/// What the owner of a call and its events thread share.
private final class CallCore: Sendable {
    let call: Lock<any OwnedCall>
    let events = EventFanOut<PartyEvent>()
    /// Wakes the events thread, which else waits for the call's own signals.
    private let bell: EventSignal
    private let isStopping = Atomic(false)

    init(_ call: sending any OwnedCall) throws(RealtimeError) {
        do throws(RealtimeError) { bell = try EventSignal() } catch {
            _ = call.close()
            throw error
        }
        self.call = Lock(call)
    }

    /// Closes a call of which nothing was told yet: who calls is refused.
    func abandon() { _ = call.withLock { $0.close() } }

    deinit { bell.close() }

    /// Files are looked after twice a second.
    private static let longestWaitMilliseconds = 500.0
    /// After so long what a phase has opened is open.
    private static let phaseMilliseconds = 1000.0

    /// Carries events until `stop`.
    func run() {
        var phases = [Self.phase(.waiting)]
        while !isStopping.load(ordering: .acquiring) {
            let (own, deadline, isLookedAfter) = call.withLock { ($0.eventDescriptors, $0.nextDeadline, $0.isLookedAfter) }
            let descriptors = own + [bell.fileDescriptor]
            var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let next = [deadline, phases.first?.end].compactMap(\.self).min()
            poll(&entries, nfds_t(entries.count), Self.wait(until: next, isLookedAfter: isLookedAfter))
            bell.drain()
            if carry() { phases.append(Self.phase(.beginning)) }
            while let phase = phases.first, phase.end <= .monotonicNow() {
                ProcessMemory.letGo(of: phases.removeFirst().kind)
            }
        }
    }

    private static func phase(_ kind: ProcessMemory.Phase) -> (kind: ProcessMemory.Phase, end: HostTime) {
        (kind, .monotonicNow().advanced(byMilliseconds: phaseMilliseconds))
    }

    /// Milliseconds, the begun one too; -1: until something comes.
    private static func wait(until deadline: HostTime?, isLookedAfter: Bool) -> Int32 {
        let longest = isLookedAfter ? longestWaitMilliseconds : nil
        let left = deadline.map { max(0, $0.milliseconds(since: .monotonicNow()).rounded(.up)) }
        return [longest, left].compactMap(\.self).min().map { Int32(clamping: Int($0)) } ?? -1
    }

    func stop() {
        isStopping.store(true, ordering: .releasing)
        bell.signal()
    }

    /// Does something to the call, and looks at once at what came of it.
    func command(_ body: (any OwnedCall) -> Void) {
        call.withLock { body($0) }
        bell.signal()
    }

    /// Looks at once at what happened.
    func wake() { bell.signal() }

    /// The same for what may be refused.
    func attempt(_ body: (any OwnedCall) throws(SoftphoneError) -> Void) throws(SoftphoneError) {
        try call.withLock { call throws(SoftphoneError) in try body(call) }
        bell.signal()
    }

    /// Ends the call, once `run` has returned.
    func close() -> [(party: Int, report: CallReport)] {
        carry()
        let reports = call.withLock { $0.close() }
        carry()
        events.finish()
        return reports
    }

    /// - Returns: whether media have begun.
    @discardableResult
    private func carry() -> Bool {
        let taken = call.withLock { $0.takeEvents() }
        let time = Timestamp.now()
        events.publish(taken.map { PartyEvent(party: $0.party, body: $0.body, time: time) })
        return taken.contains { if case .callStarted = $0.body { true } else { false } }
    }
}
