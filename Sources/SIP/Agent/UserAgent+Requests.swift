import Realtime

/// Requests that come, up to the point where a call or a dialog takes them (RFC 3261 section 8.2).
extension UserAgent {
    func receive(_ request: Request, from source: SignallingSource, now: HostTime) {
        guard let key = TransactionKey(request: request) else { return }
        if servers[key] != nil { return drive(server: key, .request(request), now: now) }
        switch request.method {
        case .ack:
            if let id = DialogID(incoming: request), let call = dialogs[id] {
                acknowledged(call, request, now: now)
            } else if request.headers.to.tag != statelessTag(request) {
                // Of a refusal that was kept no state of, it is as it should be.
                emit(.dropped(.strayAcknowledgement, source))
            }
        case .cancel: cancelled(request, key, source, now: now)
        default:
            if DialogID(incoming: request) != nil {
                receiveInDialog(request, key, source, now: now)
            } else {
                receiveOutOfDialog(request, key, source, now: now)
            }
        }
    }

    private func receiveOutOfDialog(_ request: Request, _ key: TransactionKey, _ source: SignallingSource, now: HostTime) {
        let method = request.method
        guard Method.served.contains(method) else {
            let known = Method.knownButNotServed.contains(method)
            return reply(to: request, known ? 405 : 501, from: source, adding: [HeaderField(.allow, Self.allowed)])
        }
        switch request.uri {
        case .sip, .tel: break
        case .other: return reply(to: request, 416, from: source)
        }
        if !merges.isEmpty, let key = mergeKey(request), let other = merges[key], servers[other] != nil {
            // The same request came over another way (RFC 3261 section 8.2.2.2).
            return reply(to: request, 482, from: source)
        }
        guard refuseUnknownExtensions(request, source) == false else { return }
        // Only an INVITE takes a call's place (RFC 3891 section 3).
        guard method == .invite || !request.headers.contains(.replaces) else { return reply(to: request, 400, from: source) }
        if let retryAfter, method == .invite || method == .options {
            return reply(to: request, 503, from: source, adding: [HeaderField(.retryAfter, String(retryAfter))])
        }
        switch method {
        case .invite: invited(request, key, source, now: now)
        case .options:
            noteProbe(request, now: now)
            if let fullRetryAfter {
                return reply(to: request, 503, from: source, adding: [HeaderField(.retryAfter, String(fullRetryAfter))])
            }
            reply(to: request, 200, from: source, adding: capabilities)
        case .message: messaged(request, key, source, now: now)
        case .notify: notified(request, key, source, now: now)
        case .refer: reply(to: request, 403, from: source)
        // PRACK, UPDATE, INFO and BYE live in dialogs only.
        default: reply(to: request, 481, from: source)
        }
    }

    var capabilities: [HeaderField] {
        [
            HeaderField(.allow, Self.allowed),
            HeaderField(.accept, configuration.acceptedTypes.joined(separator: ", ")),
            HeaderField(.acceptEncoding, "identity"),
            HeaderField(.supported, Self.supportedExtensions.joined(separator: ", ")),
        ]
    }

    /// 420 to a `Require` that names what we do not know (RFC 3261 section 8.2.2.3). True when it was sent.
    func refuseUnknownExtensions(_ request: Request, _ source: SignallingSource) -> Bool {
        let unknown = request.headers.tokens(.require).filter { name in
            !Self.supportedExtensions.contains { $0.equalsIgnoringCase(name) }
        }
        guard !unknown.isEmpty else { return false }
        reply(to: request, 420, from: source, adding: [HeaderField(.unsupported, unknown.joined(separator: ", "))])
        return true
    }

    func mergeKey(_ request: Request) -> String? {
        guard request.headers.to.tag == nil, let tag = request.headers.from.tag else { return nil }
        return "\(tag) \(request.headers.callID) \(request.headers.cSeq.text)"
    }

    /// Whether an account's server has answered from this address.
    public func isAccountServer(_ host: String) -> Bool { accounts.values.contains { $0.servers.contains(host) } }

    /// Whether an account's server has sent it: one that has answered from its address, by the account's transport.
    public func isAccountServer(_ source: SignallingSource) -> Bool { accounts.values.contains { $0.serves(source) } }

    // MARK: Transactions of the server

    /// Keeps a server transaction for `request`; false when its source, or everybody together, keeps too many.
    ///
    /// Requests of a `call` are not counted with those of their address: strangers there, or who claim to be there, cannot keep a
    /// call from being ended. They, and an account's servers, have as much room again as all others.
    func open(
        _ request: Request, _ key: TransactionKey, _ source: SignallingSource, in call: SIPCall? = nil, now: HostTime
    ) -> Bool {
        let caps = configuration.caps
        let isServer = isAccountServer(source)
        let host = source.remote.host
        let owner = call.map { "call \($0.handle.number)" } ?? host
        guard servers.count < (isServer || call != nil ? 2 : 1) * caps.transactions,
            isServer || load.transactions(of: owner) < caps.transactionsPerSource,
            isServer || call != nil || request.method != .invite
                || load.transactions(of: Self.answered(host)) < caps.answeredPerSource
        else {
            emit(.dropped(.tooManyTransactions, source))
            return false
        }
        load.add(key, owner: owner)
        let transaction = ServerTransaction(
            request: request, destination: source.destination(for: request.headers, rings: request.method == .invite),
            settings: configuration.timers, now: now)
        servers[key] = transaction
        if let merge = mergeKey(request) { merges[merge] = key }
        timers.schedule(.server(key), at: transaction.deadline)
        return true
    }

