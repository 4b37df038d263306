import Realtime

/// Requests on their way out: resolved, sent, authenticated, tried at the next hop (RFC 3263 section 4.3).
extension UserAgent {
    func start(_ exchange: Exchange, now: HostTime) {
        guard let uri = exchange.firstPlace else { return finish(exchange, .unreachable, now: now) }
        if !configuration.resolvesNumericHosts, let hop = Self.numericHop(uri) {
            exchange.remaining = [hop]
            return tryNextHop(exchange, now: now)
        }
        let id = ResolutionID(number: nextNumber())
        resolutions[id] = exchange
        timers.schedule(.resolution(id), at: now.advanced(byMilliseconds: configuration.timers.timeout))
        outputs.append(.resolve(id, uri))
    }

    /// The answer to `resolve`: the hops in the order in which they are to be tried; none when the name leads nowhere.
    public func resolved(_ id: ResolutionID, _ hops: [ServerHop], now: HostTime) {
        guard let exchange = resolutions.removeValue(forKey: id) else { return }
        guard !isAbandoned(exchange) else { return finish(exchange, .unreachable, now: now) }
        let hops = preferred(hops, account: exchange.account, now: now)
        exchange.remaining = Array((hops.filter(exchange.isKnown) + hops.filter { !exchange.isKnown($0) }).prefix(16))
        tryNextHop(exchange, now: now)
    }

    /// The URI whose server a call to `target` goes to first: the account's proxy or registrar, or the target itself.
    public func firstServer(for target: URI, account id: AccountID? = nil) throws(UserAgentError) -> SIPURI {
        let state = try accountState(id)
        let request = try newRequest(.invite, to: target, state)
        let exchange = Exchange(request, .discard, account: id, nextHop: nextHop(for: request, state))
        guard let uri = exchange.firstPlace else { throw .badURI(target.text) }
        return uri
    }

    /// The hop of a URI that needs no name server; nil for a host name.
    private static func numericHop(_ uri: SIPURI) -> ServerHop? {
        let host = uri.placeHost
        guard HostPort.isNumeric(host) else { return nil }
        let asked = uri.parameters["transport"].flatMap { SignallingProtocol(rawValue: $0.asciiLowercased) }
        let transport = uri.isSecure ? SignallingProtocol.tls : asked ?? .udp
        let address = SignallingAddress(host: host, port: uri.port ?? transport.defaultPort)
        return ServerHop(transport: transport, address: address, serverName: transport == .tls ? HostPort.bare(host) : nil)
    }

    func tryNextHop(_ exchange: Exchange, now: HostTime) {
        while !exchange.remaining.isEmpty {
            let named = exchange.remaining.removeFirst()
            var hop = exchange.outside(named)
            if hop.transport != named.transport {
                // Each transport has a port of its own.
                let port = configuration.localAddresses[hop.transport]?.port ?? hop.transport.defaultPort
                hop.local = named.local.map { SignallingAddress(host: $0.host, port: port) }
            }
            guard !exchange.needsTLS || hop.transport == .tls else { continue }
            (exchange.hop, exchange.triedAt) = (hop, now)
            exchange.isElsewhere = hop.destination != named.destination
            // It may know nothing of what another one has said: its challenge is the first one.
            exchange.attempt.preempted.formUnion(exchange.attempt.realms)
            exchange.fit(to: hop)
            return launch(exchange, on: hop, now: now)
        }
        finish(exchange, .unreachable, now: now)
    }

