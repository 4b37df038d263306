import SIP

/// What a `SignallingTransport` binds, and its limits.
public struct TransportConfiguration: Sendable {
    /// A socket to bind.
    public struct Listener: Hashable, Sendable {
        public var transport: SignallingProtocol
        /// Port 0: any free one; `SignallingTransport.listeners` tells which.
        public var address: SignallingAddress

        public init(_ transport: SignallingProtocol, _ address: SignallingAddress) {
            self.transport = transport
            self.address = address
        }
    }

    /// At most one UDP socket for each address family sends: the first of it.
    public var listeners: [Listener]
    public var tls: TLSSettings
    /// Time for a connection, and again for its TLS handshake, in seconds.
    public var connectTimeout: Double
    /// A stream over which nothing passes for so long is closed, in seconds.
    public var idleTime: Double
    /// An inbound stream that has sent nothing at all for so long is closed, in seconds.
    public var silentTime: Double
    /// Bytes that may wait for a slow or unfinished stream.
    public var queuedBytes: Int
    public var maximumInbound: Int
    public var maximumInboundPerSource: Int
    /// Whether changes of this machine's addresses and routes are told.
    public var watchesRoutes: Bool

    public init(
        listeners: [Listener], tls: TLSSettings = TLSSettings(), connectTimeout: Double = 4, idleTime: Double = 900,
        silentTime: Double = 30, queuedBytes: Int = 262_144, maximumInbound: Int = 2048,
        maximumInboundPerSource: Int = 256, watchesRoutes: Bool = false
    ) {
        self.listeners = listeners
        self.tls = tls
        self.connectTimeout = connectTimeout
        self.idleTime = idleTime
        self.silentTime = silentTime
        self.queuedBytes = queuedBytes
        self.maximumInbound = maximumInbound
        self.maximumInboundPerSource = maximumInboundPerSource
        self.watchesRoutes = watchesRoutes
    }
}
