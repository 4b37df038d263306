import CPulse
import Glibc
import Realtime

/// One private connection to the sound server (PulseAudio, or PipeWire in its place) on a thread of its own.
///
/// Sleeps until the server tells a change; then everything is asked again, 20 ms later, so that a burst of changes is one
/// question. When the server is gone it is looked for until it is back.
///
/// Sendable: any thread may fill the locked inbox and wake the main loop, which libpulse allows; all that changes is the link's
/// thread's.
final class PulseLink: @unchecked Sendable {
    /// Who is told, on the link's thread.
    struct Listener: Sendable {
        /// True asks for another look in a second.
        var snapshot: @Sendable (ServerSnapshot) -> Bool
        var lost: @Sendable (_ reason: String) -> Void
    }

    private struct Inbox {
        var actions: [SessionAction] = []
        var mark: String?
        var isStopping = false
    }

    static let settleMilliseconds = 20.0
    static let recheckMilliseconds = 1000.0
    static let retryMilliseconds = 250.0
    /// What was asked of the server before the end is waited for this long.
    static let flushMilliseconds = 500.0

    let library: cpulse_library
    private let server: String?
    private let listener: Listener
    private let mainloop: OpaquePointer
    private let inbox = Lock(Inbox())

    // The thread's own.
    private(set) var context: OpaquePointer?
    private var mark: String
    /// What other sessions know of it; `nil` before the first connection.
    private var toldMark: String?
    private var isReady = false
    private var failure: String?
    private var nextAttempt = HostTime.zero
    private var dirtySince: HostTime?
    private var outstanding = 0
    private var deadline: HostTime?
    private var isStale = false
    var gathering: ServerSnapshot?
    var unanswered = 0

    /// Loads libpulse; connects once it runs.
    /// - Parameters:
    ///   - server: address, `nil` for the user's own.
    ///   - mark: what our connection tells other sessions (`ServerClient.session`).
    init(server: String?, mark: String, listener: Listener) throws(SessionLimit) {
        var library = cpulse_library()
        if let reason = cpulse_load(&library) {
            throw .needsSoundServer("this", reason: String(cString: reason))
        }
        guard let mainloop = library.pa_mainloop_new() else { throw .needsSoundServer("this", reason: "out of memory") }
        (self.library, self.mainloop, self.server) = (library, mainloop, server)
        (self.listener, self.mark) = (listener, mark)
    }

    deinit { library.pa_mainloop_free(mainloop) }

    /// Any thread: to be done, in order.
    func send(_ actions: [SessionAction], mark: String? = nil) {
        inbox.withLock { inbox in
            inbox.actions += actions
            if let mark { inbox.mark = mark }
        }
        library.pa_mainloop_wakeup(mainloop)
    }

    /// Any thread: `run` returns once what was sent before is done, or after `flushMilliseconds`.
    func stop() {
        inbox.withLock { $0.isStopping = true }
        library.pa_mainloop_wakeup(mainloop)
    }

    /// The thread's life.
    func run() {
        while turn() {
            let wait =
                failure != nil
                ? 0 : min(untilAttempt ?? .infinity, untilReading ?? .infinity, deadline == nil ? .infinity : 20)
            let microseconds = wait.isFinite ? Int32(max(0, min(wait, 60_000)) * 1000) : -1
            guard library.pa_mainloop_prepare(mainloop, microseconds) >= 0, library.pa_mainloop_poll(mainloop) >= 0,
                library.pa_mainloop_dispatch(mainloop) >= 0
            else { break }
        }
        disconnect()
    }

    private var untilAttempt: Double? { context == nil ? nextAttempt.milliseconds(since: .monotonicNow()) : nil }
    private var untilReading: Double? {
        guard gathering == nil, isReady, let dirtySince else { return nil }
        return dirtySince.milliseconds(since: .monotonicNow()) + Self.settleMilliseconds
    }

    /// What is due now; false at the end.
    private func turn() -> Bool {
        let now = HostTime.monotonicNow()
        if let failure { lose(failure) }
        let work = inbox.withLock { inbox -> Inbox in
            defer { inbox.actions = [] }
            return inbox
        }
        perform(work)
        if work.isStopping {
            if deadline == nil { deadline = now.advanced(byMilliseconds: Self.flushMilliseconds) }
            return isReady && outstanding > 0 && deadline.map { now < $0 } ?? false
        }
        if context == nil, now >= nextAttempt { connect() }
        if let due = untilReading, due <= 0 { read() }
        return true
    }

