import Realtime

/// Calls that come: INVITE without a To tag, up to our final response (RFC 3261 section 13.3).
extension UserAgent {
    func invited(_ request: Request, _ key: TransactionKey, _ source: SignallingSource, now: HostTime) {
        let headers = request.headers
        let (account, isServer) = account(for: request, source)
        // Without a state, and with one answer: the address may be forged.
        guard isServer || configuration.admitsCalls(source) else { return reply(to: request, 403, from: source) }
        if let refusal = refusal(of: request) {
            return reply(to: request, refusal.status, from: source, adding: refusal.fields)
        }
        let replaced: SIPCall?
        switch replacement(headers) {
        case .none: replaced = nil
        case .call(let call): replaced = call
        case .refused(let status): return reply(to: request, status, from: source)
        }
        guard admitsRinging(from: source) else {
            emit(.dropped(.tooManyCalls, source))
            return refuseForNow(request, source)
        }
        guard open(request, key, source, now: now) else { return refuseForNow(request, source) }
        let handle = CallHandle(number: nextNumber())
        let call = SIPCall(
            handle: handle, isOutgoing: false, account: account, callID: headers.callID, localTag: randomToken())
        call.serverKey = key
        call.request = request
        call.source = source
        call.replaces = replaced?.handle
        var patience = configuration.ringingLimit
        // The caller may want to know sooner (RFC 3261 section 13.3.1).
        if let expires = headers.expires, expires > 0, Double(expires) < patience {
            (patience, call.unansweredStatus) = (Double(expires), 487)
        }
        call.ringingLimit = now.advanced(byMilliseconds: 1000 * patience)
        notePeer(call, headers)
        var dialog = Dialog(callee: request, localTag: call.localTag, usesTLS: source.transport == .tls)
        dialog.startNumbering(at: UInt32(truncatingIfNeeded: random.next() as UInt64) & 0xFFFF)
        calls[handle] = call
        add(dialog, to: call)
        call.currentTag = dialog.id.remoteTag
        respond(key, response(to: request, 100, tag: nil), now: now)
        schedule(call)
        emit(
            .incoming(
                handle,
                IncomingCall(
                    from: headers.from, to: headers.to, requestURI: request.uri, callID: headers.callID, source: source,
                    account: account, isFromAccountServer: isServer,
                    assertedIdentity: isServer ? headers.address(.pAssertedIdentity) : nil,
                    body: Body(headers: headers, bytes: request.body), replaces: replaced?.handle, headers: headers)))
    }

    private func refuseForNow(_ request: Request, _ source: SignallingSource) {
        reply(to: request, 503, from: source, adding: [HeaderField(.retryAfter, "10")])
    }

    /// Why an INVITE cannot be served, whoever answers the telephone.
    private func refusal(of request: Request) -> (status: Int, fields: [HeaderField])? {
        let headers = request.headers
        let accepted = configuration.acceptedTypes
        if let refusal = bodyRefusal(request) { return refusal }
        if headers.contains(.accept) {
            let wanted = headers.tokens(.accept).map { Body(contentType: $0, bytes: []).mediaType }
            let fits = wanted.contains { $0 == "*/*" || $0 == "application/*" || accepted.contains($0) }
            if !fits { return (406, []) }
        }
        if let interval = headers.sessionExpires, interval.seconds < configuration.minSE,
            headers.lists("timer", in: .supported)
        {
            return (422, [HeaderField(.minSE, String(configuration.minSE))])
        }
        return nil
    }

    /// 415 for a body, or an encoding, that we cannot read. An offer is never taken for absent instead.
    func bodyRefusal(_ request: Request) -> (status: Int, fields: [HeaderField])? {
        let accept = HeaderField(.accept, configuration.acceptedTypes.joined(separator: ", "))
        if let coding = request.headers.text(.contentEncoding), !coding.equalsIgnoringCase("identity") {
            return (415, [HeaderField(.acceptEncoding, "identity"), accept])
        }
        guard let body = Body(headers: request.headers, bytes: request.body) else { return nil }
        // Whoever cannot read it may do without (RFC 3261 section 20.11).
        if request.headers.contentDisposition?.parameters["handling"]?.equalsIgnoringCase("optional") == true { return nil }
        let fits =
            configuration.acceptedTypes.contains(body.mediaType)
            || body.parts.contains { configuration.acceptedTypes.contains($0.mediaType) } || body.sdp != nil
        return fits ? nil : (415, [accept])
    }

