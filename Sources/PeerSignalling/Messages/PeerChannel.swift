import Realtime

/// Carries messages both ways, whole, once and in order, over datagrams that may be lost, doubled or overtaken.
///
/// One message is under way at a time, all its parts at once. What has no receipt is sent again after 200, 400, 800 ms and so
/// on, at most 1.6 s. Sans-I/O: datagrams and time come in, datagrams and messages go out.
struct PeerChannel: Sendable {
    static let firstWaitMilliseconds = 200.0
    static let longestWaitMilliseconds = 1600.0
    /// Messages that wait to be sent; more are refused.
    static let mostWaiting = 16
    /// Datagrams of ours that wait to be taken.
    private static let mostDatagrams = 64

    private var waiting: [[UInt8]] = []
    private var number: UInt32 = 0
    /// Of the message under way, those without a receipt; empty: none is.
    private var pending: [PeerFrame] = []
    private var wait = firstWaitMilliseconds
    private var due: HostTime?
    /// Since when the message under way has had no receipt; nil: none is.
    private(set) var waitingSince: HostTime?

    private var expected: UInt32 = 1
    /// Of the message that is expected, the parts that have come.
    private var parts: [[UInt8]?] = []

    private var datagrams: [[UInt8]] = []
    /// Datagrams that were no frames, or did not fit what came before.
    private(set) var dropped = 0

    /// Whether everything that was sent has arrived.
    var isIdle: Bool { pending.isEmpty && waiting.isEmpty }

    /// - Returns: false when the message is too long, or too many wait.
    mutating func send(_ message: [UInt8], now: HostTime) -> Bool {
        guard !message.isEmpty, message.count <= PeerFrame.longestPart * PeerFrame.mostParts,
            waiting.count < Self.mostWaiting
        else { return false }
        waiting.append(message)
        sendNext(now)
        return true
    }

    private mutating func sendNext(_ now: HostTime) {
        guard pending.isEmpty, !waiting.isEmpty else { return }
        let message = waiting.removeFirst()
        number += 1
        let starts = Array(stride(from: 0, to: message.count, by: PeerFrame.longestPart))
        pending = starts.enumerated().map { part, start in
            let end = min(start + PeerFrame.longestPart, message.count)
            return PeerFrame(.part, number: number, part: part, parts: starts.count, bytes: Array(message[start..<end]))
        }
        waitingSince = now
        wait = Self.firstWaitMilliseconds
        sendPending(now)
    }

    private mutating func sendPending(_ now: HostTime) {
        for frame in pending { put(frame) }
        due = now.advanced(byMilliseconds: wait)
    }

    private mutating func put(_ frame: PeerFrame) {
        if datagrams.count < Self.mostDatagrams { datagrams.append(frame.datagram) }
    }

    /// Takes a datagram.
    /// - Returns: the message that is whole by it.
    mutating func receive(_ datagram: [UInt8], now: HostTime) -> [UInt8]? {
        guard let frame = PeerFrame(datagram) else {
            dropped += 1
            return nil
        }
        switch frame.kind {
        case .receipt:
            pending.removeAll { $0.number == frame.number && $0.part == frame.part }
            if pending.isEmpty {
                (due, waitingSince) = (nil, nil)
                sendNext(now)
            }
            return nil
        case .part: return receive(part: frame)
        }
    }

    private mutating func receive(part frame: PeerFrame) -> [UInt8]? {
        // Whoever says a message before the last one had its receipt does not keep to the protocol.
        guard frame.number <= expected, frame.number < expected || parts.isEmpty || parts.count == frame.parts else {
            dropped += 1
            return nil
        }
        put(PeerFrame(.receipt, number: frame.number, part: frame.part, parts: frame.parts))
        guard frame.number == expected else { return nil }
        if parts.isEmpty { parts = Array(repeating: nil, count: frame.parts) }
        parts[frame.part] = frame.bytes
        guard parts.allSatisfy({ $0 != nil }) else { return nil }
        defer {
            parts = []
            expected += 1
        }
        return parts.flatMap { $0 ?? [] }
    }

    /// Time passes: what has no receipt is sent again.
    mutating func advance(to now: HostTime) {
        guard let due, now >= due, !pending.isEmpty else { return }
        wait = min(2 * wait, Self.longestWaitMilliseconds)
        sendPending(now)
    }

    /// When `advance` next has something to do; nil when it has not.
    var nextDeadline: HostTime? { pending.isEmpty ? nil : due }

    /// What is to be sent, oldest first.
    mutating func takeDatagrams() -> [[UInt8]] {
        defer { datagrams = [] }
        return datagrams
    }
}
