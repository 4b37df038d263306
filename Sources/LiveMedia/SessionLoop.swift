import Media
import Realtime
import Threads

/// A thread that sessions without a device share: it is there as long as there are some.
///
/// ```
/// SessionRounds: whose turn? -> DeviceTurns: a period passes -> SessionTurns: packets, codecs, packets
/// ```
final class SessionLoop: Sendable {
    private struct State {
        var arrivals: [HandedOver<SeatedSession>] = []
        /// Those that have come and not gone.
        var sessions = 0
        /// How its thread kept up in the last second, and the share of a core that it used, 0...1.
        var figures = LoopFigures()
        var processorShare = 0.0
        /// What its time went into, in cores.
        var stages: [PortStage: Double] = [:]
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
    var weight: Double {
        state.withLock { $0.sessions > 0 ? $0.processorShare + Self.usualLoad * Double($0.sessions) : 0 }
    }

    /// Whether somebody new is let in. Where nobody is nothing is late.
    var admits: Bool { state.withLock { $0.sessions == 0 || $0.figures.admits } }

    /// How it fares; nil: nobody is there.
    var figures: SessionLoopFigures? {
        state.withLock { state in
            guard state.sessions > 0 else { return nil }
            return SessionLoopFigures(
                threads: 1, sessions: state.sessions, processorShare: state.processorShare, stages: state.stages,
                loop: state.figures)
        }
    }

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
                (state.policy, state.figures, state.processorShare, state.stages) = (nil, LoopFigures(), 0, [:])
                return nil
            }
            defer { state.arrivals = [] }
            return state.arrivals
        }
        return arrivals?.map(\.value)
    }

    /// How its thread fares.
    /// - Parameters:
    ///   - figures: how it keeps up.
    ///   - share: of a core that it used since the last time, 0...1.
    ///   - stages: what its time went into, in cores.
    func note(_ figures: LoopFigures, processorShare share: Double, stages: [PortStage: Double]) {
        state.withLock { ($0.figures, $0.processorShare, $0.stages) = (figures, share, stages) }
    }

    /// A session has gone.
    func leave() { state.withLock { $0.sessions -= 1 } }
}