    /// What an INVITE says of a call whose place it takes.
    private enum Replacement {
        case none
        case call(SIPCall)
        case refused(Int)
    }

    /// RFC 3891 section 3.
    private func replacement(_ headers: Headers) -> Replacement {
        guard headers.contains(.replaces) else { return .none }
        guard headers.all(.replaces).count == 1, let replaces = headers.replaces else { return .refused(400) }
        let id = DialogID(callID: replaces.callID, localTag: replaces.toTag, remoteTag: replaces.fromTag)
        guard let call = dialogs[id] else { return .refused(481) }
        // It is being ended.
        guard call.byeWhenAcknowledged == nil else { return .refused(603) }
        if call.isAnswered { return replaces.earlyOnly ? .refused(486) : .call(call) }
        // Who calls us and is not answered yet is nobody's to take: only what we have begun may be picked up elsewhere.
        return call.isOutgoing ? .call(call) : .refused(481)
    }

    private func admitsRinging(from source: SignallingSource) -> Bool {
        let ringing = calls.values.filter { !$0.isOutgoing && !$0.isAnswered }
        let isTrusted = isAccountServer(source)
        guard calls.count < configuration.caps.calls, ringing.count < configuration.caps.ringing else { return false }
        let own = ringing.filter { $0.source?.remote.host == source.remote.host }
        return isTrusted || own.count < configuration.caps.ringingPerSource
    }

    /// Whose request it is: the account whose user and domain, or registered Contact, it is addressed to; else one that its sender
    /// serves, which may have other numbers as well. A server that has not let an account register sends it none.
    func account(for request: Request, _ source: SignallingSource) -> (AccountID?, isServer: Bool) {
        let user = request.uri.sip?.userText
        let fitting = accounts.values.filter { state in
            guard let own = state.account.address.userText else { return false }
            return own == user
                || (request.headers.to.uri.sip?.userText == own
                    && request.headers.to.uri.sip?.host.equalsIgnoringCase(state.account.address.host) == true)
        }.sorted { $0.account.id.name < $1.account.id.name }
        if let state = fitting.first(where: { $0.serves(source) }) {
            return (state.account.id, true)
        }
        let served = accounts.filter { _, state in
            state.serves(source) && (state.flow != nil || !state.isWanted)
        }.keys
        if let id = served.min(by: { $0.name < $1.name }) { return (id, true) }
        return (fitting.first?.account.id, false)
    }

    // MARK: What the person does with it

    /// Tells the caller that it rings (180), or how far it is (181 to 183; with a body for early media). It is sent
    /// reliably where the caller wants that, or where a body makes it matter and the caller can (RFC 3262).
    public func ring(
        _ handle: CallHandle, status: Int = 180, body: Body? = nil, now: HostTime
    ) throws(UserAgentError) {
        let call = try call(handle)
        guard !call.isOutgoing, !call.isAnswered, call.request != nil, status > 100, status < 200 else {
            throw .wrongState("it does not ring here")
        }
        if call.reliable != nil {
            guard call.queuedProvisionals.count < 8 else { return }
            call.queuedProvisionals.append((status, nil, body))
            return
        }
        sendProvisional(call, status, body, now: now)
    }

    /// Whether what `ring` was to tell waits for an offer of ours: `ring` with a body tells it.
    public func owesEarlyOffer(_ handle: CallHandle) -> Bool { calls[handle]?.owesEarlyOffer ?? false }

