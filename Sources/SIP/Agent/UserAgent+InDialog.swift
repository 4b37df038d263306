import Realtime

/// Requests inside a dialog, and the end of calls (RFC 3261 sections 12.2.2 and 15).
extension UserAgent {
    func receiveInDialog(_ request: Request, _ key: TransactionKey, _ source: SignallingSource, now: HostTime) {
        guard let id = DialogID(incoming: request), let call = dialogs[id], var dialog = call.dialogs[id.remoteTag] else {
            if !messagesNotified(request, key, source, now: now) { reply(to: request, 481, from: source) }
            return
        }
        guard !refuseUnknownExtensions(request, source) else { return }
        guard Method.served.contains(request.method) else {
            let status = Method.knownButNotServed.contains(request.method) ? 405 : 501
            return reply(to: request, status, from: source, adding: [HeaderField(.allow, Self.allowed)])
        }
        guard dialog.admits(request.headers.cSeq) else { return reply(to: request, 500, from: source) }
        guard open(request, key, source, in: call, now: now) else { return }
        call.dialogs[id.remoteTag] = dialog
        switch request.method {
        case .bye: saidBye(call, request, key, now: now)
        case .invite, .update: offered(call, request, key, source, now: now)
        case .prack: acknowledgedReliably(call, request, key, source, now: now)
        case .refer: referred(call, request, key, source, now: now)
        case .notify: transferNotified(call, request, key, now: now)
        case .info:
            respond(key, response(to: request, 200, tag: call.localTag), now: now)
            emit(.info(call.handle, Body(headers: request.headers, bytes: request.body)))
        case .message: messaged(call, request, key, source, now: now)
        default:
            var answer = response(to: request, 200, tag: call.localTag)
            for field in capabilities { answer.headers.append(field) }
            respond(key, answer, now: now)
        }
    }

    private func saidBye(_ call: SIPCall, _ request: Request, _ key: TransactionKey, now: HostTime) {
        respond(key, response(to: request, 200, tag: call.localTag), now: now)
        finishOpenRequests(call, now: now)
        if !call.isOutgoing, !call.isAnswered { refuse(call, 487, now: now) }
        // A BYE before our INVITE has its final response still leaves that INVITE to be ended.
        if call.isOutgoing, !call.isAnswered { cancel(call, now: now) }
        let cause: CallEnd.Cause = call.byeWhenAcknowledged == nil ? .remote : .local
        end(call, CallEnd(cause, reason: "BYE", headers: request.headers))
    }

    /// Every request that waits for our user gets its final response (RFC 3261 section 15.1.2).
    func finishOpenRequests(_ call: SIPCall, now: HostTime) {
        abandonTransfer(call, now: now)
        guard let offer = call.remoteOffer else { return }
        call.remoteOffer = nil
        respond(offer.key, response(to: offer.request, 487, tag: call.localTag), now: now)
    }

    // MARK: Hanging up

    /// Ends a call in whatever state it is: CANCEL, a final response, or BYE. `reason` says why (RFC 3326). Who rings here hears
    /// 480, that nobody is there: whoever does not want the call says so by `reject`.
    public func hangUp(_ handle: CallHandle, reason: Reason? = nil, now: HostTime) throws(UserAgentError) {
        let call = try call(handle)
        hangUp(call, CallEnd(.local), reason: reason, now: now)
    }

    func hangUp(_ call: SIPCall, _ end: CallEnd, reason: Reason? = nil, now: HostTime) {
        guard !call.hasEnded, call.byeWhenAcknowledged == nil else { return }
        if call.isAnswered {
            finishOpenRequests(call, now: now)
            // The callee's BYE waits for the ACK (RFC 3261 section 15).
            if call.success != nil, !call.isOutgoing, call.modification == nil {
                call.byeWhenAcknowledged = end
                return
            }
            return sayBye(call, end, reason: reason, now: now)
        }
        finishOpenRequests(call, now: now)
        if call.isOutgoing {
            self.end(call, end)
            cancel(call, reason: reason, now: now)
        } else {
            refuse(call, end.cause == .noAnswer ? call.unansweredStatus : 480, now: now)
            self.end(call, end)
        }
    }

    /// Says BYE in the calls that were hung up and whose ACK has not come. A callee's BYE waits for it, or for its time-out
    /// (RFC 3261 section 15): this is for whoever goes and cannot wait, so that the peer is not left in a call with nobody.
    /// - Parameter now: when it is said.
    /// - Returns: whether there were any.
    package func hangUpUnacknowledged(now: HostTime) -> Bool {
        let waiting = calls.values.filter { $0.byeWhenAcknowledged != nil }
        for call in waiting.sorted(by: { $0.handle.number < $1.handle.number }) {
            sayBye(call, call.byeWhenAcknowledged ?? CallEnd(.local), now: now)
        }
        return !waiting.isEmpty
    }

    func sayBye(_ call: SIPCall, _ end: CallEnd, reason: Reason? = nil, now: HostTime) {
        guard !call.hasEnded, var dialog = call.current else { return }
        finishOpenRequests(call, now: now)
        // A 2xx of ours with an offer that nobody answered is still acknowledged first.
        if let owed = call.owedAnswer, case .acknowledge = owed.carrier {
            call.owedAnswer = nil
            acknowledge(call, dialog, number: owed.number, body: nil, like: call.invite?.request, now: now)
        }
        var request = dialog.request(.bye)
        if let reason { request.headers.append(.reason, reason.text) }
        call.current = dialog
        self.end(call, end)
        start(Exchange(request, ending: call), now: now)
    }