    private func perform(_ work: Inbox) {
        mark = work.mark ?? mark
        tellMark()
        guard isReady, !work.actions.isEmpty else { return }
        for action in work.actions { carry { perform(action, $0, $1, $2) } }
        // What is being read may be older than these changes.
        isStale = gathering != nil
        markDirty()
    }

    /// Tells other sessions what has changed since they were told; a connection that is being made tells it once it is ready.
    private func tellMark() {
        guard isReady, mark != toldMark else { return }
        toldMark = mark
        carry { tell(mark: mark, $0, $1, $2) }
    }

    /// Sends a request whose answer is counted.
    private func carry(
        _ request: (OpaquePointer, @escaping pa_context_success_cb_t, UnsafeMutableRawPointer) -> OpaquePointer?
    ) {
        guard let context else { return }
        let operation = request(
            context, { _, _, link in link.map { PulseLink.from($0).outstanding -= 1 } }, pointer)
        guard let operation else { return }
        outstanding += 1
        library.pa_operation_unref(operation)
    }

    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
    static func from(_ pointer: UnsafeMutableRawPointer) -> PulseLink {
        Unmanaged<PulseLink>.fromOpaque(pointer).takeUnretainedValue()
    }
}

extension PulseLink {
    static let markProperty = "yodel.session"

    private func connect() {
        nextAttempt = HostTime.monotonicNow().advanced(byMilliseconds: Self.retryMilliseconds)
        let properties = library.pa_proplist_new()
        _ = library.pa_proplist_sets(properties, Self.markProperty, mark)
        toldMark = mark
        context = library.pa_context_new_with_proplist(library.pa_mainloop_get_api(mainloop), "yodel session", properties)
        library.pa_proplist_free(properties)
        guard let context else { return fail("out of memory") }
        library.pa_context_set_state_callback(
            context, { _, link in link.map { PulseLink.from($0).stateChanged() } }, pointer)
        library.pa_context_set_subscribe_callback(
            context, { _, _, _, link in link.map { PulseLink.from($0).markDirty() } }, pointer)
        if library.pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) < 0 { failWithErrno() }
    }

    private func stateChanged() {
        guard let context else { return }
        switch library.pa_context_get_state(context) {
        case PA_CONTEXT_READY:
            isReady = true
            tellMark()
            let mask =
                PA_SUBSCRIPTION_MASK_SINK.rawValue | PA_SUBSCRIPTION_MASK_SOURCE.rawValue
                | PA_SUBSCRIPTION_MASK_SINK_INPUT.rawValue | PA_SUBSCRIPTION_MASK_SOURCE_OUTPUT.rawValue
                | PA_SUBSCRIPTION_MASK_SERVER.rawValue | PA_SUBSCRIPTION_MASK_CARD.rawValue
                | PA_SUBSCRIPTION_MASK_CLIENT.rawValue
            carry { library.pa_context_subscribe($0, pa_subscription_mask_t(mask), $1, $2) }
            markDirty()
        case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED: failWithErrno()
        default: break
        }
    }

    fileprivate func markDirty() {
        let now = HostTime.monotonicNow()
        dirtySince = dirtySince.map { min($0, now) } ?? now
    }

    private func failWithErrno() {
        let code = context.map { library.pa_context_errno($0) } ?? 0
        fail(library.pa_strerror(code).map { String(cString: $0) } ?? "unknown reason")
    }

    /// Inside libpulse's callbacks nothing is taken down.
    private func fail(_ reason: String) {
        isReady = false
        failure = reason
    }

    private func lose(_ reason: String) {
        disconnect()
        failure = nil
        listener.lost(reason)
    }

    private func disconnect() {
        if let context {
            library.pa_context_set_state_callback(context, nil, nil)
            library.pa_context_disconnect(context)
            library.pa_context_unref(context)
        }
        context = nil
        isReady = false
        gathering = nil
        isStale = false
        dirtySince = nil
        (unanswered, outstanding) = (0, 0)
    }

    private func read() {
        dirtySince = nil
        startReading()
    }

    /// All answers are there.
    func finishReading() {
        guard let snapshot = gathering else { return }
        gathering = nil
        if isStale {
            isStale = false
            return markDirty()
        }
        if listener.snapshot(snapshot), dirtySince == nil {
            dirtySince = HostTime.monotonicNow().advanced(byMilliseconds: Self.recheckMilliseconds)
        }
    }
}
