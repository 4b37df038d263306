import Realtime

/// Registrations that live: refreshed in time, tried again with patience (RFC 3261 section 10, 3327, 3608, 5626).
extension UserAgent {
    /// Adds an account; it is not registered yet. `callID`: of an earlier run, so that the registrar sees one client.
    public func add(_ account: Account, callID: String? = nil) {
        accounts[account.id] = AccountState(
            account: account, callID: callID ?? randomToken(words: 2),
            number: UInt32(truncatingIfNeeded: random.next() as UInt64) & 0xFFFF, tag: randomToken())
    }

    /// Takes over an account's new settings. Call-ID and CSeq are kept; `register` makes them known.
    public func update(_ account: Account) throws(UserAgentError) {
        guard let old = accounts[account.id] else { throw .noSuchAccount(account.id) }
        var state = AccountState(account: account, callID: old.callID, number: old.number, tag: old.tag)
        state.registration = old.registration
        state.isWanted = old.isWanted
        (state.contact, state.formerContacts) = (old.contact, old.formerContacts)
        state.next = old.next
        state.messages = old.messages
        let isThere =
            (account.registrarURI, account.outboundProxy) == (old.account.registrarURI, old.account.outboundProxy)
            && account.address.host.equalsIgnoringCase(old.account.address.host)
        // Those of a former provider are strangers now.
        if isThere { (state.servers, state.serviceRoute) = (old.servers, old.serviceRoute) }
        // Its registrar goes on seeing it there.
        if isThere, account.followsSeenAddress { (state.seenAddress, state.seenOver) = (old.seenAddress, old.seenOver) }
        accounts[account.id] = state
    }

    /// Registers, or registers anew at once: after a change of address, a resume from sleep, a flow that failed.
    public func register(_ id: AccountID, now: HostTime) throws(UserAgentError) {
        guard accounts[id] != nil else { throw .noSuchAccount(id) }
        accounts[id]?.isWanted = true
        accounts[id]?.startAnew()
        doubtMessages(id, isAskedAnew: true)
        sendRegister(id, now: now)
    }

    /// Takes the binding back. `unregistered` follows when the registrar has answered, or has not in time.
    public func unregister(_ id: AccountID, now: HostTime) throws(UserAgentError) {
        guard let state = accounts[id] else { throw .noSuchAccount(id) }
        accounts[id]?.isWanted = false
        accounts[id]?.next = nil
        endMessages(id, now: now)
        guard state.registration == .registered || state.registration == .registering else {
            accounts[id]?.registration = .none
            return emit(.unregistered(id))
        }
        sendRegister(id, now: now)
    }

    /// Forgets an account without a word to anybody.
    public func remove(_ id: AccountID) { accounts[id] = nil }

    /// The local address has changed: what was seen of the old one is void, and every account registers anew.
    public func addressChanged(now: HostTime) {
        for id in accounts.keys.sorted(by: { $0.name < $1.name }) { addressChanged(of: id, now: now) }
    }

    /// The local address that leads to an account's registrar has changed: it registers anew, over a stream of its own.
    public func addressChanged(of id: AccountID, now: HostTime) {
        guard accounts[id] != nil else { return }
        // It belongs to the old address, whatever its state says.
        closeFlow(id)
        accounts[id]?.seenAddress = nil
        accounts[id]?.seenOver = nil
        accounts[id]?.startAnew()
        // What was silent from there may answer from here.
        fruitlessHops.forgetAll()
        doubtMessages(id)
        if accounts[id]?.isWanted == true { sendRegister(id, now: now) }
    }

    /// Registers an account at once that waits to be tried again because there was no way to its registrar. However often the
    /// network changes, an attempt follows a failure no sooner than the first one does.
    public func retry(_ id: AccountID, now: HostTime) {
        guard let state = accounts[id], state.isWanted, state.registration == .failed, let failed = state.lackedNetwork,
            now.milliseconds(since: failed) >= 1000 * state.account.retry.networkFirst
        else { return }
        sendRegister(id, now: now)
    }

    /// Where the account's last registration went; nil: it has not been registered.
    public func registrar(of id: AccountID) -> SignallingAddress? { accounts[id]?.flow?.address }

    func fire(account id: AccountID, now: HostTime) {
        guard let state = accounts[id], state.isWanted, let next = state.next else { return }
        guard next <= now else { return timers.schedule(.account(id), at: next) }
        accounts[id]?.next = nil
        sendRegister(id, now: now)
    }

    /// Registers a registered account anew: calls no longer come through.
    func registerAnew(_ id: AccountID, now: HostTime) {
        doubtMessages(id)
        if accounts[id]?.isWanted == true { sendRegister(id, now: now) }
    }

    /// A registrar that is silent is given up sooner where the account is looked after more often: its name may lead elsewhere now.
    func timers(for exchange: Exchange) -> TimerSettings {
        var timers = configuration.timers
        if case .register(let id) = exchange.purpose, let account = accounts[id]?.account, let probe = account.probe {
            timers.most = 1000 * max(5, 2 * probe, 2 * account.retry.networkLongest)
        }
        return timers
    }

