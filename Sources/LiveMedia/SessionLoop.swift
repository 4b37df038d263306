import Realtime
import Threads

/// A thread that sessions without a device share: it is there as long as there are some.
///
/// ```
/// TickWheel: whose turn? -> DeviceTurns: a period passes -> SessionTurns: packets, codecs, packets
/// ```
final class SessionLoop: Sendable {
    private struct State {
        var arrivals: [HandedOver<SeatedSession>] = []
        /// Those that have come and not gone.
        var sessions = 0
        /// Share of a core that its thread used in the last second, 0...1.
        var load = 0.0
        /// What its thread was granted; nil: there is none.
        var policy: ThreadPolicy?
    }

    /// What its thread is woken by between turns.
    let bell = Bell()
    /// The core that its thread is tied to, counted as by `CoreAffinity`; nil: none.
    let core: Int?
    private let wanted: ThreadPolicy
    private let state = Lock(State())
    /// Share of a core that a session is taken for until it is measured with the others.
    private static let usualLoad = 0.01

    /// - Parameters:
    ///   - policy: what is asked for its thread.
    ///   - core: that it is tied to, where the system allows it; nil: none.
    init(policy: ThreadPolicy, core: Int?) { (wanted, self.core) = (policy, core) }

    /// How much it has to do; for comparison with others.
    var weight: Double { state.withLock { $0.load + Self.usualLoad * Double($0.sessions) } }

    /// Takes a session in, of which its owner keeps `SeatedSession.gone` only. Its channels ring the loop's bell.
    /// - Parameter session: which.
    /// - Returns: what the thread was granted.
    /// - Throws: there is no thread.
    func enter(_ session: SeatedSession) throws(RealtimeError) -> ThreadPolicy {
        let arrival = HandedOver(value: session)
        let policy = try state.withLock { state throws(RealtimeError) -> ThreadPolicy in
            let policy = if let granted = state.policy { granted } else { try start() }
            state.policy = policy
            state.arrivals.append(arrival)
            state.sessions += 1
            return policy
        }
        bell.ring()
        return policy
    }

    private func start() throws(RealtimeError) -> ThreadPolicy {
        let thread = try RealtimeThread(name: "calls", policy: wanted, owning: SessionLoopThread(self)) { $0.run() }
        return thread.granted
    }

    /// Who has come since the last time.
    /// - Returns: nil: nobody is there, and the thread ends.
    func takeArrivals() -> [SeatedSession]? {
        let arrivals = state.withLock { state -> [HandedOver<SeatedSession>]? in
            guard state.sessions > 0 else {
                (state.policy, state.load) = (nil, 0)
                return nil
            }
            defer { state.arrivals = [] }
            return state.arrivals
        }
        return arrivals?.map(\.value)
    }

    /// What its thread used of a core in the last second, 0...1.
    func note(load: Double) { state.withLock { $0.load = load } }

    /// A session has gone.
    func leave() { state.withLock { $0.sessions -= 1 } }
}