    /// - Parameter isKnown: it has answered the request before, and may take its time.
    func launch(_ exchange: Exchange, on hop: ServerHop, isKnown: Bool = false, now: HostTime) {
        var request = exchange.request
        let branch = Via.cookie + randomToken(words: 2)
        // The Contact is for requests that come later, of whatever length.
        if case .register(let id) = exchange.purpose {
            request.headers.set(.contact, registerContact(id, hop: hop))
        } else if Self.needsContact(request.method) {
            let isServer = exchange.account.flatMap { accounts[$0] }.map { goesToOwnServer(exchange, $0) } ?? false
            request.headers.append(
                .contact, contact(account: exchange.account, hop: hop, secure: exchange.saysSIPS, isServer: isServer))
        }
        exchange.isMovedToStream = chooseWay(&request, of: exchange, to: hop, branch: branch, now: now)
        var destination = exchange.isMovedToStream ? streamHop(hop).destination : hop.destination
        destination.serverName = serverName(of: destination, for: exchange)
        // Who called over a stream is reached over that one: nothing may listen where its Contact points.
        if destination.transport.isStream, let source = exchange.source, source.transport == destination.transport,
            source.remote.host == destination.address.host
        {
            destination.connection = source.connection
        }
        if request.method == .ack {
            // Where no server of the account asks for them, they would be the peer's to guess the password by.
            if let id = exchange.account, !mayAcknowledgeByDigest(exchange, of: id) {
                request.headers.remove(.authorization)
                request.headers.remove(.proxyAuthorization)
            }
            let bytes = request.bytes
            if case .acknowledge(let call, let tag) = exchange.purpose {
                let until = now.advanced(byMilliseconds: configuration.timers.timeout)
                call.acknowledgements[tag] = SIPCall.Acknowledgement(
                    number: request.headers.cSeq.number, bytes: bytes, destination: destination,
                    moved: exchange.isMovedToStream ? (exchange.request, hop, until) : nil)
            }
            return send(bytes, to: destination)
        }
        let key = TransactionKey(branch: branch, method: request.method)
        exchange.key = key
        clients[key] = Client(
            transaction: ClientTransaction(
                request: request, destination: destination, settings: timers(for: exchange),
                patience: isKnown ? nil : patience(for: request, of: exchange, to: destination)),
            exchange: exchange)
        drive(client: key, .start, now: now)
    }

    /// The name that the certificate must have. Most PBXs give their numeric address in Contact and Record-Route, and no certificate has
    /// that: where it is the place that the call, or its account's registration, went to, the name is the one that was called or
    /// configured, and the stream that was verified for it serves.
    private func serverName(of destination: SignallingDestination, for exchange: Exchange) -> String? {
        guard destination.transport == .tls, destination.serverName.map(HostPort.isNumeric) ?? true else {
            return destination.serverName
        }
        let ways = [exchange.way, exchange.account.flatMap { accounts[$0]?.flow }].compactMap(\.self)
        let same = ways.first { $0.transport == .tls && $0.address == destination.address }
        return same?.serverName ?? destination.serverName
    }

    private static func needsContact(_ method: Method) -> Bool {
        [.invite, .update, .refer, .notify, .options, .subscribe].contains(method)
    }

    func localAddress(for hop: ServerHop) -> SignallingAddress {
        hop.local ?? configuration.localAddresses[hop.transport]
            ?? SignallingAddress(host: "0.0.0.0", port: hop.transport.defaultPort)
    }

    /// Our Contact towards `hop`: the address that the account's registrar saw, where that leads here, else the local one.
    /// - Parameter isServer: the hop is one of the account's servers, also where it has never answered yet.
    func contact(account id: AccountID?, hop: ServerHop, secure: Bool, isServer: Bool) -> String {
        let state = id.flatMap { accounts[$0] }
        let local = localAddress(for: hop)
        let address = state?.addressSeen(by: hop, local: local, isServer: isServer) ?? local
        var parameters = Parameters()
        if hop.transport != .udp, !secure { parameters.set("transport", hop.transport.rawValue) }
        let uri = SIPURI(
            isSecure: secure, user: state?.account.address.userText ?? configuration.user, host: address.host,
            port: address.port, parameters: parameters)
        return NameAddress(uri: .sip(uri)).text
    }

    // MARK: Transactions of the client

    func receive(_ response: Response, from source: SignallingSource, now: HostTime) {
        // A response with several Vias was sent to somebody else first: we are no proxy (RFC 3261 section 18.1.2).
        guard let branch = response.headers.topVia?.branch, response.headers.vias.count == 1 else {
            return emit(.dropped(.strayResponse, source))
        }
        let key = TransactionKey(branch: branch, method: response.headers.cSeq.method)
        guard clients[key] != nil else { return emit(.dropped(.strayResponse, source)) }
        drive(client: key, .response(response), now: now)
    }