    /// As what the transactions are counted that began the answered calls of an address.
    static func answered(_ host: String) -> String { "answered \(host)" }

    func respond(_ key: TransactionKey, _ response: Response, now: HostTime) {
        drive(server: key, .respond(response), now: now)
    }

    func drive(server key: TransactionKey, _ event: ServerTransaction.Event, now: HostTime) {
        guard var transaction = servers[key] else { return }
        let actions = transaction.handle(event, now: now)
        if transaction.state == .terminated {
            servers[key] = nil
            load.remove(key)
            if let merge = mergeKey(transaction.request), merges[merge] == key { merges[merge] = nil }
        } else {
            servers[key] = transaction
            timers.schedule(.server(key), at: transaction.deadline)
        }
        for action in actions {
            switch action {
            case .send(let bytes): send(bytes, to: transaction.destination)
            case .deliver(let ack):
                if let id = DialogID(incoming: ack), let call = dialogs[id] { acknowledged(call, ack, now: now) }
            // The caller has gone without its ACK to an error: nothing is left to do.
            case .timedOut: break
            }
        }
    }

    // MARK: Small requests

    /// NOTIFY without a subscription is taken from an account's server only, where message waiting comes so.
    private func notified(_ request: Request, _ key: TransactionKey, _ source: SignallingSource, now: HostTime) {
        let owner = account(for: request, source)
        guard let event = request.headers.event, owner.isServer, let account = owner.0 else {
            return reply(to: request, 481, from: source)
        }
        guard open(request, key, source, now: now) else { return }
        respond(key, response(to: request, 200, tag: randomToken()), now: now)
        emit(.notified(account, event: event.token, Body(headers: request.headers, bytes: request.body)))
    }

    // MARK: Requests of our own outside of calls

    /// Asks `target` what it can do, or whether it is there (OPTIONS).
    public func options(_ target: URI, account: AccountID? = nil, now: HostTime) throws(UserAgentError) -> RequestID {
        try send(.options, to: target, account: account, body: nil, now: now)
    }

    /// Sends a request outside of a dialog, such as MESSAGE. `answer` tells how it went.
    public func send(
        _ method: Method, to target: URI, account id: AccountID? = nil, body: Body?, now: HostTime
    ) throws(UserAgentError) -> RequestID {
        guard method != .invite, method != .ack, method != .cancel, method != .register else {
            throw .wrongState("\(method) has a function of its own")
        }
        let state = try accountState(id)
        var request = try newRequest(method, to: target, state)
        if method == .options { request.headers.append(.accept, configuration.acceptedTypes.joined(separator: ", ")) }
        if let body { request.set(body) }
        let number = RequestID(number: nextNumber())
        start(Exchange(request, .request(number), account: id, nextHop: nextHop(for: request, state)), now: now)
        return number
    }

    /// Of a call of ours that is not answered: which of those that ring has an offer waiting for our answer, as `Progress.branch` names it.
    public func branchThatOffers(to handle: CallHandle) -> String? {
        calls[handle]?.remoteOffer?.request.headers.from.tag
    }

    /// Whether the answer to the change that a call's peer asks for goes back by TLS; false: it asks for none.
    public func answersByTLS(_ handle: CallHandle) -> Bool {
        guard let offer = calls[handle]?.remoteOffer else { return false }
        return servers[offer.key]?.destination.transport == .tls
    }

    /// The Call-ID of a call's messages; nil: there is no such call.
    public func callID(of handle: CallHandle) -> String? { calls[handle]?.callID }

    /// Where the INVITE of a call of ours has met somebody who answers.
    /// - Parameter handle: the call's.
    /// - Returns: nil: nobody has answered, or there is no such call.
    public func way(of handle: CallHandle) -> SignallingAddress? { calls[handle]?.way?.address }

    func requestProgressed(_ id: RequestID, _ result: Exchange.Result) {
        switch result {
        case .provisional: break
        case .final(let response):
            let body = Body(headers: response.headers, bytes: response.body)
            emit(.answer(id, status: response.status, reason: response.reason, body: body))
        case .timedOut: emit(.answer(id, status: 408, reason: StatusCode.reason(408), body: nil))
        case .unreachable: emit(.answer(id, status: 503, reason: "No way to the server", body: nil))
        case .unauthenticated(let failure, let response):
            emit(.answer(id, status: response.status, reason: failure.rawValue, body: nil))
        }
    }
}
