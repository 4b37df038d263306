import Link
import Realtime

/// An account with its registration.
struct AccountState {
    enum Registration: Hashable {
        case none
        /// REGISTER is under way, for the first time or to refresh.
        case registering
        case registered
        /// Waits to be tried again.
        case failed
        /// REGISTER with `expires=0` is under way.
        case unregistering
    }

    var account: Account
    var authenticator: Authenticator
    var registration = Registration.none
    /// The person wants it registered.
    var isWanted = false
    /// The same for all of an account's REGISTERs (RFC 3261 section 10.2.4).
    var callID: String
    var number: UInt32
    let tag: String
    /// When to refresh, or to try again.
    var next: HostTime?
    /// When the last attempt failed, for want of a way or of an answer; nil: for another reason, or not at all.
    var lackedNetwork: HostTime?
    /// Failures in a row.
    var failures = 0
    /// How often it has registered once more, since it was registered last, with the address that the registrar sees.
    var followUps = 0
    /// The expiry to ask for: the account's, or more after a 423.
    var expires: UInt32
    /// The Contact that was sent last.
    var contact: String?
    /// The last one that the registrar has confirmed, and those sent since, where they are others: it may hold each of them.
    var formerContacts: [String] = []
    /// The registrar holds Contacts of others at the same address.
    var isShared = false
    /// Where the registrar sees what we send come from, and by which transport.
    var seenAddress: SignallingAddress?
    var seenOver: SignallingProtocol?
    var serviceRoute: [NameAddress] = []
    /// Addresses of the account's servers, as they answered: they are trusted where strangers are not.
    var servers: Set<String> = []
    /// The way that the registration went, and calls come.
    var flow: SignallingDestination?
    /// The stream that the registrar's last octets came over.
    var flowConnection: SignallingConnectionID?
    /// When that was.
    var flowHeard: HostTime?
    /// While it is registered.
    var keepAlive: KeepAlive?
    var reachability = Reachability()
    var messages = MessageWatch()
    /// The server refused an outbound flow (439): do not ask again.
    var avoidsOutbound = false

    init(account: Account, callID: String, number: UInt32, tag: String) {
        self.account = account
        self.callID = callID
        self.number = number
        self.tag = tag
        expires = account.expires
        authenticator = Authenticator(
            user: account.user ?? account.address.userText ?? "", password: account.password, realm: account.realm)
    }

    /// Whether one of the account's servers has sent it. Anybody may write a server's address into a datagram: where the account is
    /// registered by a stream, its servers send by streams, and by TLS where that is one of TLS.
    func serves(_ source: SignallingSource) -> Bool {
        guard servers.contains(source.remote.host) else { return false }
        let way = account.outboundProxy ?? account.registrarURI
        let asked =
            way.isSecure ? .tls : way.parameters["transport"].flatMap { SignallingProtocol(rawValue: $0.asciiLowercased) }
        switch flow?.transport ?? asked {
        case .tls: return source.transport == .tls
        case .tcp: return source.transport.isStream
        case .udp, nil: return true
        }
    }

    /// Another Contact is sent. The one before it is taken back by every REGISTER until one is confirmed: the first one may be
    /// challenged, or get lost.
    mutating func show(_ contact: String) {
        var former = formerContacts
        if let old = self.contact { former.append(old) }
        former.removeAll { $0 == contact }
        // The first one is what was confirmed; of the others a few are enough: they expire.
        formerContacts = former.prefix(1) + former.dropFirst().suffix(3)
        self.contact = contact
    }

    /// Where the registrar sees us, if that leads here from `hop` too: one of the account's servers, or somebody on the other
    /// side of our NAT. Most NATs lead nobody back who is on this side: he is told the local address, as he is for media.
    /// - Parameters:
    ///   - hop: who is told.
    ///   - local: the address of ours that leads there.
    ///   - isServer: it is one of the account's servers, also where it has never answered yet.
    /// - Returns: nil: the local address leads here.
    func addressSeen(by hop: ServerHop, local: SignallingAddress, isServer: Bool) -> SignallingAddress? {
        guard let seenAddress, seenOver == hop.transport else { return nil }
        guard !isServer, !servers.contains(hop.address.host), let own = try? IPAddress(local.host),
            let other = try? IPAddress(hop.address.host)
        else { return seenAddress }
        let isInside = own.isPrivate || own.isUnspecified
        return isInside && !other.isPrivate && seenAddress.isV6 == hop.address.isV6 ? seenAddress : nil
    }

    /// What went wrong before counts no more.
    mutating func startAnew() { (failures, followUps) = (0, 0) }

    /// The one of the registrar's Contacts that is ours. A server in between may have written another address in its place:
    /// then the instance tells (RFC 5626 section 6), or that there is no other one.
    func ownContact(_ contacts: [NameAddress]) -> NameAddress? {
        if let own = contact.flatMap({ URI($0) }), let same = contacts.first(where: { $0.uri.isEquivalent(to: own) }) {
            return same
        }
        if let instance = account.instance,
            let same = contacts.first(where: {
                $0.parameters.unquoted("+sip.instance")?.equalsIgnoringCase("<\(instance)>") == true
                    && ($0.parameters["reg-id"] ?? "1") == "1"
            })
        {
            return same
        }
        return contacts.count == 1 ? contacts.first : nil
    }

    /// Routes of requests outside of dialogs: the outbound proxy, then what the registrar asked for (RFC 3608), which may name the
    /// proxy once more.
    var preloadedRoutes: [NameAddress] {
        guard let proxyRoute, let proxy = proxyRoute.uri.sip else { return serviceRoute }
        let first = serviceRoute.first?.uri.sip
        let isNamed = first?.port == proxy.port && first?.host.lowercased() == proxy.host.lowercased()
        return (isNamed ? [] : [proxyRoute]) + serviceRoute
    }

    var proxyRoute: NameAddress? {
        account.outboundProxy.map { proxy in
            var proxy = proxy
            if !proxy.isLooseRoute { proxy.parameters.set("lr", nil) }
            return NameAddress(uri: .sip(proxy))
        }
    }
}

extension UserAgent {
    /// The address from which the account's registrar sees us come; nil: it has not told, or there is no such account.
    public func seenAddress(of account: AccountID) -> String? { accounts[account]?.seenAddress?.host }
}