    func drive(client key: TransactionKey, _ event: ClientTransaction.Event, now: HostTime) {
        guard var client = clients[key] else { return }
        let isUnheard = client.transaction.state == .calling
        let actions = client.transaction.handle(event, now: now)
        if client.transaction.state == .terminated {
            clients[key] = nil
        } else {
            clients[key]?.transaction = client.transaction
            timers.schedule(.client(key), at: client.transaction.deadline)
        }
        let exchange = client.exchange
        if isUnheard, !client.isOutrun, case .response(let response) = event {
            client.isOutrun = !settle(on: key, exchange, response, now: now)
        }
        for action in actions {
            switch action {
            case .send(let bytes): send(bytes, to: client.transaction.destination)
            case .deliver(let response) where client.isOutrun:
                outrunAnswered(key, exchange, response, isFirst: isUnheard, now: now)
            case .deliver(let response): deliver(response, to: exchange, now: now)
            case .silent: grewSilent(exchange, now: now)
            case .timedOut where !client.isOutrun: failOver(key, exchange, .timedOut, isUnheard: isUnheard, now: now)
            case .transportFailed where !client.isOutrun:
                if isUnheard, exchange.key == key, !isAbandoned(exchange), returnToDatagrams(exchange, now: now) { continue }
                failOver(key, exchange, .unreachable, isUnheard: isUnheard, now: now)
            case .timedOut, .transportFailed: break
            }
        }
    }

    private func deliver(_ response: Response, to exchange: Exchange, now: HostTime) {
        noteServer(exchange)
        noteRetryAfter(exchange, response, now: now)
        if response.isProvisional { return conclude(exchange, .provisional(response), now: now) }
        guard !exchange.isFinished else { return conclude(exchange, .final(response), now: now) }
        switch response.status {
        case 401, 407: authenticate(exchange, response, now: now)
        case 503 where !exchange.remaining.isEmpty && !isAbandoned(exchange): tryNextHop(exchange, now: now)
        default: finish(exchange, .final(response), now: now)
        }
    }

    private func failOver(
        _ key: TransactionKey, _ exchange: Exchange, _ result: Exchange.Result, isUnheard: Bool, now: HostTime
    ) {
        guard !exchange.isFinished else { return }
        if isUnheard { noteWait(key, exchange, now: now) }
        guard !waitsForOther(than: key, exchange) else { return }
        if exchange.remaining.isEmpty || isAbandoned(exchange) { return finish(exchange, result, now: now) }
        tryNextHop(exchange, now: now)
    }

    /// The person has hung up meanwhile: nothing is tried again.
    func isAbandoned(_ exchange: Exchange) -> Bool {
        if case .invite(let call) = exchange.purpose { return call.hasEnded }
        return false
    }

    /// A REGISTER that a later one has followed.
    private func isOutdated(_ exchange: Exchange) -> Bool {
        guard case .register(let id) = exchange.purpose else { return false }
        return accounts[id]?.number != exchange.request.headers.cSeq.number
    }

    /// Sends the request again with an answer to the challenge, to the hop that challenged.
    private func authenticate(_ exchange: Exchange, _ response: Response, now: HostTime) {
        guard !isAbandoned(exchange), !isOutdated(exchange) else { return finish(exchange, .final(response), now: now) }
        guard let id = exchange.account, let hop = exchange.hop,
            isAccountServer(exchange, of: id)
        else { return finish(exchange, .unauthenticated(.noCredentials, response), now: now) }
        var request = exchange.request
        do throws(AuthenticationFailure) {
            try accounts[id]?.authenticator.answer(
                response, in: &request, attempt: &exchange.attempt, clientNonce: randomToken(words: 2))
        } catch {
            return finish(exchange, .unauthenticated(error, response), now: now)
        }
        renumber(&request, of: exchange)
        exchange.request = request
        launch(exchange, on: hop, isKnown: true, now: now)
    }