    func sendProvisional(_ call: SIPCall, _ status: Int, _ body: Body?, now: HostTime) {
        guard let request = call.request, let source = call.source, let key = call.serverKey else { return }
        let wanted = request.headers.lists("100rel", in: .require)
        // What is reliable has our offer, where the caller has made none (RFC 3262 section 5): it waits for that.
        call.owesEarlyOffer = wanted && body == nil && !request.hasOffer && call.agreedTags.isEmpty
        guard !call.owesEarlyOffer else { return }
        var answer = response(to: request, status, tag: call.localTag)
        addDialogFields(to: &answer, request, source: source, account: call.account)
        let body = call.isSettledOtherwise ? nil : body
        if let body {
            answer.set(body)
            call.localBody = body
        }
        let possible = configuration.supportsReliableProvisional && request.headers.lists("100rel", in: .supported)
        if wanted || (possible && body != nil) {
            if call.lastReliableNumber == 0 {
                call.lastReliableNumber = UInt32(truncatingIfNeeded: random.next() as UInt64) & 0x7FFF_FFFF
            }
            call.lastReliableNumber = max(1, call.lastReliableNumber &+ 1)
            answer.headers.append(.require, "100rel")
            answer.headers.append(.rSeq, String(call.lastReliableNumber))
            let t1 = configuration.timers.t1
            call.reliable = SIPCall.Reliable(
                number: call.lastReliableNumber, response: answer, interval: t1, next: now.advanced(byMilliseconds: t1),
                limit: now.advanced(byMilliseconds: configuration.timers.timeout))
        }
        call.lastProvisional = answer
        // Proxies forget an INVITE after three minutes of silence (RFC 3261 section 13.3.1.1).
        call.nextProvisional = now.advanced(byMilliseconds: 60_000)
        respond(key, answer, now: now)
        schedule(call)
    }

    /// Answers a call that rings, or agrees to the change that the peer asked for. `body` is the answer to the peer's
    /// offer, or our offer when it made none.
    public func answer(_ handle: CallHandle, body: Body?, now: HostTime) throws(UserAgentError) {
        let call = try call(handle)
        if let offer = call.remoteOffer { return agree(call, offer, body: body, now: now) }
        guard !call.isOutgoing, !call.isAnswered, call.request != nil, call.queuedAnswer == nil else {
            throw .wrongState("it does not ring here")
        }
        // A 2xx waits for the PRACK to what was said reliably before it (RFC 3262 section 3).
        if call.reliable != nil {
            call.queuedProvisionals = []
            call.queuedAnswer = .some(body)
            return
        }
        sendSuccess(call, body: body, now: now)
    }

    func sendSuccess(_ call: SIPCall, body: Body?, now: HostTime) {
        guard let request = call.request, let source = call.source, let key = call.serverKey else { return }
        var answer = response(to: request, 200, tag: call.localTag)
        addDialogFields(to: &answer, request, source: source, account: call.account)
        agreeOnSession(call, request: request, answer: &answer, now: now)
        let body = call.isSettledOtherwise ? nil : body
        if let body {
            answer.set(body)
            call.localBody = body
        }
        call.isAnswered = true
        call.ringingLimit = nil
        call.nextProvisional = nil
        if var dialog = call.current {
            dialog.confirm()
            call.current = dialog
        }
        repeatUntilAcknowledged(call, key, request, answer, hasOffer: body != nil && !request.hasOffer, now: now)
        if let handle = call.replaces, let old = calls[handle] {
            call.replaces = nil
            hangUp(old, CallEnd(.replaced), now: now)
        }
    }

    func repeatUntilAcknowledged(
        _ call: SIPCall, _ key: TransactionKey, _ request: Request, _ answer: Response, hasOffer: Bool, now: HostTime
    ) {
        let timers = configuration.timers
        call.success = SIPCall.Success(
            key: key, number: request.headers.cSeq.number, response: answer, hasOffer: hasOffer, interval: timers.t1,
            next: now.advanced(byMilliseconds: timers.t1), limit: now.advanced(byMilliseconds: timers.timeout))
        respond(key, answer, now: now)
        schedule(call)
    }

    /// Refuses a call that rings, or the change that the peer asked for. `status` is 300 to 699; `contacts` of a 3xx say
    /// where to call instead; `warning` says what did not fit (488), `retryAfter` in how many seconds to come again (503).
    public func reject(
        _ handle: CallHandle, status: Int, reason: String? = nil, contacts: [NameAddress] = [], warning: Warning? = nil,
        retryAfter seconds: UInt32? = nil, now: HostTime
    ) throws(UserAgentError) {
        let call = try call(handle)
        guard status >= 300, status < 700 else { throw .wrongState("\(status) refuses nothing") }
        var fields = contacts.map { HeaderField(.contact, $0.text) }
        if let warning { fields.append(HeaderField(.warning, warning.text)) }
        if status == 503, let retryAfter = seconds ?? retryAfter { fields.append(HeaderField(.retryAfter, String(retryAfter))) }
        if let offer = call.remoteOffer {
            call.remoteOffer = nil
            var answer = response(to: offer.request, status, reason: reason, tag: call.localTag)
            for field in fields { answer.headers.append(field) }
            respond(offer.key, answer, now: now)
            return goOn(call, now: now)
        }
        guard !call.isOutgoing, !call.isAnswered else { throw .wrongState("it does not ring here") }
        refuse(call, status, reason: reason, adding: fields, now: now)
        end(call, CallEnd(.local, status: status, reason: reason))
    }

