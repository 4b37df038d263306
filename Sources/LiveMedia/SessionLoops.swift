import Realtime
import Threads

/// The threads that sessions without a device share: as many as there are cores, each only while it has sessions.
public final class SessionLoops: Sendable {
    private static let unpinned = SessionLoops(count: CoreAffinity.cores)
    private static let pinned = SessionLoops(count: CoreAffinity.cores, pinsThreads: true)

    /// Those of this process.
    /// - Parameter isPinned: whether each thread is tied to a core, where the system allows it.
    /// - Returns: the same for all who want it so.
    public static func shared(pinned isPinned: Bool) -> SessionLoops { isPinned ? pinned : unpinned }

    private let realtime: [SessionLoop]
    private let ordinary: [SessionLoop]
    /// The one that is asked first.
    private let first = Lock(0)

    /// - Parameters:
    ///   - count: threads at most, of each kind of scheduling; 1 or more.
    ///   - pinsThreads: whether each is tied to a core, where the system allows it.
    public init(count: Int, pinsThreads: Bool = false) {
        func loops(_ policy: ThreadPolicy) -> [SessionLoop] {
            (0..<max(1, count)).map { SessionLoop(policy: policy, core: pinsThreads ? $0 : nil) }
        }
        (realtime, ordinary) = (loops(.realtime(priority: CallSession.mediaPriority)), loops(.normal))
    }

    /// Whether another session would be served in time. Who comes nevertheless is served too, at the cost of all.
    /// - Parameter isRealtime: whether real-time priority would be asked for.
    public func admits(realtime isRealtime: Bool) -> Bool { loops(realtime: isRealtime).contains(where: \.admits) }

    /// How they fare: sums, and the worst of how they keep up.
    public var figures: SessionLoopFigures {
        (realtime + ordinary).compactMap(\.figures).reduce(into: SessionLoopFigures()) { $0.add($1) }
    }

    private func loops(realtime isRealtime: Bool) -> [SessionLoop] { isRealtime ? realtime : ordinary }

    /// The loop for the next session: of those that keep up the one that has least to do, and of equal ones each in turn.
    /// - Parameter isRealtime: whether real-time priority is asked for.
    func next(realtime isRealtime: Bool) -> SessionLoop {
        let loops = loops(realtime: isRealtime)
        let start = first.withLock { first in
            first = (first + 1) % loops.count
            return first
        }
        let weights = (loops[start...] + loops[..<start]).map { (loop: $0, weight: ($0.admits ? 0 : 1, $0.weight)) }
        return weights.min { $0.weight < $1.weight }?.loop ?? loops[start]
    }
}
