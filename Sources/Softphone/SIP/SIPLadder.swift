import Realtime
import Reporting
import Signalling

/// The messages of the last calls by SIP, for whoever wants to see how a call went; secrets are masked before anybody sees them.
/// Bounded; the oldest call goes first. Any thread may call any function; none waits.
public final class SIPLadder: Sendable {
    /// A message that went or came.
    public struct Step: Sendable {
        public let time: Timestamp
        /// `sent` or `received`.
        public let direction: String
        /// `udp`, `tcp` or `tls`.
        public let transport: String
        /// Address and port of the other side.
        public let remote: String
        private let message: TracedMessage

        init(_ message: TracedMessage, _ time: Timestamp) {
            (self.message, self.time) = (message, time)
            (direction, transport, remote) = (message.direction.rawValue, message.transport, message.remote)
        }

        /// The whole message, its secrets masked.
        public var text: String { message.text }
        var bytes: Int { message.octets.count }
    }

    private struct State {
        var steps: [String: [Step]] = [:]
        /// Oldest first.
        var order: [String] = []
        var bytes = 0
    }

    private let state = Lock(State())

    /// Calls, messages of one, and bytes of all at most.
    package static let callLimit = 256
    package static let stepLimit = 200
    package static let byteLimit = 8 << 20

    public init() {}

    /// Takes note of a message of a call; others are none of its business.
    package func note(_ message: TracedMessage, at time: Timestamp = .now()) {
        guard let call = Self.callID(message.octets) else { return }
        let beginsCall = message.octets.starts(with: Array("INVITE ".utf8))
        state.withLock { state in
            guard state.steps[call] != nil || beginsCall else { return }
            if state.steps[call] == nil { state.order.append(call) }
            guard state.steps[call, default: []].count < Self.stepLimit else { return }
            state.steps[call, default: []].append(Step(message, time))
            state.bytes += message.octets.count
            while state.order.count > Self.callLimit || (state.bytes > Self.byteLimit && state.order.count > 1) {
                let old = state.steps.removeValue(forKey: state.order.removeFirst()) ?? []
                state.bytes -= old.reduce(0) { $0 + $1.bytes }
            }
        }
    }

    /// The messages with these Call-IDs, oldest first.
    public func steps(of calls: [String]) -> [Step] {
        state.withLock { state in calls.flatMap { state.steps[$0] ?? [] } }
            .sorted { $0.time.millisecondsSince1970 < $1.time.millisecondsSince1970 }
    }

    /// The value of Call-ID, or of `i` (RFC 3261 section 7.3.3), of a message's head.
    static func callID(_ octets: [UInt8]) -> String? {
        var rest = octets.prefix(16_384)[...]
        while let end = rest.firstIndex(of: 10) {
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            if line.isEmpty || line.elementsEqual([13]) { return nil }
            guard let colon = line.firstIndex(of: 58) else { continue }
            let name = String(decoding: line[..<colon], as: UTF8.self).filter { $0 != " " && $0 != "\t" }.lowercased()
            guard name == "call-id" || name == "i" else { continue }
            let isSpace = { (byte: UInt8) in byte == 32 || byte == 9 || byte == 13 }
            let value = line[(colon + 1)...].drop(while: isSpace).prefix { !isSpace($0) }
            return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
        }
        return nil
    }
}
