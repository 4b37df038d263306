import SDP
import SIP

/// Who this side is at one registrar.
public struct AccountSettings: Sendable, Hashable {
    /// Its name in the configuration.
    public var name: String
    /// The address of record: `sip:user@domain` or `sips:user@domain`.
    public var uri: String
    public var displayName: String?
    /// The name for passwords; the address's user unless set.
    public var user: String?
    private var password: Password
    /// Where registrations go; the address's domain unless set.
    public var registrar: String?
    /// Every request outside of a call goes there first.
    public var outboundProxy: String?
    /// `udp`, `tcp` or `tls`, where the URIs leave it open; nil: what the servers' names say. By `tls` a `sip:` address stays one, as most
    /// PBXs want it.
    public var transport: String?
    /// The expiry that is asked for, in seconds.
    public var expires: UInt32
    /// Seconds between keep-alives; nil: as RFC 5626 recommends, 0: none.
    public var keepAlive: Double?
    /// Whether media are encrypted; nil: as in calls without an account.
    public var encryption: MediaSecurity.Mode?
    /// How media find their way through NATs, as the configuration names it; nil: as in calls without an account.
    public var ice: String?
    /// Seconds between probes whether calls come through the registrar; 0: none.
    public var probe = 25.0
    /// Its server is asked to tell whether voice messages wait (RFC 3842).
    public var watchesMessages = false
    /// Who this side is among those that share the account: `urn:uuid:` and so on, the same at each start (RFC 5626 section 4.1); nil:
    /// not told.
    public var instance: String?
    /// How many redirections (3xx) a call follows; with 0 it ends, and who was named is told.
    public var redirections = 0
    /// Whom its calls, transfers and texts may go to, by patterns; empty: everybody (`mayReach`).
    public var callees: [String] = []
    /// Who may transfer us.
    public var transfers = TransferPolicy.known

    public init(
        name: String, uri: String, displayName: String? = nil, user: String? = nil, password: String = "",
        registrar: String? = nil, outboundProxy: String? = nil, transport: String? = nil, expires: UInt32 = 600,
        keepAlive: Double? = nil, encryption: MediaSecurity.Mode? = nil, ice: String? = nil
    ) {
        self.name = name
        self.uri = uri
        self.displayName = displayName
        self.user = user
        self.password = Password(password)
        self.registrar = registrar
        self.outboundProxy = outboundProxy
        self.transport = transport
        self.expires = expires
        self.keepAlive = keepAlive
        self.encryption = encryption
        self.ice = ice
    }

    /// As the user agent takes it.
    func account() throws(AccountSettingsError) -> Account {
        guard case .sip(var address)? = URI(uri), address.userText != nil else {
            throw .badAddress(account: name, uri: uri)
        }
        address = address.addressOfRecord
        let way = try wantedTransport() ?? (address.isSecure ? .tls : nil)
        func server(_ text: String?) throws(AccountSettingsError) -> SIPURI? {
            guard let text else { return nil }
            // A host alone will do.
            let isURI = ["sip:", "sips:"].contains { text.lowercased().hasPrefix($0) }
            guard case .sip(var server)? = URI(isURI ? text : "sip:" + text) else {
                throw .badServer(account: name, uri: text)
            }
            if let way, server.parameters["transport"] == nil, !server.isSecure {
                server.parameters.set("transport", way.rawValue)
            }
            return server
        }
        var registrar = try server(registrar)
        if registrar == nil, !address.isSecure, let way {
            // The domain stands for its registrar; only the way there is told.
            var domain = SIPURI(host: address.host, port: address.port)
            domain.parameters.set("transport", way.rawValue)
            registrar = domain
        }
        var account = Account(
            id: AccountID(name), address: address, displayName: displayName, user: user, password: password,
            registrar: registrar, outboundProxy: try server(outboundProxy), expires: expires, instance: instance,
            keepAlive: keepAlive, probe: probe > 0 ? probe : nil, watchesMessages: watchesMessages)
        // Who looks more often also wants to be back sooner.
        if probe > 0 {
            account.retry.networkLongest = min(account.retry.networkLongest, max(account.retry.networkFirst, probe))
        }
        return account
    }

    private func wantedTransport() throws(AccountSettingsError) -> SignallingProtocol? {
        guard let transport else { return nil }
        guard let known = SignallingProtocol(rawValue: transport.lowercased()) else {
            throw .badTransport(account: name, transport: transport)
        }
        return known
    }
}

/// What is wrong with an account's settings.
public enum AccountSettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    case badAddress(account: String, uri: String)
    case badServer(account: String, uri: String)
    case badTransport(account: String, transport: String)
    case twice(account: String)

    public var description: String {
        switch self {
        case .badAddress(let account, let uri):
            "account \(account): \"\(uri)\" is no address, in accounts.\(account).uri; write sip:USER@DOMAIN"
        case .badServer(let account, let uri):
            "account \(account): \"\(uri)\" is no server, in accounts.\(account).registrar or outbound_proxy; write "
                + "sip:HOST[:PORT]"
        case .badTransport(let account, let transport):
            "account \(account): \"\(transport)\" is no transport, in accounts.\(account).transport; write udp, tcp or tls"
        case .twice(let account): "there are two accounts of the name \(account)"
        }
    }
}
