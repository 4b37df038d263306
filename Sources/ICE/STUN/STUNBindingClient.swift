import Link
import Realtime

/// Asks a STUN server over UDP for our address as the server sees it (RFC 8489). Each request also keeps the binding of a NAT,
/// which is what SIP uses it for (RFC 5626 section 4.4.2).
///
/// Sans-I/O: `takeOutputs` has what is to be sent to `server`; call `advance` at `nextDeadline`.
public struct STUNBindingClient {
    /// What came of a request.
    public enum Outcome: Hashable, Sendable {
        /// Our address. `hasMoved`: an earlier answer told another one; what was sent to that one is lost by now.
        case mapped(SocketAddress, hasMoved: Bool)
        case failed(ServerFailure)
    }

    public let server: SocketAddress
    /// The address of the last answer.
    public private(set) var mapped: SocketAddress?
    private let random: RandomSource
    private let timeout: Double
    private var transaction = TransactionID(bits: 0)
    private var bytes: [UInt8] = []
    /// nil while nothing is asked.
    private var retransmission: Retransmission?
    private var outputs: [[UInt8]] = []

    /// - Parameter retransmissionTimeout: RTO of RFC 8489 section 6.2.1 in milliseconds.
    public init(
        server: SocketAddress, random: any RandomNumberGenerator = SystemRandomNumberGenerator(),
        retransmissionTimeout: Double = 500
    ) {
        self.init(server, RandomSource(random), timeout: retransmissionTimeout)
    }

    init(_ server: SocketAddress, _ random: RandomSource, timeout: Double) {
        self.server = server
        self.random = random
        self.timeout = timeout
    }

    /// Whether an answer is waited for.
    public var isAsking: Bool { retransmission != nil }

    /// When `advance` has something to do; nil when it has not.
    public var nextDeadline: HostTime? { retransmission?.next }

    /// Sends a request. One under way is given up.
    public mutating func request(now: HostTime) {
        transaction = TransactionID(random)
        bytes = STUNBuilder(.request, .binding, transaction).finished(fingerprint: true)
        retransmission = Retransmission(timeout: timeout, now: now)
        outputs.append(bytes)
    }

    /// Takes a datagram; nil when it is not the answer.
    public mutating func receive(_ datagram: UnsafeRawBufferPointer, from source: SocketAddress) -> Outcome? {
        guard let message = try? STUNMessage(parsing: datagram) else { return nil }
        return receive(message, from: source)
    }

    mutating func receive(_ message: STUNMessage, from source: SocketAddress) -> Outcome? {
        guard isAsking, source == server, message.transaction == transaction, message.method == .binding else { return nil }
        switch message.messageClass {
        case .request, .indication: return nil
        case .error:
            retransmission = nil
            return .failed(message.errorCode.map { .refused($0) } ?? .nonsense)
        case .success:
            retransmission = nil
            guard message.unknownAttributes.isEmpty, let address = message.address(.xorMappedAddress) else {
                return .failed(.nonsense)
            }
            let hasMoved = mapped.map { $0 != address } ?? false
            mapped = address
            return .mapped(address, hasMoved: hasMoved)
        }
    }

    /// Time passes: the request is repeated, or given up after 79 RTO.
    public mutating func advance(to now: HostTime) -> Outcome? {
        switch retransmission?.advance(to: now) {
        case nil, .wait: return nil
        case .again:
            outputs.append(bytes)
            return nil
        case .giveUp:
            retransmission = nil
            return .failed(.noAnswer)
        }
    }

    /// What is to be sent to the server since the last call.
    public mutating func takeOutputs() -> [[UInt8]] {
        defer { outputs.removeAll() }
        return outputs
    }
}
