import Realtime

/// Calls that we make: INVITE, its forks, PRACK, and the ACK to each 2xx (RFC 3261 section 13.2, RFC 3262).
extension UserAgent {
    /// Calls `target`. Without a body the peer makes the offer. `account` says who calls; a `tel:` URI needs one.
    /// Events about the call bear the handle.
    /// - Parameter bodies: what it says instead of `body` where it goes by IPv6 (`true`) or by IPv4; `way(of:)` tells which.
    public func invite(
        _ target: URI, account id: AccountID? = nil, body: Body?, bodies: [Bool: Body] = [:], replaces: Replaces? = nil,
        referredBy: NameAddress? = nil, now: HostTime
    ) throws(UserAgentError) -> CallHandle {
        let state = try accountState(id)
        var request = try newRequest(.invite, to: target, state)
        let handle = CallHandle(number: nextNumber())
        let call = SIPCall(
            handle: handle, isOutgoing: true, account: id, callID: request.headers.callID,
            localTag: request.headers.from.tag ?? "")
        var supported = ["replaces", "timer"]
        if configuration.supportsReliableProvisional { supported.insert("100rel", at: 0) }
        request.headers.append(.supported, supported.joined(separator: ", "))
        request.headers.append(.allow, Self.allowed)
        request.headers.append(.accept, configuration.acceptedTypes.joined(separator: ", "))
        if let seconds = configuration.sessionExpires {
            request.headers.append(.sessionExpires, SessionExpires(seconds: seconds).text)
            request.headers.append(.minSE, String(configuration.minSE))
        }
        if let replaces {
            request.headers.append(.replaces, replaces.text)
            request.headers.append(.require, "replaces")
        }
        if let referredBy { request.headers.append(.referredBy, referredBy.text) }
        if let body { request.set(body) }
        call.localBody = body
        call.ringingLimit = now.advanced(byMilliseconds: 1000 * configuration.ringingLimit)
        calls[handle] = call
        schedule(call)
        let exchange = Exchange(request, .invite(call), account: id, nextHop: nextHop(for: request, state))
        exchange.bodies = bodies
        call.invite = exchange
        start(exchange, now: now)
        return handle
    }

    /// The answer to an offer that came in a 2xx or in a reliable provisional response.
    public func acknowledge(_ handle: CallHandle, body: Body, now: HostTime) throws(UserAgentError) {
        let call = try call(handle)
        guard let owed = call.owedAnswer, let dialog = call.dialogs[owed.tag] else {
            throw .wrongState("no offer waits for an answer")
        }
        call.owedAnswer = nil
        call.localBody = body
        defer { goOn(call, now: now) }
        switch owed.carrier {
        case .acknowledge:
            acknowledge(call, dialog, number: owed.number, body: body, like: call.invite?.request, now: now)
        case .prack(let rAck):
            call.agreedTags.insert(owed.tag)
            prack(call, tag: owed.tag, rAck, body: body, now: now)
        }
    }

    func inviteProgressed(_ call: SIPCall, _ exchange: Exchange, _ result: Exchange.Result, now: HostTime) {
        if let hop = exchange.hop, hop.destination != call.way {
            call.way = hop.destination
            if let body = exchange.bodies[hop.address.isV6] { call.localBody = body }
        }
        switch result {
        case .provisional(let response): progressed(call, exchange, response, now: now)
        case .final(let response) where response.isSuccess: succeeded(call, exchange, response, now: now)
        case .final(let response):
            guard !call.hasEnded else { return }
            if response.status == 422, retryWithLongerInterval(call, exchange, response, now: now) { return }
            let cause: CallEnd.Cause = response.status < 400 ? .redirected : response.status == 408 ? .timeout : .refused
            end(call, CallEnd(cause, status: response.status, reason: response.reason, headers: response.headers))
        case .timedOut: end(call, CallEnd(.timeout, status: 408))
        case .unreachable: end(call, CallEnd(.network))
        case .unauthenticated(let failure, let response):
            end(call, CallEnd(.authentication, status: response.status, reason: failure.rawValue))
        }
    }

