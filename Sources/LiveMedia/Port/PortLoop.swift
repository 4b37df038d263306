import Glibc
import Media
import Network
import Realtime
import Threads

/// Steps the calls of one port by the machine's clock: one thread, one wait a turn for all calls whose turn it is, one reading
/// and one sending of packets in batches.
///
/// Sendable: it cannot be copied and is handed to its thread, which alone uses port and turns from then on.
struct PortLoop: ~Copyable, @unchecked Sendable {
    /// Longest sleep while nobody calls.
    private static let idleMilliseconds: Int32 = 50

    private let port: MediaPort
    private let control: PortControl
    private let core: Int?
    private var turns: PortTurns

    init(_ plan: PortPlan, port: MediaPort, control: PortControl, index: Int, recordings: PortRecordings?) {
        self.port = port
        self.control = control
        core = plan.pinsThreads ? index : nil
        turns = PortTurns(plan, port: port, control: control, index: index, recordings: recordings)
        turns.allowance = ProcessorAllowance()
    }

    /// Runs until it is told to end.
    mutating func run() {
        if let core { turns.isPinned = CoreAffinity.pin(toAllowedCore: core) }
        while true {
            if let reason = control.endReason { return turns.finish(reason) }
            wait()
            turns.turn()
            turns.lookAfter()
        }
    }

    /// While nobody calls a packet wakes it; in a call the clock does.
    private mutating func wait() {
        if let next = turns.nextTurn { return next.sleepUntil() }
        var entry = pollfd(fd: port.fileDescriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, Self.idleMilliseconds)
        turns.startAnew()
    }
}
