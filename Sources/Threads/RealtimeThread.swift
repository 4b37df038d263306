import CRealtime
import Glibc
import Realtime

/// How a thread is scheduled.
public enum ThreadPolicy: Sendable, Equatable {
    /// As everybody else.
    case normal
    /// SCHED_FIFO at that priority, 1...99; the nearest of these is taken for others.
    case realtime(priority: Int)
}

/// A thread that asks for real-time priority, makes do without, and says which it got.
///
/// It owns its state: nothing of it can be reached from elsewhere except what the state itself shares.
public struct RealtimeThread: ~Copyable, Sendable {
    /// What the system granted.
    public let granted: ThreadPolicy
    private let identifier: pthread_t

    /// Starts the thread.
    /// - Parameters:
    ///   - name: shown by `top -H`; at most 15 bytes count.
    ///   - policy: what is asked for; refused real time (EPERM) becomes ordinary scheduling.
    ///   - stackBytes: the stack's size.
    ///   - state: handed over to the thread.
    ///   - body: the thread's work; it ends the thread by returning.
    public init<State: ~Copyable>(
        name: String, policy: ThreadPolicy = .normal, stackBytes: Int = 512 * 1024,
        owning state: consuming sending State, body: @escaping @Sendable (inout State) -> Void
    ) throws(RealtimeError) {
        nonisolated(unsafe) let place = UnsafeMutablePointer<State>.allocate(capacity: 1)
        place.initialize(to: state)
        let start = ThreadStart(name: name) {
            body(&place.pointee)
            place.deinitialize(count: 1)
            place.deallocate()
        }
        let context = Unmanaged.passRetained(start).toOpaque()
        var granted = policy
        if case .realtime(let priority) = policy { granted = .realtime(priority: min(max(priority, 1), 99)) }
        var created = Self.create(policy: granted, stackBytes: stackBytes, context: context)
        if created.code == EPERM, policy != .normal {
            created = Self.create(policy: .normal, stackBytes: stackBytes, context: context)
            granted = .normal
        }
        guard created.code == 0 else {
            Unmanaged<ThreadStart>.fromOpaque(context).release()
            place.deinitialize(count: 1)
            place.deallocate()
            throw .noThread(name: name, errno: created.code)
        }
        self.granted = granted
        identifier = created.identifier
    }

    private static func create(
        policy: ThreadPolicy, stackBytes: Int, context: UnsafeMutableRawPointer
    ) -> (code: Int32, identifier: pthread_t) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackBytes)
        // Explicit, or the thread would inherit what its creator was given.
        pthread_attr_setinheritsched(&attributes, Int32(PTHREAD_EXPLICIT_SCHED))
        var parameters = sched_param()
        if case .realtime(let priority) = policy {
            pthread_attr_setschedpolicy(&attributes, SCHED_FIFO)
            parameters.sched_priority = Int32(priority)
        } else {
            pthread_attr_setschedpolicy(&attributes, SCHED_OTHER)
        }
        pthread_attr_setschedparam(&attributes, &parameters)
        var identifier = pthread_t()
        let code = pthread_create(
            &identifier, &attributes,
            { context in
                let start = Unmanaged<ThreadStart>.fromOpaque(context!).takeRetainedValue()
                crt_set_thread_name(String(start.name.prefix(15)))
                crt_set_timer_slack(1)
                start.run()
                return nil
            }, context)
        return (code, identifier)
    }

    /// Waits for the thread's end.
    public consuming func join() {
        pthread_join(identifier, nil)
        discard self
    }

    deinit { pthread_detach(identifier) }
}

/// What a starting thread needs to know.
private final class ThreadStart {
    let name: String
    let run: () -> Void

    init(name: String, run: @escaping () -> Void) {
        self.name = name
        self.run = run
    }
}

extension HostTime {
    /// Sleeps the calling thread until this time on the live clock. Not for render threads.
    public func sleepUntil() {
        var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &time, nil) == EINTR {}
    }
}