    private func progressed(_ call: SIPCall, _ exchange: Exchange, _ response: Response, now: HostTime) {
        // A CANCEL may only follow a provisional response (RFC 3261 section 9.1).
        guard !call.hasEnded else { return cancel(call, now: now) }
        guard response.status > 100, !call.isAnswered else { return }
        let body = Body(headers: response.headers, bytes: response.body)
        guard let tag = response.headers.to.tag else {
            let progress = Progress(
                status: response.status, reason: response.reason, branch: "", body: body, needsAnswer: false)
            return emit(.progress(call.handle, progress))
        }
        // More than 16 phones at once are an attack, or a loop.
        guard call.dialogs[tag] != nil || call.dialogs.count < 16 else { return }
        if call.dialogs[tag] == nil {
            add(Dialog(caller: exchange.request, response: response), to: call)
        } else {
            call.dialogs[tag]?.refreshTarget(response.headers)
        }
        call.currentTag = call.currentTag ?? tag
        notePeer(call, response.headers)
        var needsAnswer = false
        if response.headers.lists("100rel", in: .require), let number = response.headers.rSeq {
            let rAck = RAck(responseNumber: number, cSeq: response.headers.cSeq)
            // A repetition, or one that came before its turn: its PRACK, or its own repetition, mends it.
            if let last = call.reliableNumbers[tag], number != last &+ 1 {
                return prackAgain(call, tag: tag, rAck, now: now)
            }
            call.reliableNumbers[tag] = number
            let isOffer = exchange.request.body.isEmpty && !call.agreedTags.contains(tag)
            // A body of another kind says nothing of the session.
            let describesSession = body?.sdp != nil
            if describesSession, !isOffer { call.agreedTags.insert(tag) }
            needsAnswer = isOffer && describesSession && call.owedAnswer == nil
            if needsAnswer {
                owe(call, tag: tag, number: 0, .prack(rAck), now: now)
            } else {
                prack(call, tag: tag, rAck, body: nil, now: now)
            }
        }
        emit(
            .progress(
                call.handle,
                Progress(
                    status: response.status, reason: response.reason, branch: tag, body: body, needsAnswer: needsAnswer)))
    }

    /// - Parameter isUnwanted: the call is made by another address of the server.
    func succeeded(
        _ call: SIPCall, _ exchange: Exchange, _ response: Response, isUnwanted: Bool = false, now: HostTime
    ) {
        let tag = response.headers.to.tag ?? ""
        let number = response.headers.cSeq.number
        if acknowledgedAgain(call, response, now: now) { return }
        var dialog = call.dialogs[tag] ?? Dialog(caller: exchange.request, response: response)
        if isUnwanted || call.hasEnded || (call.isAnswered && tag != call.currentTag) {
            // Another phone answered as well, or the person hung up before this came: it is taken and ended at once.
            guard call.discarded.count < 16, call.discarded.insert(tag).inserted else { return }
            dialog.confirm(with: response)
            acknowledge(call, dialog, number: number, body: nil, like: exchange.request, now: now)
            dialog.raise(to: number)
            start(Exchange(dialog.request(.bye), ending: call), now: now)
            return
        }
        guard !call.isAnswered else { return }
        call.isAnswered = true
        call.ringingLimit = nil
        dialog.confirm(with: response)
        dialog.raise(to: number)
        for other in call.dialogs.values where other.id.remoteTag != tag { forget(other, of: call) }
        add(dialog, to: call)
        call.currentTag = tag
        notePeer(call, response.headers)
        agreeOnSession(call, response: response, now: now)
        let body = Body(headers: response.headers, bytes: response.body)
        let needsAnswer = exchange.request.body.isEmpty && body?.sdp != nil && !call.agreedTags.contains(tag)
        if needsAnswer {
            owe(call, tag: tag, number: number, .acknowledge, now: now)
        } else {
            call.owedAnswer = nil
            acknowledge(call, dialog, number: number, body: nil, like: exchange.request, now: now)
        }
        schedule(call)
        emit(
            .answered(
                call.handle,
                AgreedBody(branch: tag, body: body, needsAnswer: needsAnswer, headers: response.headers)))
    }

    func owe(_ call: SIPCall, tag: String, number: UInt32, _ carrier: SIPCall.OwedAnswer.Carrier, now: HostTime) {
        let limit = now.advanced(byMilliseconds: configuration.timers.timeout)
        call.owedAnswer = SIPCall.OwedAnswer(tag: tag, number: number, carrier: carrier, limit: limit)
        schedule(call)
    }

    /// Sends the ACK to a 2xx. It has the credentials of its INVITE (RFC 3261 section 13.2.2.4).
    func acknowledge(
        _ call: SIPCall, _ dialog: Dialog, number: UInt32, body: Body?, like invite: Request?, now: HostTime
    ) {
        var dialog = dialog
        var request = dialog.request(.ack, number: number, body: body)
        for name in [HeaderName.authorization, .proxyAuthorization] {
            for field in invite?.headers.all(name) ?? [] { request.headers.append(field) }
        }
        let purpose = Exchange.Purpose.acknowledge(call, tag: dialog.id.remoteTag)
        start(Exchange(request, purpose, account: call.account), now: now)
    }