    // MARK: Our small requests

    /// Sends INFO inside the call, for example DTMF as `application/dtmf-relay`; one after the other, so that none overtakes another.
    public func sendInfo(_ handle: CallHandle, body: Body, now: HostTime) throws(UserAgentError) {
        let call = try call(handle)
        guard call.isAnswered, call.current != nil else { throw .wrongState("it is not answered") }
        guard call.waitingInfos.count < Self.mostInfos else { throw .wrongState("what was sent before is not answered") }
        call.waitingInfos.append(body)
        if !call.hasOpenInfo { sendNextInfo(call, now: now) }
    }

    private static let mostInfos = 64

    private func sendNextInfo(_ call: SIPCall, now: HostTime) {
        call.hasOpenInfo = !call.hasEnded && !call.waitingInfos.isEmpty
        guard call.hasOpenInfo, var dialog = call.current else { return }
        let request = dialog.request(.info, body: call.waitingInfos.removeFirst())
        call.current = dialog
        start(Exchange(request, .info(call), account: call.account), now: now)
    }

    /// Other sides refuse INFO in many ways, and some are silent, while the call goes on: only one that knows no such call ends it.
    func infoProgressed(_ call: SIPCall, _ result: Exchange.Result, now: HostTime) {
        if case .provisional = result { return }
        if case .final(let response) = result, response.status == 481 { _ = endsCall(call, result, now: now) }
        sendNextInfo(call, now: now)
    }

    /// Ends an answered call where a request that belongs to it has failed so that it is lost: by 481, 408, or no answer (RFC 3261
    /// section 12.2.1.2). Any other refusal leaves the session as it was (section 14.1), 404 from a proxy on the way too: the two
    /// sides may still hear each other. A call that nobody knows any more is ended by the session timer.
    /// - Returns: whether it is lost.
    func endsCall(_ call: SIPCall, _ result: Exchange.Result, now: HostTime) -> Bool {
        guard call.isAnswered, !call.hasEnded else { return false }
        switch result {
        case .timedOut: hangUp(call, CallEnd(.timeout, status: 408), now: now)
        case .final(let response) where response.status == 408:
            hangUp(call, CallEnd(.timeout, status: 408, reason: response.reason), now: now)
        case .final(let response) where response.status == 481:
            // The peer has forgotten the call: nobody wants a BYE.
            finishOpenRequests(call, now: now)
            end(call, CallEnd(.remote, status: 481, reason: response.reason))
        default: return false
        }
        return true
    }

    // MARK: A call's timers

    func fire(_ call: SIPCall, now: HostTime) {
        defer { schedule(call) }
        if let limit = call.ringingLimit, limit <= now {
            return hangUp(call, CallEnd(.noAnswer, status: call.isOutgoing ? 408 : call.unansweredStatus), now: now)
        }
        if let success = call.success, !repeatSuccess(call, success, now: now) { return }
        guard call.byeWhenAcknowledged == nil else { return }
        if let reliable = call.reliable, !repeatReliable(call, reliable, now: now) { return }
        if let time = call.nextProvisional, time <= now {
            call.nextProvisional = now.advanced(byMilliseconds: 60_000)
            if call.reliable == nil, let key = call.serverKey, let last = call.lastProvisional {
                if last.headers.contains(.rSeq) {
                    // What was acknowledged is not sent again: another one has its own number.
                    sendProvisional(call, last.status, nil, now: now)
                } else {
                    respond(key, last, now: now)
                }
            }
        }
        if let offer = call.remoteOffer, offer.limit <= now {
            call.remoteOffer = nil
            respond(offer.key, response(to: offer.request, 488, tag: call.localTag), now: now)
            goOn(call, now: now)
        }
        if let owed = call.owedAnswer, owed.limit <= now {
            return hangUp(call, CallEnd(.timeout, reason: "no answer was given to the peer's offer"), now: now)
        }
        if let retry = call.retry, retry.time <= now {
            call.retry = nil
            retryModification(call, retry, now: now)
        }
        if let time = call.lostWay?.next, time <= now {
            call.lostWay?.next = nil
            call.isChangeAwaited = true
            goOn(call, now: now)
        }
        if let session = call.session, session.next <= now { sessionDue(call, session, now: now) }
        if let limit = call.transfer.limit, limit <= now { transferExpired(call, now: now) }
    }

    /// False when the call has ended over it.
    private func repeatSuccess(_ call: SIPCall, _ success: SIPCall.Success, now: HostTime) -> Bool {
        if success.limit <= now {
            call.success = nil
            sayBye(call, call.byeWhenAcknowledged ?? CallEnd(.notAcknowledged), now: now)
            return false
        }
        guard success.next <= now else { return true }
        var again = success
        again.interval = min(2 * success.interval, configuration.timers.t2)
        again.next = now.advanced(byMilliseconds: again.interval)
        call.success = again
        respond(success.key, success.response, now: now)
        return true
    }

    private func repeatReliable(_ call: SIPCall, _ reliable: SIPCall.Reliable, now: HostTime) -> Bool {
        if reliable.limit <= now {
            // RFC 3262 section 3: without a PRACK the INVITE is refused with a 5xx.
            refuse(call, 504, now: now)
            end(call, CallEnd(.notAcknowledged, status: 504))
            return false
        }
        guard reliable.next <= now, let key = call.serverKey else { return true }
        var again = reliable
        again.interval = 2 * reliable.interval
        again.next = now.advanced(byMilliseconds: again.interval)
        call.reliable = again
        respond(key, reliable.response, now: now)
        return true
    }
}
