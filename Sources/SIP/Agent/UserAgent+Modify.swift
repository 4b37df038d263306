import Realtime

/// Changes of a session in either direction: re-INVITE and UPDATE (RFC 3261 section 14, RFC 3311).
extension UserAgent {
    /// Asks the peer to change the session: `body` is the new offer; nil asks the peer for one. `usesUpdate`: UPDATE
    /// instead of re-INVITE, also before the call is answered (the peer must allow it).
    public func modify(
        _ handle: CallHandle, body: Body?, usesUpdate: Bool = false, now: HostTime
    ) throws(UserAgentError) {
        let call = try call(handle)
        // Before the answer, the first offer must have been answered reliably (RFC 3311 section 5.1).
        let isAgreed =
            call.agreedTags.contains(call.currentTag ?? "") && call.reliable == nil
        // It is as good as answered: what is wished comes after the PRACK and the ACK.
        if call.queuedAnswer != nil {
            call.isChangeAwaited = true
            throw .offerPending
        }
        guard call.current != nil, call.isAnswered || (usesUpdate && body != nil && isAgreed) else {
            throw .wrongState("it is not answered")
        }
        guard !usesUpdate || call.peerServesUpdate else { throw .wrongState("the peer does not serve UPDATE") }
        guard !call.hasPendingOffer, call.retry == nil, call.byeWhenAcknowledged == nil else {
            call.isChangeAwaited = true
            throw .offerPending
        }
        sendModification(call, body: body, usesUpdate: usesUpdate, now: now)
    }

    func sendModification(_ call: SIPCall, body: Body?, usesUpdate: Bool, now: HostTime) {
        guard var dialog = call.current else { return }
        var request = dialog.request(usesUpdate ? .update : .invite, body: body)
        call.current = dialog
        request.headers.append(.allow, Self.allowed)
        request.headers.append(.supported, Self.supportedExtensions.joined(separator: ", "))
        if let session = call.session {
            let isUAC = session.isRefresher
            let seconds = max(session.seconds, call.leastInterval)
            let value = SessionExpires(seconds: seconds, refresher: isUAC ? .uac : .uas)
            request.headers.append(.sessionExpires, value.text)
            request.headers.append(.minSE, String(max(configuration.minSE, call.leastInterval)))
        }
        let exchange = Exchange(request, .modify(call), account: call.account)
        call.modification = exchange
        call.lostWay?.next = nil
        start(exchange, now: now)
    }

    func modificationProgressed(_ call: SIPCall, _ exchange: Exchange, _ result: Exchange.Result, now: HostTime) {
        if case .final(let response) = result, response.isSuccess, exchange.request.method == .invite,
            acknowledgedAgain(call, response, now: now)
        {
            return
        }
        if case .provisional(let response) = result { return modificationProvisional(call, exchange, response, now: now) }
        let isOurs = call.modification === exchange
        if isOurs { call.modification = nil }
        guard !call.hasEnded else { return acknowledgeLate(call, exchange, result, now: now) }
        guard isOurs else { return }
        call.lostWay = if case .unreachable = result { nextWay(call, now: now) } else { nil }
        switch result {
        case .final(let response) where response.isSuccess: modified(call, exchange, response, now: now)
        case .final(let response): modificationRefused(call, exchange, response, now: now)
        case .timedOut:
            hangUp(call, CallEnd(.timeout, status: 408), now: now)
        case .unreachable:
            let wanted = exchange.carriesKeys ? " by TLS, and keys go by no other" : ""
            emit(.modificationFailed(call.handle, status: 503, reason: "no way to the peer" + wanted))
        case .unauthenticated(let failure, let response):
            emit(.modificationFailed(call.handle, status: response.status, reason: failure.rawValue))
        case .provisional: break
        }
        goOn(call, now: now)
    }

    /// Twice as long after each attempt, up to the time that a transaction has.
    private func nextWay(_ call: SIPCall, now: HostTime) -> SIPCall.LostWay {
        let count = (call.lostWay?.count ?? 0) + 1
        let wait = min(configuration.timers.t1 * Double(1 << min(count, 16)), configuration.timers.timeout)
        return SIPCall.LostWay(count: count, next: now.advanced(byMilliseconds: wait))
    }

    /// How many changes of ours in a row found no way to the peer; 0: the last one found one, whatever came of it. Nobody has
    /// refused them, and `modificationPossible` tells when another one is worth trying.
    package func lostWays(of handle: CallHandle) -> Int { calls[handle]?.lostWay?.count ?? 0 }

    private func modificationProvisional(_ call: SIPCall, _ exchange: Exchange, _ response: Response, now: HostTime) {
        guard response.headers.lists("100rel", in: .require), let number = response.headers.rSeq,
            let tag = response.headers.to.tag, !call.hasEnded
        else { return }
        let rAck = RAck(responseNumber: number, cSeq: response.headers.cSeq)
        // A repetition, or one that came before its turn: its PRACK, or its own repetition, mends it.
        if let last = exchange.reliableNumber, number != last &+ 1 { return prackAgain(call, tag: tag, rAck, now: now) }
        exchange.reliableNumber = number
        if !exchange.request.body.isEmpty, exchange.reliableAnswer == nil {
            exchange.reliableAnswer = Body(headers: response.headers, bytes: response.body)?.sdp
        }
        prack(call, tag: tag, rAck, body: nil, now: now)
    }

