import Link
import Media
import Metrics
import Realtime

/// What goes between a running call and the rest of the program: commands in, events and figures out.
public final class CallChannel: Sendable {
    private let commands = Lock<[CallCommand]>([])
    private let bell: Bell
    /// What the call tells, in order; what the other side could cause without end is limited.
    public let events: Mailbox<LiveCallEvent>
    private let gate: EventGate
    private let remoteAddress = Lock<SocketAddress?>(nil)
    private let snapshot = Lock<CallStatistics>(CallStatistics())
    private let network = Lock<LinkStatistics>(LinkStatistics())
    private let released = Bell()

    /// - Parameter bell: what the media thread waits for.
    init(bell: Bell) throws(RealtimeError) {
        self.bell = bell
        let gate = EventGate()
        self.gate = gate
        events = try Mailbox { event in gate.state.withLock { $0.admit(event, at: .monotonicNow()) } }
    }

    /// Asks something of the call; it is done within a few milliseconds.
    public func send(_ command: CallCommand) {
        commands.withLock { $0.append(command) }
        bell.ring()
    }

    /// Whether something was asked that was not taken yet.
    var hasCommands: Bool { commands.withLock { !$0.isEmpty } }

    /// Everything asked since the last time, oldest first.
    func takeCommands() -> [CallCommand] {
        commands.withLock { waiting in
            guard !waiting.isEmpty else { return [] }
            defer { waiting.removeAll(keepingCapacity: true) }
            return waiting
        }
    }

    /// The latest figures, at most 200 ms old while the call lasts.
    public var statistics: CallStatistics { snapshot.withLock { $0 } }

    /// What the call's link counted, as old as the figures.
    public var linkStatistics: LinkStatistics { network.withLock { $0 } }

    /// Where packets go, as last learnt; `nil` before the other side was heard.
    public var remote: SocketAddress? { remoteAddress.withLock { $0 } }

    func setRemote(_ address: SocketAddress?) { remoteAddress.withLock { $0 = address } }

    /// The media thread has let go of the call's link and socket.
    func noteReleased() { released.ring() }

    /// Waits for that; for one thread.
    /// - Returns: whether it has happened.
    func waitUntilReleased(until deadline: HostTime) -> Bool { released.waitUntilRung(until: deadline) }

    /// Renews the figures; also tells what the limit on events left out.
    func publish(_ statistics: CallStatistics, network counters: LinkStatistics) {
        snapshot.withLock { $0 = statistics }
        network.withLock { $0 = counters }
        for notice in gate.state.withLock({ $0.takeNotices(at: .monotonicNow()) }) { events.post(notice) }
    }
}

/// The limit on events, where every thread that posts finds it.
private final class EventGate: Sendable {
    let state = Lock(CallEventGate())
}
