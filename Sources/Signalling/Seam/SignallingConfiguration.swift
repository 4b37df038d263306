import Link
import SDP
import SIP
import SignallingTransport

/// What a SIP signalling binds, says and allows; settled before it starts.
public struct SignallingConfiguration: Sendable {
    /// A place to be called at.
    public struct Listener: Sendable, Hashable {
        public enum Way: String, Sendable, Hashable, CaseIterable {
            case udp, tcp, tls
        }

        public var way: Way
        /// Numeric; 0.0.0.0 and `::` stand for every address of their family.
        public var address: String
        /// 0: any free one.
        public var port: UInt16

        public init(_ way: Way, address: String, port: UInt16) {
            self.way = way
            self.address = address
            self.port = port
        }
    }

    /// Who may call besides the servers of our accounts.
    public enum Callers: Sendable, Hashable {
        case anyone
        case listed([CIDR])

        /// - Parameter address: where it comes from; nil: that is not known.
        func admits(_ address: IPAddress?) -> Bool {
            switch self {
            case .anyone: true
            case .listed(let ranges): address.map { address in ranges.contains { $0.contains(address) } } ?? false
            }
        }
    }

    public var listeners: [Listener]
    public var accounts: [AccountSettings]
    public var media: MediaCapabilities
    /// Whether media are encrypted, in calls without an account and where the account does not say. Keys by DTLS need a
    /// fingerprint with the ports of the call.
    public var encryption: MediaSecurity.Mode
    public var callers: Callers
    /// Name and version of the program, for User-Agent and Server; nil: not told.
    public var product: String?
    /// The user part of our address in calls without an account.
    public var user: String
    /// How long a call may ring, in seconds.
    public var ringingLimit: Double
    /// Name servers as `ADDRESS[:PORT]`; empty: the system's.
    public var nameServers: [String]
    /// Certificates of TLS.
    public var security: TransportSecurity
    /// Is told of every message, on the signalling's own thread: it must not block. nil: nobody is.
    public var trace: (@Sendable (TracedMessage) -> Void)?
    /// Is told of every connection that this side has opened, as `trace` is. nil: nobody is.
    public var streamOpened: (@Sendable (OpenedStream) -> Void)?
    /// Counts what is dropped.
    public var drops = SignallingDrops()

    public init(
        listeners: [Listener], accounts: [AccountSettings] = [], media: MediaCapabilities = MediaCapabilities(),
        encryption: MediaSecurity.Mode = .off, callers: Callers = .anyone, product: String? = nil, user: String = "yodel",
        ringingLimit: Double = 180,
        nameServers: [String] = [], security: TransportSecurity = TransportSecurity()
    ) {
        self.listeners = listeners
        self.accounts = accounts
        self.media = media
        self.encryption = encryption
        self.callers = callers
        self.product = product
        self.user = user
        self.ringingLimit = ringingLimit
        self.nameServers = nameServers
        self.security = security
    }

    /// UDP and TCP on one port of every IPv4 address, and of every IPv6 address of this machine.
    /// - Parameter port: 0: any that is free.
    public static func everywhere(port: UInt16) -> [Listener] {
        ["0.0.0.0", "::"].flatMap { address in [.udp, .tcp].map { Listener($0, address: address, port: port) } }
    }

    var transport: TransportConfiguration {
        TransportConfiguration(
            listeners: listeners.map { listener in
                TransportConfiguration.Listener(
                    listener.way.transport, SignallingAddress(host: listener.address, port: listener.port))
            },
            tls: security.settings, watchesRoutes: true)
    }
}

extension SignallingConfiguration.Listener.Way {
    var transport: SignallingProtocol {
        switch self {
        case .udp: .udp
        case .tcp: .tcp
        case .tls: .tls
        }
    }
}
