import Link
import Realtime

/// One allocation at one TURN server (RFC 8656), over UDP or a connection. Sans-I/O: messages and time come in; `takeOutputs` has what
/// is to be sent to the server, `takeEvents` what happened.
public struct TURNClient {
    /// What happened.
    public enum Event: Hashable, Sendable {
        /// Relayed addresses, one of each family that the server gave, and our address as it sees us. Told again when the server has
        /// confirmed them.
        case allocated([SocketAddress], mapped: SocketAddress?)
        /// The server hands on what comes from this address.
        case permitted(IPAddress)
        /// It does not (403), or did not answer.
        case refused(IPAddress)
        case failed(ServerFailure)
    }

    enum Phase: Hashable {
        case idle, allocating, allocated, failed, closed
    }

    /// A request under way.
    enum Purpose: Hashable {
        case allocate
        /// Seconds; 0 gives the allocation back.
        case refresh(UInt32)
        case permission(IPAddress)
        case channel(UInt16, SocketAddress)
    }

    struct Request {
        let purpose: Purpose
        let bytes: [UInt8]
        let isAuthenticated: Bool
        var retransmission: Retransmission
        /// How often it was refused for its nonce.
        var staleNonces: Int
    }

    struct Permission {
        var isGranted = false
        var refresh: HostTime?
    }

    struct Channel {
        let number: UInt16
        let peer: SocketAddress
        var isBound = false
        var refresh: HostTime?
    }

    /// Peers that one allocation serves; permissions beyond are refused.
    static let maximumPeers = 128
    /// Milliseconds between renewals of a permission, which lasts 5 minutes, and of a channel, which lasts 10.
    static let renewalMilliseconds = 240_000.0
    static let reconnectionMilliseconds = 500.0
    /// When a server that had trouble of its own is asked again, in milliseconds: an allocation lasts a minute after the first time.
    static let troubleMilliseconds = 5000.0

    /// Its address changes when the server names another (300).
    public internal(set) var server: TURNServer
    public internal(set) var relayed: [SocketAddress] = []
    /// Our address as the server sees us.
    var mapped: SocketAddress?
    /// The server was asked whether it has the allocation yet, and has not said that it does.
    var isBeingConfirmed = false
    /// Messages that were dropped because their integrity was wrong or absent.
    public internal(set) var forged = 0
    /// Of a server by TCP or TLS.
    var connection: TURNConnectionID?
    /// It is to be opened, in place of the one there was.
    var wantsConnection = false
    /// Until then a connection that ends before there is an allocation is opened again.
    var reconnectionLimit: HostTime?
    /// When it is opened again.
    var reconnection: HostTime?
    var phase = Phase.idle
    var authentication: TURNAuthentication?
    var requests: [TransactionID: Request] = [:]
    var permissions: [IPAddress: Permission] = [:]
    var channels: [Channel] = []
    var nextRefresh: HostTime?
    var expiry = HostTime.zero
    var redirections: Set<SocketAddress> = []
    var reallocations = 0
    var outputs: [[UInt8]] = []
    var events: [Event] = []
    let random: RandomSource
    let timeout: Double

    /// `retransmissionTimeout`: RTO of RFC 8489 in milliseconds.
    public init(
        server: TURNServer, random: any RandomNumberGenerator = SystemRandomNumberGenerator(),
        retransmissionTimeout: Double = 250
    ) {
        self.init(server, RandomSource(random), timeout: retransmissionTimeout)
    }

    init(_ server: TURNServer, _ random: RandomSource, timeout: Double) {
        self.server = server
        self.random = random
        self.timeout = timeout
        redirections = [server.address]
    }

    /// Asks for an allocation: without credentials at first, as RFC 8489 has it.
    public mutating func allocate(now: HostTime) {
        guard phase == .idle else { return }
        phase = .allocating
        wantsConnection = server.transport.isStream
        request(.allocate, now: now)
    }