    private func sendRegister(_ id: AccountID, now: HostTime) {
        guard var state = accounts[id] else { return }
        state.number += 1
        state.registration = state.isWanted ? .registering : .unregistering
        state.next = nil
        var request = Request(method: .register, uri: .sip(state.account.domainURI))
        if let route = state.proxyRoute { request.headers.append(.route, route.text) }
        request.headers.append(.maxForwards, "70")
        let address = NameAddress(displayName: state.account.displayName, uri: .sip(state.account.address))
        var from = address
        from.tag = state.tag
        request.headers.append(.from, from.text)
        request.headers.append(.to, address.text)
        request.headers.append(.callID, state.callID)
        request.headers.append(.cSeq, CSeq(number: state.number, method: .register).text)
        let asksOutbound = state.account.instance != nil && !state.avoidsOutbound
        request.headers.append(.supported, asksOutbound ? "path, outbound" : "path")
        request.headers.append(.allow, Self.allowed)
        request.headers.append(.expires, String(state.isWanted ? state.expires : 0))
        if let product = configuration.product { request.headers.append(.userAgent, product) }
        let nextHop = state.proxyRoute == nil ? state.account.registrarURI : nil
        let exchange = Exchange(request, .register(id), account: id, nextHop: nextHop)
        state.authenticator.preempt(&exchange.request, attempt: &exchange.attempt, clientNonce: randomToken(words: 2))
        accounts[id] = state
        start(exchange, now: now)
    }

    /// The Contact of a REGISTER: with instance and flow (RFC 5626), and former bindings taken back.
    func registerContact(_ id: AccountID, hop: ServerHop) -> String {
        guard var state = accounts[id],
            var address = NameAddress(
                contact(account: id, hop: hop, secure: state.account.address.isSecure, isServer: true))
        else { return "" }
        let plain = address.uri.text
        if let instance = state.account.instance {
            address.parameters.set("+sip.instance", "\"<\(instance)>\"")
            if !state.avoidsOutbound { address.parameters.set("reg-id", "1") }
        }
        state.show(plain)
        accounts[id] = state
        return ([address.text] + state.formerContacts.map { "<\($0)>;expires=0" }).joined(separator: ", ")
    }

    func registerProgressed(_ id: AccountID, _ exchange: Exchange, _ result: Exchange.Result, now: HostTime) {
        guard let state = accounts[id] else { return }
        // An answer to an older REGISTER says nothing about the last one.
        guard exchange.request.headers.cSeq.number == state.number else { return }
        if state.registration == .unregistering {
            if case .provisional = result { return }
            accounts[id]?.registration = .none
            accounts[id]?.contact = nil
            accounts[id]?.formerContacts = []
            accounts[id]?.serviceRoute = []
            return emit(.unregistered(id))
        }
        switch result {
        case .provisional: break
        case .final(let response) where response.isSuccess: registered(id, exchange, response, now: now)
        case .final(let response): refused(id, response, now: now)
        case .timedOut:
            closeFlow(id)
            failed(id, .network, 408, "the registrar does not answer", now: now)
        case .unreachable:
            // It may be what was said of earlier challenges that does not get through.
            accounts[id]?.authenticator.forget()
            failed(id, .network, nil, "no way to the registrar", now: now)
        case .unauthenticated(let failure, let response):
            accounts[id]?.authenticator.forget()
            failed(id, .authentication, response.status, failure.rawValue, now: now)
        }
    }

    private func registered(_ id: AccountID, _ exchange: Exchange, _ response: Response, now: HostTime) {
        guard var state = accounts[id], let hop = exchange.hop else { return }
        // What went by TCP for its length says nothing of the way that calls come.
        let seen = exchange.isMovedToStream ? nil : seenAddress(response)
        let local = localAddress(for: hop)
        let shown = (state.seenOver == hop.transport ? state.seenAddress : nil) ?? local
        // Those that its name also leads to are its servers too: they may take over, and call.
        state.servers.formUnion(([hop] + exchange.remaining + exchange.outrun).map(\.address.host))
        state.serviceRoute = response.headers.addresses(.serviceRoute)
        let contacts = response.headers.contacts
        let own = state.ownContact(contacts)
        state.isShared = contacts.count > (own == nil ? 0 : 1)
        state.formerContacts = []
        let isSameFlow = state.flow == hop.destination && state.keepAlive != nil
        // That by which this response came (`noteFlow`).
        state.flowConnection = nil
        state.flow = hop.destination
        // Behind a NAT, and where nothing listens for streams, calls can only come over the registration's own stream.
        let isUnreachable =
            hop.transport == .udp || configuration.localAddresses[hop.transport] == nil || seen?.host != local.host
        if state.account.followsSeenAddress, isUnreachable, let seen, seen != shown, state.followUps < 3 {
            // Register once more, with the address that the registrar can reach.
            state.seenAddress = seen
            state.seenOver = hop.transport
            state.followUps += 1
            accounts[id] = state
            return sendRegister(id, now: now)
        }
        let granted = Self.granted(response, own: own) ?? state.expires
        guard granted > 0 else { return failed(id, .refused, response.status, "the registrar keeps no binding", now: now) }
        state.registration = .registered
        state.startAnew()
        // Early enough for a lost packet or two, whatever was granted.
        let share = granted > 90 ? randomShare(0.7...0.85) : 0.5
        state.next = now.advanced(byMilliseconds: 1000 * max(1, Double(min(granted, 86_400)) * share))
        accounts[id] = state
        timers.schedule(.account(id), at: state.next)
        let flowTimer =
            response.headers.text(HeaderName("Flow-Timer")).flatMap { UInt32($0) }
            ?? response.headers.topVia?.parameters["keep"].flatMap { UInt32($0) }
        keepAlive(id, flowTimer: flowTimer, isSameFlow: isSameFlow, now: now)
        watchReachability(id, now: now)
        emit(
            .registered(
                id,
                Registered(
                    expires: granted, contact: state.contact.flatMap { URI($0) } ?? .sip(state.account.address),
                    seenAddress: seen, serviceRoute: state.serviceRoute, flowTimer: flowTimer)))
        watchMessages(id, now: now)
    }