    /// A re-INVITE's 2xx that comes after the BYE still wants its ACK.
    private func acknowledgeLate(_ call: SIPCall, _ exchange: Exchange, _ result: Exchange.Result, now: HostTime) {
        guard case .final(let response) = result, response.isSuccess, exchange.request.method == .invite,
            let dialog = call.current
        else { return }
        let number = response.headers.cSeq.number
        acknowledge(call, dialog, number: number, body: nil, like: exchange.request, now: now)
    }

    private func modified(_ call: SIPCall, _ exchange: Exchange, _ response: Response, now: HostTime) {
        guard var dialog = call.current else { return }
        dialog.refreshTarget(response.headers)
        call.current = dialog
        (call.retryCount, call.intervalRetries) = (0, 0)
        notePeer(call, response.headers)
        agreeOnSession(call, response: response, now: now)
        let body = Body(headers: response.headers, bytes: response.body)?.sdp ?? exchange.reliableAnswer
        let isInvite = exchange.request.method == .invite
        if !call.isAnswered, !exchange.request.body.isEmpty { call.hasEarlyChange = true }
        let needsAnswer = isInvite && exchange.request.body.isEmpty && body != nil
        let number = response.headers.cSeq.number
        if needsAnswer {
            owe(call, tag: dialog.id.remoteTag, number: number, .acknowledge, now: now)
        } else if isInvite {
            acknowledge(call, dialog, number: number, body: nil, like: exchange.request, now: now)
        }
        // Only what was agreed to is said again by a refresh: a refused offer leaves everything as it was.
        call.localBody = Body(headers: exchange.request.headers, bytes: exchange.request.body) ?? call.localBody
        // A refresh without a body changes nothing that anybody has to know.
        if !isInvite, exchange.request.body.isEmpty { return }
        emit(
            .modified(
                call.handle,
                AgreedBody(
                    branch: dialog.id.remoteTag, body: body, needsAnswer: needsAnswer, headers: response.headers)))
    }

    private func modificationRefused(_ call: SIPCall, _ exchange: Exchange, _ response: Response, now: HostTime) {
        let usesUpdate = exchange.request.method == .update
        let body = Body(headers: exchange.request.headers, bytes: exchange.request.body)
        if usesUpdate, response.status == 405 || response.status == 501 {
            // What named it in Allow was another phone, or a server between.
            call.refusesUpdate = true
            // A change of the peer's that is under way refreshes the session too; else the next refresh of ours does.
            if body == nil, !call.hasPendingOffer {
                return sendModification(call, body: call.localBody, usesUpdate: false, now: now)
            }
        }
        switch response.status {
        case 491 where call.retryCount < 6:
            // Who made the Call-ID waits longer, so that both do not meet again (RFC 3261 section 14.1).
            let wait = call.isOutgoing ? randomShare(2.1...4) : randomShare(0...2)
            call.retryCount += 1
            call.retry = SIPCall.Retry(
                body: body, usesUpdate: usesUpdate,
                time: now.advanced(byMilliseconds: 10 * (100 * wait).rounded()), count: call.retryCount)
        case 500 where call.retryCount < 6 && response.headers.retryAfter.map { $0 <= 10 } == true:
            call.retryCount += 1
            call.retry = SIPCall.Retry(
                body: body, usesUpdate: usesUpdate,
                time: now.advanced(byMilliseconds: 1000 * Double(response.headers.retryAfter ?? 0) + 10),
                count: call.retryCount)
        case 422 where call.session != nil && wantsLongerInterval(call, response):
            sendModification(call, body: body, usesUpdate: usesUpdate, now: now)
        default:
            call.retryCount = 0
            guard !endsCall(call, .final(response), now: now) else { return }
            emit(.modificationFailed(call.handle, status: response.status, reason: response.reason))
        }
    }

    func retryModification(_ call: SIPCall, _ retry: SIPCall.Retry, now: HostTime) {
        guard !call.hasPendingOffer else {
            // The peer's own change is under way: ours waits for a while more.
            call.retry = SIPCall.Retry(
                body: retry.body, usesUpdate: retry.usesUpdate, time: now.advanced(byMilliseconds: 500),
                count: retry.count)
            return
        }
        sendModification(call, body: retry.body, usesUpdate: retry.usesUpdate, now: now)
    }