    /// The final response to an INVITE that rings; the caller tells the call's end.
    func refuse(
        _ call: SIPCall, _ status: Int, reason: String? = nil, adding fields: [HeaderField] = [], now: HostTime
    ) {
        guard let request = call.request, let key = call.serverKey else { return }
        var answer = response(to: request, status, reason: reason, tag: call.localTag)
        for field in fields { answer.headers.append(field) }
        respond(key, answer, now: now)
    }

    // MARK: ACK, PRACK and CANCEL

    /// The ACK to a 2xx of ours.
    func acknowledged(_ call: SIPCall, _ ack: Request, now: HostTime) {
        guard let success = call.success, success.number == ack.headers.cSeq.number else { return }
        call.success = nil
        // Who acknowledges knows our tag, so he is where he says, and may have begun more calls than others may send requests.
        if let host = call.source?.remote.host { load.move(success.key, from: host, to: Self.answered(host)) }
        if let end = call.byeWhenAcknowledged {
            call.byeWhenAcknowledged = nil
            return sayBye(call, end, now: now)
        }
        emit(.acknowledged(call.handle, success.hasOffer ? Body(headers: ack.headers, bytes: ack.body) : nil))
        goOn(call, now: now)
    }

    func acknowledgedReliably(
        _ call: SIPCall, _ request: Request, _ key: TransactionKey, _ source: SignallingSource, now: HostTime
    ) {
        guard let rAck = request.headers.rAck, let reliable = call.reliable, let invite = call.request,
            rAck.responseNumber == reliable.number, rAck.cSeq == invite.headers.cSeq
        else { return respond(key, response(to: request, 481, tag: call.localTag), now: now) }
        call.reliable = nil
        // A body of another kind says nothing of the session.
        let body = Body(headers: request.headers, bytes: request.body)?.sdp
        let tag = call.currentTag ?? ""
        let isOfferOurs = !invite.hasOffer && !call.agreedTags.contains(tag)
        if !reliable.response.body.isEmpty, body != nil || !isOfferOurs { call.agreedTags.insert(tag) }
        // Once an offer has its answer, PRACK may bring another one; its 200 has the answer (RFC 3262 section 5).
        if body != nil, !isOfferOurs, call.agreedTags.contains(tag) {
            guard let refusal = bodyRefusal(request) else { return ask(call, about: request, key, source, now: now) }
            var answer = response(to: request, refusal.status, tag: call.localTag)
            for field in refusal.fields { answer.headers.append(field) }
            respond(key, answer, now: now)
        } else {
            respond(key, response(to: request, 200, tag: call.localTag), now: now)
            if let body, call.agreedTags.contains(tag) { emit(.acknowledged(call.handle, body)) }
        }
        goOn(call, now: now)
    }

    func cancelled(_ request: Request, _ key: TransactionKey, _ source: SignallingSource, now: HostTime) {
        let target = key.with(method: .invite)
        guard let transaction = servers[target] else { return reply(to: request, 481, from: source) }
        let call = calls.values.first { $0.serverKey == target || $0.remoteOffer?.key == target }
        // The To tag of the INVITE's responses (RFC 3261 section 9.2).
        reply(to: request, 200, from: source, tag: call?.localTag ?? transaction.toTag)
        guard !transaction.isAnswered, let call else { return }
        if call.remoteOffer?.key == target {
            call.remoteOffer = nil
            respond(target, response(to: transaction.request, 487, tag: call.localTag), now: now)
            emit(.modificationFailed(call.handle, status: 487, reason: StatusCode.reason(487)))
            return goOn(call, now: now)
        }
        finishOpenRequests(call, now: now)
        refuse(call, 487, now: now)
        end(call, CallEnd(.remote, status: 487, headers: request.headers))
    }
}

extension Request {
    /// Whether it brings an offer. A body of another kind leaves that to us.
    var hasOffer: Bool { Body(headers: headers, bytes: body)?.sdp != nil }
}
