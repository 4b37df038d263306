import Realtime
import Reporting

/// What goes between a running call and the rest of the program: commands in, events and figures out.
public final class CallChannel: Sendable {
    private let commands = Lock<[CallCommand]>([])
    private let bell: Bell
    /// What the call tells, in order.
    public let events: Mailbox<CallEvent>
    private let remoteAddress = Lock<String?>(nil)
    private let snapshot = Lock<CallStatistics>(CallStatistics())

    /// - Parameter bell: what the media thread waits for.
    init(bell: Bell) throws(RealtimeError) {
        self.bell = bell
        events = try Mailbox()
    }

    /// Asks something of the call; it is done within a few milliseconds.
    public func send(_ command: CallCommand) {
        commands.withLock { $0.append(command) }
        bell.ring()
    }

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

    /// Address of the other side as first heard, `HOST:PORT`; `nil` before.
    public var remote: String? { remoteAddress.withLock { $0 } }

    func setRemote(_ address: String?) { remoteAddress.withLock { $0 = address } }

    func publish(_ statistics: CallStatistics) { snapshot.withLock { $0 = statistics } }
}
