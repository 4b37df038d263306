import Glibc
import Realtime
import Threads

/// What a program says about its sound, and what the machine makes of it: category, route, interruptions.
///
/// ```
/// program -> AudioSession -> SessionPolicy (decides) -> PulseLink (sound server)
///                ^ events            ^ snapshots ----------'
/// ```
/// Settings may change at any time; values in force are read while active. Without a sound server everything that needs none
/// works, and the rest says so (`SessionLimit`). From any thread but a render thread; events come on the session's own
/// thread, or on that of the call that caused them.
public final class AudioSession: Sendable {
    let core = SessionCore()
    private let server: String?
    /// Held while `activate` and `deactivate` work: one at a time. The link's thread never takes it but in an event handler
    /// that calls these two; a `deactivate` that waits for that thread then does so for `deactivateMilliseconds` at most.
    private let thread = Lock<LinkThread?>(nil)

    /// How long `deactivate` waits for the server to have taken back what was changed.
    public static let deactivateMilliseconds = 700.0

    /// - Parameter server: address of the sound server; `nil` for the user's own.
    public init(server: String? = nil) { self.server = server }

    deinit { deactivate() }

    public var category: SessionCategory { core.state.withLock { $0.settings.category } }
    public var options: SessionOptions { core.state.withLock { $0.settings.options } }
    /// What category and options do.
    public var effect: CategoryEffect { core.state.withLock { $0.settings.effect } }

    public func setCategory(_ category: SessionCategory, options: SessionOptions = []) {
        core.change { ($0.category, $0.options) = (category, options) }
    }

    /// How much others are lowered, in dB, -60 to 0; -20 unless set.
    public func setDucking(decibels: Double) throws(SessionLimit) {
        guard (-60...0).contains(decibels) else { throw .outOfRange("ducking", allowed: "-60 to 0 dB") }
        core.change { $0.duckingDecibels = decibels }
    }

    /// Where sound shall go, by the id of a port; `nil` leaves it to the sound server. One that is not there is waited for.
    public func setPreferredOutput(_ id: String?) { core.change { $0.preferredOutput = id } }

    /// Where sound shall come from, by the id of a port; `nil` leaves it to the sound server.
    public func setPreferredInput(_ id: String?) { core.change { $0.preferredInput = id } }

    /// The program's word for a silent switch, which no machine of ours has: mutes us in categories that obey it.
    public func setSilentSwitch(_ isOn: Bool) { core.change { $0.silentSwitch = isOn } }

    /// Hands-free: the built-in loudspeaker, whatever else is plugged in; `false` goes back.
    public func overrideOutput(toSpeaker: Bool) throws(SessionLimit) {
        if toSpeaker {
            try needServer("the speaker override")
            let hasSpeaker = core.state.withLock { $0.policy?.canOverride ?? false }
            if !hasSpeaker { throw .noSuchPort("of a built-in speaker") }
        }
        core.change { $0.overridesToSpeaker = toSpeaker }
    }

    /// Who is told; `nil` for nobody.
    public func setEventHandler(_ handler: (@Sendable (SessionEvent) -> Void)?) {
        core.state.withLock { $0.handler = handler }
    }

    public var isActive: Bool { core.state.withLock { $0.policy != nil } }

    /// Takes part: others are mixed with, lowered or silenced as the category says. Active already: ends an
    /// interruption of the program's own.
    /// - Parameter waitMilliseconds: how long to wait for the sound server's first answer, so that the route can be read.
    public func activate(waitMilliseconds: Double = 500) {
        let (isNew, answer) = thread.withLock { begin(&$0) }
        if !isNew { return endInterruption(shouldResume: true) }
        guard let answer else { return }
        defer { close(answer) }
        if waitMilliseconds > 0 {
            var descriptor = pollfd(fd: answer, events: Int16(POLLIN), revents: 0)
            poll(&descriptor, 1, Int32(min(waitMilliseconds, 1e9)))
        }
    }

    /// Takes part, and has the sound server looked for; under the lock.
    /// - Returns: whether it was not active, and the caller's own descriptor, readable once the server has answered or the
    ///   session has ended; `nil` when there is no answer to wait for.
    private func begin(_ thread: inout LinkThread?) -> (isNew: Bool, answer: Int32?) {
        if isActive { return (false, nil) }
        let ready = try? EventSignal()
        let store = DuckingStore()
        let orphans = store?.takeOrphans() ?? []
        let mark = core.state.withLock { state -> String in
            state.policy = SessionPolicy(state.settings, orphans: orphans)
            state.store = store
            state.ready = ready
            state.absence = nil
            return SessionCore.mark(state)
        }
        do throws(SessionLimit) {
            let listener = PulseLink.Listener(
                snapshot: { [weak core] in core?.take($0) ?? false }, lost: { [weak core] in core?.lose($0) })
            let link = try PulseLink(server: server, mark: mark, listener: listener)
            core.state.withLock { $0.link = link }
            thread = LinkThread(link)
            // `deactivate` closes the signal while the caller waits.
            let answer = ready.map { dup($0.fileDescriptor) } ?? -1
            guard answer >= 0 else { return (true, nil) }
            _ = fcntl(answer, F_SETFD, FD_CLOEXEC)
            return (true, answer)
        } catch {
            if case .needsSoundServer(_, let reason) = error { core.state.withLock { $0.absence = reason } }
            return (true, nil)
        }
    }

    /// Puts back what was changed for others, and lets go.
    public func deactivate() {
        thread.withLock { thread in
            guard isActive else { return }
            // Asks the server only: no event is told and no unit is stopped under the lock.
            core.decide { $0.end() }
            thread?.end(milliseconds: Self.deactivateMilliseconds)
            thread = nil
            core.state.withLock { state in
                state.store?.finish(keepsRecords: state.policy?.hasLowered ?? false)
                // Who waits for the first answer need wait no longer.
                state.ready?.signal()
                state.ready?.close()
                (state.policy, state.store, state.link, state.ready) = (nil, nil, nil, nil)
            }
        }
    }

    func needServer(_ what: String) throws(SessionLimit) {
        let (active, reason) = core.state.withLock { ($0.policy != nil, $0.absence) }
        guard active else { throw .notActive }
        if let reason { throw .needsSoundServer(what, reason: reason) }
    }
}

/// The link's thread and a way to wait for its end that a hanging server cannot prolong.
private final class LinkThread: Sendable {
    private let link: PulseLink
    /// Readable once the thread has ended; `nil` when it never began.
    private let finished: EventSignal?

    private struct Body: ~Copyable {
        let link: PulseLink
        let finished: EventSignal
    }

    init(_ link: PulseLink) {
        self.link = link
        finished = Self.start(link)
    }

    /// Not joined: `end` waits for the signal instead, and not for ever.
    private static func start(_ link: PulseLink) -> EventSignal? {
        guard let finished = try? EventSignal() else { return nil }
        do throws(RealtimeError) {
            _ = try RealtimeThread(name: "yodel-session", owning: Body(link: link, finished: finished)) { body in
                body.link.run()
                body.finished.signal()
            }
            return finished
        } catch {
            finished.close()
            return nil
        }
    }

    func end(milliseconds: Double) {
        link.stop()
        guard let finished else { return }
        var descriptor = pollfd(fd: finished.fileDescriptor, events: Int16(POLLIN), revents: 0)
        // A thread that hangs keeps its signal.
        if poll(&descriptor, 1, Int32(milliseconds)) > 0 { finished.close() }
    }
}