    private func seenAddress(_ response: Response) -> SignallingAddress? {
        guard let via = response.headers.topVia else { return nil }
        guard let port = via.responsePort ?? via.port else { return nil }
        return SignallingAddress(host: via.received ?? HostPort.bare(via.host), port: port)
    }

    /// What the registrar granted to our Contact, in seconds.
    private static func granted(_ response: Response, own: NameAddress?) -> UInt32? {
        if let text = own?.parameters.unquoted("expires") { return UInt32(text) }
        if let expires = response.headers.expires { return expires }
        // Which one is ours cannot be told: with the least of them, it is refreshed in time whichever it is.
        let told = response.headers.contacts.compactMap { $0.parameters.unquoted("expires").flatMap { UInt32($0) } }
        return own == nil ? told.filter { $0 > 0 }.min() : nil
    }

    private func refused(_ id: AccountID, _ response: Response, now: HostTime) {
        let status = response.status
        switch status {
        case 423:
            // The registrar wants a longer expiry (RFC 3261 section 10.2.8); a day is where trust ends.
            guard let least = response.headers.minExpires, let state = accounts[id], least > state.expires, least <= 86_400
            else { break }
            accounts[id]?.expires = least
            return sendRegister(id, now: now)
        case 439 where accounts[id]?.avoidsOutbound == false:
            accounts[id]?.avoidsOutbound = true
            return sendRegister(id, now: now)
        default: break
        }
        let kind: RegistrationFailure.Class =
            status == 401 || status == 407 || status == 403
            ? .authentication : status == 408 || status == 430 ? .network : status >= 500 && status < 600 ? .server : .refused
        // It may be several Contacts at once that it does not take.
        if kind == .refused { accounts[id]?.formerContacts = [] }
        failed(id, kind, status, response.reason, after: response.headers.retryAfter, now: now)
    }

    private func failed(
        _ id: AccountID, _ kind: RegistrationFailure.Class, _ status: Int?, _ reason: String, after least: UInt32? = nil,
        now: HostTime
    ) {
        guard var state = accounts[id] else { return }
        let retry = state.account.retry
        let isRefusal = kind == .authentication || kind == .refused
        let first = isRefusal ? retry.refusedFirst : retry.networkFirst
        let longest = isRefusal ? retry.refusedLongest : retry.networkLongest
        var wait = first
        for _ in 0..<min(state.failures, 16) { wait = min(2 * wait, longest) }
        wait *= randomShare(0.5...1)
        // What the server asks for is the least; a little more keeps a crowd of clients apart.
        if let least { wait = max(wait, Double(min(least, 86_400)) * randomShare(1...1.1)) }
        state.failures += 1
        state.registration = .failed
        state.reachability.stop()
        state.lackedNetwork = kind == .network ? now : nil
        // What was learned of a connection goes with it.
        if kind == .network { (state.keepAlive, state.flowConnection, state.flowHeard) = (nil, nil, nil) }
        if !isRefusal { state.messages.isDoubtful = true }
        state.next = now.advanced(byMilliseconds: 1000 * wait)
        accounts[id] = state
        timers.schedule(.account(id), at: state.next)
        emit(
            .registrationFailed(id, RegistrationFailure(kind: kind, status: status, reason: reason, retryAfter: wait)))
    }

    /// One server may have several streams, each for another name of its certificate: whether this is the registration's.
    private func isFlow(of state: AccountState, _ destination: SignallingDestination) -> Bool {
        guard destination.transport.isStream else { return true }
        if let connection = destination.connection, let own = state.flowConnection { return connection == own }
        return state.flow?.serverName == destination.serverName
    }

    /// The way that a registration's calls would come has gone (RFC 5626 section 4.2.1): it is made anew.
    func flowFailed(_ destination: SignallingDestination, reason: String, now: HostTime) {
        for (id, state) in accounts.sorted(by: { $0.key.name < $1.key.name })
        where state.isWanted && state.registration == .registered
            && state.flow?.transport == destination.transport && state.flow?.address == destination.address
            && isFlow(of: state, destination)
        {
            failed(id, .network, nil, reason, now: now)
        }
    }
}