    /// A digest is only for the account's own servers: its registrar, its proxy, or its domain. A configured realm
    /// stands for that too, wherever the challenge comes from.
    private func isAccountServer(_ exchange: Exchange, of id: AccountID) -> Bool {
        accounts[id].map { $0.account.realm != nil || reachesOwnServer(exchange, $0) } ?? false
    }

    /// An ACK has no challenge whose realm could be compared: of others than the account's own servers only who had the INVITE counts.
    private func mayAcknowledgeByDigest(_ exchange: Exchange, of id: AccountID) -> Bool {
        guard let state = accounts[id] else { return false }
        return reachesOwnServer(exchange, state) || state.account.realm != nil && exchange.hop.map(exchange.isKnown) == true
    }

    private func reachesOwnServer(_ exchange: Exchange, _ state: AccountState) -> Bool {
        goesToOwnServer(exchange, state)
            // The registrar's Service-Route, or the Record-Route of one of its servers.
            || exchange.hop.map { state.servers.contains($0.address.host) } ?? false
    }

    /// Whoever answers where the account's names lead is one of its servers, also before anything was registered there.
    private func noteServer(_ exchange: Exchange) {
        guard let id = exchange.account, let state = accounts[id], let hop = exchange.hop, goesToOwnServer(exchange, state)
        else { return }
        accounts[id]?.servers.insert(hop.address.host)
    }

    /// Whether it goes to the account's registrar, its proxy, or its domain. Where a peer's route leads counts, not what its URI says:
    /// a peer may name the account's domain, and another place to go to (`maddr`).
    private func goesToOwnServer(_ exchange: Exchange, _ state: AccountState) -> Bool {
        guard !exchange.isElsewhere, let place = (exchange.nextHop ?? exchange.request.nextHop.sip)?.placeHost else {
            return false
        }
        return [state.account.address, state.account.registrarURI, state.account.outboundProxy].contains {
            $0?.placeHost.equalsIgnoringCase(place) == true
        }
    }

    private func renumber(_ request: inout Request, of exchange: Exchange) {
        let method = request.method
        let number: UInt32
        // Of several phones that ring, each has a dialog of its own.
        if let call = exchange.call, let tag = request.headers.to.tag, var dialog = call.dialogs[tag] {
            number = dialog.next()
            call.dialogs[tag] = dialog
        } else if case .register(let id) = exchange.purpose {
            accounts[id]?.number += 1
            number = accounts[id]?.number ?? request.headers.cSeq.number + 1
        } else if case .subscribe(let id) = exchange.purpose {
            number = nextSubscribeNumber(id, after: request)
        } else {
            number = request.headers.cSeq.number + 1
        }
        request.headers.set(.cSeq, CSeq(number: number, method: method).text)
    }

    private func finish(_ exchange: Exchange, _ result: Exchange.Result, now: HostTime) {
        guard !exchange.isFinished else { return }
        exchange.isFinished = true
        conclude(exchange, result, now: now)
    }

    private func conclude(_ exchange: Exchange, _ result: Exchange.Result, now: HostTime) {
        switch exchange.purpose {
        case .invite(let call): inviteProgressed(call, exchange, result, now: now)
        case .modify(let call): modificationProgressed(call, exchange, result, now: now)
        case .prack(let call, let tag): prackProgressed(call, tag: tag, exchange, result)
        case .refer(let call): referProgressed(call, result, now: now)
        case .register(let id): registerProgressed(id, exchange, result, now: now)
        case .request(let id): requestProgressed(id, result)
        case .probe(let id): probeProgressed(id, exchange, result, now: now)
        case .subscribe(let id): subscribeProgressed(id, exchange, result, now: now)
        case .text(let call): textProgressed(call, exchange.request, result)
        case .info(let call): infoProgressed(call, result, now: now)
        case .notify(let call, let number): transferNotifyProgressed(call, refer: number, result)
        // Only a way that is not found concludes an ACK.
        case .acknowledge(let call, let tag): call.lostAcknowledgements[tag] = exchange.request
        case .discard: break
        }
    }
}