    /// Asks whether the server has the allocation yet; `allocated` is told again if so.
    mutating func confirm(now: HostTime) {
        guard phase == .allocated else { return }
        isBeingConfirmed = true
        refresh(now: now)
    }

    /// Whether there is an allocation to tell of.
    var isUseful: Bool { phase == .allocated && !isBeingConfirmed }

    /// The connection to the server has ended, and with it the allocation.
    mutating func connectionEnded(_ reason: String, now: HostTime) {
        connection = nil
        guard phase == .allocating || phase == .allocated else { return }
        if phase == .allocating, let reconnectionLimit, now < reconnectionLimit {
            requests.removeAll()
            reconnection = now.advanced(byMilliseconds: Self.reconnectionMilliseconds)
        } else {
            fail(.connection(reason))
        }
    }

    /// Gives the allocation back, also one that is only asked for: the server takes requests in their order. Nothing is waited for.
    public mutating func close(now: HostTime) {
        let isAskedFor = requests.values.contains { $0.purpose == .allocate && $0.isAuthenticated }
        requests.removeAll()
        if phase == .allocated || isAskedFor { outputs.append(message(.refresh(0), TransactionID(random)).bytes) }
        phase = .closed
        nextRefresh = nil
        reconnection = nil
        permissions.removeAll()
        channels.removeAll()
    }

    /// Has the server hand on what comes from that address, whatever its port, from now on.
    public mutating func permit(_ address: IPAddress, now: HostTime) {
        guard phase == .allocated, permissions[address] == nil else { return }
        guard permissions.count < Self.maximumPeers else {
            events.append(.refused(address))
            return
        }
        permissions[address] = Permission()
        request(.permission(address), now: now)
    }

    /// Whether packets to and from that address pass.
    public func isPermitted(_ address: IPAddress) -> Bool { permissions[address]?.isGranted ?? false }

    /// Binds a channel to the peer; until the server agreed, indications carry its packets.
    public mutating func bindChannel(to peer: SocketAddress, now: HostTime) {
        guard phase == .allocated, !channels.contains(where: { $0.peer == peer }), channels.count < Self.maximumPeers
        else { return }
        let channel = Channel(number: ChannelData.numbers.lowerBound + UInt16(channels.count), peer: peer)
        channels.append(channel)
        request(.channel(channel.number, peer), now: now)
    }

    /// The channel to that peer, once the server agreed.
    public func channel(to peer: SocketAddress) -> UInt16? { channels.first { $0.peer == peer && $0.isBound }?.number }

    /// Whose channel that is. An unconfirmed one counts too: the confirmation may come behind the first packet.
    public func peer(ofChannel number: UInt16) -> SocketAddress? { channels.first { $0.number == number }?.peer }

    /// `payload` in a Send indication (RFC 8656 section 11.1).
    public func indication(of payload: some Collection<UInt8>, to peer: SocketAddress) -> [UInt8] {
        var builder = STUNBuilder(.indication, .send, TransactionID(random))
        builder.add(.xorPeerAddress, peer)
        builder.add(.data, payload)
        return builder.finished()
    }

    /// `payload` as it leaves for the peer: channel data where a channel is bound, else an indication.
    public func packet(_ payload: [UInt8], to peer: SocketAddress) -> [UInt8] {
        guard let number = channel(to: peer) else { return indication(of: payload, to: peer) }
        var frame = [UInt8](repeating: 0, count: ChannelData.headerBytes)
        frame.store(number, at: 0)
        frame.store(UInt16(truncatingIfNeeded: payload.count), at: 2)
        let padding = server.transport.isStream ? -payload.count & 3 : 0
        return frame + payload + [UInt8](repeating: 0, count: padding)
    }

    /// What is to be sent to the server since the last call.
    public mutating func takeOutputs() -> [[UInt8]] {
        defer { outputs.removeAll() }
        return outputs
    }

    /// What happened since the last call.
    public mutating func takeEvents() -> [Event] {
        defer { events.removeAll() }
        return events
    }
}