    /// Sends the ACK once more to a 2xx that comes again: as it was, or on its way at last where it had found none.
    /// - Returns: false when there has been none so far, or it is under way.
    func acknowledgedAgain(_ call: SIPCall, _ response: Response, now: HostTime) -> Bool {
        let tag = response.headers.to.tag ?? ""
        let number = response.headers.cSeq.number
        if let sent = call.acknowledgements[tag], sent.number == number {
            send(sent.bytes, to: sent.destination)
            return true
        }
        guard let lost = call.lostAcknowledgements[tag], lost.headers.cSeq.number == number else { return false }
        call.lostAcknowledgements[tag] = nil
        start(Exchange(lost, .acknowledge(call, tag: tag), account: call.account), now: now)
        return true
    }

    func prack(_ call: SIPCall, tag: String, _ rAck: RAck, body: Body?, now: HostTime) {
        guard var dialog = call.dialogs[tag] else { return }
        var request = dialog.request(.prack, body: body)
        request.headers.append(.rAck, rAck.text)
        call.dialogs[tag] = dialog
        start(Exchange(request, .prack(call, tag: tag), account: call.account), now: now)
    }

    /// Sends a PRACK that had found no way once more, with a number of its own: its response comes again.
    func prackAgain(_ call: SIPCall, tag: String, _ rAck: RAck, now: HostTime) {
        guard let lost = call.lostPracks[tag], lost.headers.rAck == rAck else { return }
        call.lostPracks[tag] = nil
        prack(call, tag: tag, rAck, body: Body(headers: lost.headers, bytes: lost.body), now: now)
    }

    func prackProgressed(_ call: SIPCall, tag: String, _ exchange: Exchange, _ result: Exchange.Result) {
        switch result {
        case .unreachable, .timedOut: call.lostPracks[tag] = exchange.request
        // A refused PRACK changes nothing: the INVITE's final response decides.
        case .provisional, .final, .unauthenticated: break
        }
    }

    private func retryWithLongerInterval(
        _ call: SIPCall, _ exchange: Exchange, _ response: Response, now: HostTime
    ) -> Bool {
        guard wantsLongerInterval(call, response) else { return false }
        let least = call.leastInterval
        // Whoever rang before it was refused is asked anew.
        for dialog in call.dialogs.values { forget(dialog, of: call) }
        (call.currentTag, call.reliableNumbers, call.agreedTags) = (nil, [:], [])
        var request = exchange.request
        request.headers.set(.sessionExpires, SessionExpires(seconds: max(least, configuration.sessionExpires ?? 0)).text)
        request.headers.set(.minSE, String(max(least, configuration.minSE)))
        request.headers.set(.cSeq, CSeq(number: request.headers.cSeq.number + 1, method: .invite).text)
        let again = Exchange(request, .invite(call), account: exchange.account, nextHop: exchange.nextHop)
        again.bodies = exchange.bodies
        call.invite = again
        start(again, now: now)
        return true
    }

    // MARK: CANCEL

    /// Sends CANCEL once, as soon as a provisional response has come.
    func cancel(_ call: SIPCall, reason: Reason? = nil, now: HostTime) {
        // A repetition with credentials is a transaction of its own, with a provisional response of its own.
        guard !call.isCancelSent, let key = call.invite?.key, let client = clients[key],
            client.transaction.state == .proceeding
        else { return }
        call.isCancelSent = true
        cancel(client, key, reason: reason, now: now)
    }

    /// Cancels one transaction of an INVITE, which has had a provisional response.
    func cancel(_ client: Client, _ key: TransactionKey, reason: Reason? = nil, now: HostTime) {
        let invite = client.transaction.request
        var request = Request(method: .cancel, uri: invite.uri)
        if let via = invite.headers.topVia { request.headers.append(.via, via.text) }
        for name in [HeaderName.route, .maxForwards, .from, .to, .callID] {
            for field in invite.headers.all(name) { request.headers.append(field) }
        }
        request.headers.append(.cSeq, CSeq(number: invite.headers.cSeq.number, method: .cancel).text)
        if let reason { request.headers.append(.reason, reason.text) }
        let own = TransactionKey(branch: key.identity, method: .cancel)
        clients[own] = Client(
            transaction: ClientTransaction(
                request: request, destination: client.transaction.destination, settings: configuration.timers),
            exchange: Exchange(request, .discard, account: nil))
        drive(client: own, .start, now: now)
        drive(client: key, .cancelled, now: now)
    }
}
