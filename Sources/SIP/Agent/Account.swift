/// An account's name in the configuration.
public struct AccountID: Hashable, Sendable, CustomStringConvertible {
    public let name: String

    public init(_ name: String) { self.name = name }

    public var description: String { name }
}

/// Who we are at one registrar.
public struct Account: Sendable {
    public var id: AccountID
    /// The address of record: `sip:user@domain`.
    public var address: SIPURI
    public var displayName: String?
    /// The name for digests; the address's user unless set.
    public var user: String?
    public var password: Password
    /// The only realm that gets a digest. nil: any that challenges a request which went to the account's own servers.
    public var realm: String?
    /// Where REGISTER goes; the address's domain unless set. `;transport=tcp` asks for TCP, `;transport=tls` or `sips:` for TLS.
    public var registrar: SIPURI?
    /// Every request outside of a dialog goes there first, as a loose route.
    public var outboundProxy: SIPURI?
    /// The expiry that is asked for, in seconds.
    public var expires: UInt32
    /// `urn:uuid:...`; asks for an outbound flow (RFC 5626) when it is there.
    public var instance: String?
    /// Contact shows where the registrar saw us (`received` and `rport`), where it could not reach us otherwise.
    public var followsSeenAddress: Bool
    /// Seconds between keep-alives on the way to the registrar; nil: as RFC 5626 recommends (29 by UDP, 120 on a stream, or the
    /// registrar's Flow-Timer), 0: none.
    public var keepAlive: Double?
    /// Seconds between probes whether calls come through the registrar (OPTIONS to ourselves); nil: none.
    public var probe: Double?
    /// Its server is asked to tell whether messages wait for it (RFC 3842).
    public var watchesMessages: Bool
    public var retry: RetrySettings

    public init(
        id: AccountID, address: SIPURI, displayName: String? = nil, user: String? = nil,
        password: Password = Password(""), realm: String? = nil, registrar: SIPURI? = nil, outboundProxy: SIPURI? = nil,
        expires: UInt32 = 600, instance: String? = nil, followsSeenAddress: Bool = true, keepAlive: Double? = nil,
        probe: Double? = nil, watchesMessages: Bool = false,
        retry: RetrySettings = RetrySettings()
    ) {
        self.id = id
        self.address = address
        self.displayName = displayName
        self.user = user
        self.password = password
        self.realm = realm
        self.registrar = registrar
        self.outboundProxy = outboundProxy
        self.expires = expires
        self.instance = instance
        self.followsSeenAddress = followsSeenAddress
        self.keepAlive = keepAlive
        self.probe = probe
        self.watchesMessages = watchesMessages
        self.retry = retry
    }

    var registrarURI: SIPURI {
        registrar ?? SIPURI(isSecure: address.isSecure, host: address.host, port: address.port)
    }

    /// The request URI of REGISTER: the domain alone (RFC 3261 section 10.2).
    var domainURI: SIPURI { SIPURI(isSecure: address.isSecure, host: address.host, port: address.port) }
}

/// How long a registration that failed waits, in seconds. Each failure in a row doubles the wait; half of it is random.
public struct RetrySettings: Hashable, Sendable {
    /// After a time-out, a lost connection, 408 or 5xx.
    public var networkFirst: Double
    public var networkLongest: Double
    /// After a refusal: 4xx, 6xx and wrong passwords. A server is never hammered with those.
    public var refusedFirst: Double
    public var refusedLongest: Double

    public init(
        networkFirst: Double = 2, networkLongest: Double = 30, refusedFirst: Double = 300, refusedLongest: Double = 3600
    ) {
        self.networkFirst = networkFirst
        self.networkLongest = networkLongest
        self.refusedFirst = refusedFirst
        self.refusedLongest = refusedLongest
    }
}
