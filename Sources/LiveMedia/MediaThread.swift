import Realtime

/// A session's own thread, paced by its device: it waits for the capture ring and the play-out ring, and has a turn when the one has
/// a frame or the other wants to be filled.
///
/// A packet does not wake it: the kernel notes when it came, and nothing is done with it before the next block is pulled.
/// That saves a wake-up for each. Only while a link's handshake runs, each packet wakes it.
///
/// It asks for a real-time priority below the device threads' and makes do without.
///
/// Sendable: it cannot be copied and is handed to its thread, which alone has the turns while it runs.
struct MediaThread: ~Copyable, @unchecked Sendable {
    /// Longest sleep, so that a stalled device does not delay RTCP and time-outs.
    private static let longestWaitMilliseconds = 100.0

    private let turns: SessionTurns
    private let bell: Bell

    /// - Parameters:
    ///   - turns: what it does.
    ///   - bell: what it is woken by.
    init(_ turns: SessionTurns, bell: Bell) { (self.turns, self.bell) = (turns, bell) }

    /// Has turns until every call is over and no more may come.
    mutating func run() {
        while !turns.isOver {
            let longest = HostTime.monotonicNow().advanced(byMilliseconds: Self.longestWaitMilliseconds)
            _ = bell.wait(until: min(longest, turns.nextDeadline ?? longest), orFor: turns.handshakeDescriptors)
            turns.turn()
        }
        turns.finish()
    }
}