    /// Something that others waited for is over, a PRACK or an offer: they have their turn.
    func goOn(_ call: SIPCall, now: HostTime) {
        defer { schedule(call) }
        guard !call.hasEnded, call.reliable == nil, call.remoteOffer == nil else { return }
        if let body = call.queuedAnswer {
            call.queuedAnswer = nil
            sendSuccess(call, body: body, now: now)
        }
        // Up to the next one that waits for a PRACK itself.
        while !call.isAnswered, call.reliable == nil, !call.queuedProvisionals.isEmpty {
            let next = call.queuedProvisionals.removeFirst()
            sendProvisional(call, next.status, next.body, now: now)
        }
        guard call.isChangeAwaited, !call.hasPendingOffer, call.retry == nil, call.byeWhenAcknowledged == nil else { return }
        call.isChangeAwaited = false
        emit(.modificationPossible(call.handle))
    }

    // MARK: The peer's changes

    func offered(_ call: SIPCall, _ request: Request, _ key: TransactionKey, _ source: SignallingSource, now: HostTime) {
        let isInvite = request.method == .invite
        func refuse(_ status: Int, _ fields: [HeaderField] = []) {
            var answer = response(to: request, status, tag: call.localTag)
            for field in fields { answer.headers.append(field) }
            respond(key, answer, now: now)
        }
        if let refusal = bodyRefusal(request) { return refuse(refusal.status, refusal.fields) }
        if let interval = request.headers.sessionExpires, interval.seconds < configuration.minSE,
            request.headers.lists("timer", in: .supported)
        {
            return refuse(422, [HeaderField(.minSE, String(configuration.minSE))])
        }
        // A body of another kind is no offer: an UPDATE with one only refreshes.
        let isChange = isInvite || request.hasOffer
        if isChange {
            if isInvite, !call.isAnswered { return refuse(call.isOutgoing ? 491 : 500, retrySoon) }
            // Their change meets one of theirs that is not done: 500. It meets one of ours, or an INVITE meets ours: 491 (RFC 3311
            // section 5.2, RFC 3261 section 14.2).
            if call.remoteOffer != nil || (!isInvite && call.owedAnswer != nil) { return refuse(500, retrySoon) }
            let meetsOurs = call.modification.map { $0.request.method == .invite || !$0.request.body.isEmpty } ?? false
            if meetsOurs || call.success != nil || call.owedAnswer != nil { return refuse(491) }
            // UPDATE before an answer: the INVITE's own offer is still open.
            let isAgreed = call.agreedTags.contains(request.headers.from.tag ?? "") && call.reliable == nil
            if !call.isAnswered, !isAgreed {
                let isOurs =
                    call.isOutgoing || (call.request?.hasOffer == false && call.reliable?.response.body.isEmpty == false)
                return refuse(isOurs ? 491 : 500, retrySoon)
            }
            // Ours that met theirs is over (491): who comes first is served, and the user's offer is made anew after it.
            if call.retry != nil { (call.retry, call.isChangeAwaited) = (nil, true) }
        }
        if let id = DialogID(incoming: request), var dialog = call.dialogs[id.remoteTag] {
            dialog.refreshTarget(request.headers)
            call.dialogs[id.remoteTag] = dialog
        }
        notePeer(call, request.headers)
        guard isChange else {
            // UPDATE without an offer only refreshes the session.
            var answer = response(to: request, 200, tag: call.localTag)
            addDialogFields(to: &answer, request, source: source, account: call.account)
            agreeOnSession(call, request: request, answer: &answer, now: now)
            respond(key, answer, now: now)
            return schedule(call)
        }
        if isInvite { respond(key, response(to: request, 100, tag: nil), now: now) }
        ask(call, about: request, key, source, now: now)
    }

    /// Asks the user about an offer of the peer's, or for one.
    func ask(
        _ call: SIPCall, about request: Request, _ key: TransactionKey, _ source: SignallingSource, now: HostTime
    ) {
        // The user's answer has to be there before the peer's transaction gives up.
        let share = request.method == .invite ? 1 : 0.75
        let limit = now.advanced(byMilliseconds: share * configuration.timers.timeout)
        call.remoteOffer = SIPCall.RemoteOffer(key: key, request: request, limit: limit)
        call.source = source
        schedule(call)
        emit(.modificationRequested(call.handle, Body(headers: request.headers, bytes: request.body)))
    }

    private var retrySoon: [HeaderField] {
        [HeaderField(.retryAfter, String(Int(randomShare(0...10))))]
    }

    func agree(_ call: SIPCall, _ offer: SIPCall.RemoteOffer, body: Body?, now: HostTime) {
        call.remoteOffer = nil
        guard let source = call.source else { return }
        var answer = response(to: offer.request, 200, tag: call.localTag)
        // PRACK refreshes neither the target nor the session.
        if offer.request.method != .prack {
            addDialogFields(to: &answer, offer.request, source: source, account: call.account)
            agreeOnSession(call, request: offer.request, answer: &answer, now: now)
        }
        if let body {
            answer.set(body)
            call.localBody = body
        }
        if offer.request.method == .invite {
            let hasOffer = body != nil && !offer.request.hasOffer
            repeatUntilAcknowledged(call, offer.key, offer.request, answer, hasOffer: hasOffer, now: now)
        } else {
            if !call.isAnswered { call.hasEarlyChange = true }
            respond(offer.key, answer, now: now)
            goOn(call, now: now)
        }
    }
}
