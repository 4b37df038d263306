import Realtime

/// What is known of a transfer inside a call.
struct Transfer {
    /// We asked the peer (REFER was sent), or the peer asked us.
    enum Role { case none, asking, asked }
    var role = Role.none
    /// The peer's REFER waits for our user.
    var pending: (key: TransactionKey, request: Request, source: SignallingSource)?
    /// The number in the Event of our NOTIFYs.
    var number: UInt32 = 0
    /// The subscription's end (RFC 3515 section 2.4.4).
    var limit: HostTime?

    /// How long a subscription lasts from each word about it, in milliseconds.
    static let subscriptionMilliseconds = 180_000.0
}

/// Transfers by REFER and NOTIFY inside the call (RFC 3515, 3891, 3892).
extension UserAgent {
    /// Asks the peer to call `target`; with `replacing` to take the place of that call of ours (attended transfer).
    public func transfer(
        _ handle: CallHandle, to target: URI, replacing other: CallHandle? = nil, now: HostTime
    ) throws(UserAgentError) {
        let call = try call(handle)
        guard call.isAnswered, var dialog = call.current, call.transfer.role == .none else {
            throw .wrongState("it is not answered, or is being transferred")
        }
        var uri = target.sip.map { URI.sip($0.withEscapedUser) } ?? target
        if let other {
            // Where a number is named, the other call itself knows a URI that can be asked to replace it.
            guard let second = try self.call(other).current,
                var sip = uri.sip ?? second.remote.uri.sip ?? second.remoteTarget.sip
            else { throw .wrongState("the other call has no dialog") }
            let id = second.id
            // The peer's view of the other call: its local tag is that call's remote one.
            let replaces = Replaces(callID: id.callID, toTag: id.remoteTag, fromTag: id.localTag)
            let escaped = PercentEscape.escaped(replaces.text) { ByteClass.isAlphanumeric($0) }
            sip.headers = [Parameters.Item("Replaces", escaped)]
            uri = .sip(sip)
        }
        var request = dialog.request(.refer)
        request.headers.append(.referTo, NameAddress(uri: uri).text)
        request.headers.append(.referredBy, NameAddress(uri: dialog.local.uri).text)
        call.current = dialog
        call.transfer = Transfer(role: .asking, limit: now.advanced(byMilliseconds: Transfer.subscriptionMilliseconds))
        schedule(call)
        start(Exchange(request, .refer(call), account: call.account), now: now)
    }

    func referProgressed(_ call: SIPCall, _ result: Exchange.Result, now: HostTime) {
        guard !call.hasEnded, call.transfer.role == .asking else { return }
        switch result {
        case .provisional: return
        case .final(let response) where response.isSuccess: return
        case .final(let response), .unauthenticated(_, let response):
            emit(.transferProgress(call.handle, status: response.status, reason: response.reason))
        case .timedOut, .unreachable:
            emit(.transferProgress(call.handle, status: 408, reason: StatusCode.reason(408)))
        }
        call.transfer = Transfer()
    }

    /// NOTIFY of how the peer's call to the target goes: a `message/sipfrag` with a status line.
    func transferNotified(_ call: SIPCall, _ request: Request, _ key: TransactionKey, now: HostTime) {
        guard request.headers.event?.token.equalsIgnoringCase("refer") == true else {
            var refusal = response(to: request, 489, tag: call.localTag)
            refusal.headers.append(.allowEvents, "refer")
            return respond(key, refusal, now: now)
        }
        guard call.transfer.role == .asking else {
            return respond(key, response(to: request, 481, tag: call.localTag), now: now)
        }
        respond(key, response(to: request, 200, tag: call.localTag), now: now)
        let isOver = request.headers.subscriptionState?.token.equalsIgnoringCase("terminated") == true
        guard let told = Self.statusLine(request.body), told.status >= 200 || !isOver else {
            // Nothing more comes, and what came is no result.
            if isOver { endAsking(call, status: 487) }
            return
        }
        if told.status >= 200 {
            call.transfer = Transfer()
        } else {
            call.transfer.limit = now.advanced(byMilliseconds: Transfer.subscriptionMilliseconds)
        }
        schedule(call)
        emit(.transferProgress(call.handle, status: told.status, reason: told.reason))
    }

    /// What a `message/sipfrag` says of the call to the target; nil: nothing.
    private static func statusLine(_ body: [UInt8]) -> (status: Int, reason: String)? {
        let line = body.prefix { $0 != 13 && $0 != 10 }
        let words = line.split(separator: ByteClass.space, maxSplits: 2)
        guard words.count >= 2, words[0].text.equalsIgnoringCase("SIP/2.0"), let status = Int(words[1].text),
            (100...699).contains(status)
        else { return nil }
        return (status, words.count > 2 ? words[2].text : StatusCode.reason(status))
    }

    private func endAsking(_ call: SIPCall, status: Int) {
        call.transfer = Transfer()
        emit(.transferProgress(call.handle, status: status, reason: "the peer tells no result"))
    }

    /// Nobody decided in time what the peer asks for, or the peer tells nothing more of what we asked for.
    func transferExpired(_ call: SIPCall, now: HostTime) {
        if call.transfer.role == .asking { endAsking(call, status: 408) } else { abandonTransfer(call, now: now) }
    }

    // MARK: The peer asks us

    func referred(_ call: SIPCall, _ request: Request, _ key: TransactionKey, _ source: SignallingSource, now: HostTime) {
        func refuse(_ status: Int) { respond(key, response(to: request, status, tag: call.localTag), now: now) }
        guard call.isAnswered else { return refuse(403) }
        guard request.headers.all(.referTo).count == 1, let target = request.headers.referTo else { return refuse(400) }
        guard call.transfer.role == .none else { return refuse(491) }
        var uri = target.uri
        var replaces: Replaces?
        switch uri {
        case .sip(var sip):
            let method = sip.parameters["method"] ?? Method.invite.name
            guard method == Method.invite.name else { return refuse(501) }
            let field = sip.headers.first { $0.name.equalsIgnoringCase("Replaces") }
            if let text = field?.value {
                replaces = Replaces(PercentEscape.unescaped(text).text)
                guard replaces != nil else { return refuse(400) }
            }
            sip.headers = []
            uri = .sip(sip)
        case .tel: break
        case .other: return refuse(416)
        }
        let limit = now.advanced(byMilliseconds: 0.75 * configuration.timers.timeout)
        call.transfer = Transfer(
            role: .asked, pending: (key, request, source), number: request.headers.cSeq.number, limit: limit)
        schedule(call)
        let referredBy = request.headers.referredBy
        emit(
            .transferRequested(
                call.handle, TransferRequest(target: uri, replaces: replaces, referredBy: referredBy, source: source)))
    }

    /// Agrees to call the target: 202, and a first NOTIFY. `reportTransfer` tells the peer how it goes.
    public func acceptTransfer(_ handle: CallHandle, now: HostTime) throws(UserAgentError) {
        let call = try call(handle)
        guard let pending = call.transfer.pending else { throw .wrongState("nobody asks for a transfer") }
        call.transfer.pending = nil
        call.transfer.limit = now.advanced(byMilliseconds: tellingMilliseconds)
        var answer = response(to: pending.request, 202, tag: call.localTag)
        addDialogFields(to: &answer, pending.request, source: pending.source, account: call.account)
        respond(pending.key, answer, now: now)
        notifyTransfer(call, status: 100, reason: StatusCode.reason(100), now: now)
        schedule(call)
    }

    public func rejectTransfer(_ handle: CallHandle, status: Int = 603, now: HostTime) throws(UserAgentError) {
        let call = try call(handle)
        guard let pending = call.transfer.pending, (300...699).contains(status) else {
            throw .wrongState("nobody asks for a transfer")
        }
        call.transfer = Transfer()
        respond(pending.key, response(to: pending.request, status, tag: call.localTag), now: now)
    }

    /// Tells the peer how the call that it asked for goes; 200 and more ends the telling.
    public func reportTransfer(
        _ handle: CallHandle, status: Int, reason: String? = nil, now: HostTime
    ) throws(UserAgentError) {
        let call = try call(handle)
        guard call.transfer.role == .asked, call.transfer.pending == nil else {
            throw .wrongState("no transfer was accepted")
        }
        notifyTransfer(call, status: status, reason: reason ?? StatusCode.reason(status), now: now)
        if status >= 200 {
            call.transfer = Transfer()
        } else {
            call.transfer.limit = now.advanced(byMilliseconds: tellingMilliseconds)
        }
        schedule(call)
    }

    /// How long the peer is told from each word on: the call to the target may ring for as long as any other, and then has a result.
    private var tellingMilliseconds: Double {
        max(Transfer.subscriptionMilliseconds, 1000 * configuration.ringingLimit + 5000)
    }

    /// The call ends, or nobody decided in time: a REFER that waits gets its final response.
    func abandonTransfer(_ call: SIPCall, now: HostTime) {
        let pending = call.transfer.pending
        call.transfer = Transfer()
        guard let pending else { return }
        respond(pending.key, response(to: pending.request, 487, tag: call.localTag), now: now)
    }

    private func notifyTransfer(_ call: SIPCall, status: Int, reason: String, now: HostTime) {
        guard var dialog = call.current else { return }
        let line = "SIP/2.0 \(status) \(reason)".utf8.map { ByteClass.isControl($0) ? ByteClass.space : $0 }
        let body = Body(contentType: "message/sipfrag;version=2.0", bytes: line + [13, 10])
        var request = dialog.request(.notify, body: body)
        request.headers.append(.event, "refer;id=\(call.transfer.number)")
        request.headers.append(
            .subscriptionState,
            status >= 200 ? "terminated;reason=noresource" : "active;expires=\(Int(tellingMilliseconds / 1000))")
        call.current = dialog
        let purpose = Exchange.Purpose.notify(call, refer: call.transfer.number)
        start(Exchange(request, purpose, account: call.account), now: now)
    }

    /// What became of a NOTIFY of ours. A failure ends the subscription, never the call (RFC 6665 section 4.2.2, RFC 5057).
    func transferNotifyProgressed(_ call: SIPCall, refer number: UInt32, _ result: Exchange.Result) {
        switch result {
        case .provisional: return
        // With Retry-After it has not failed: the next NOTIFY tells more.
        case .final(let response) where response.isSuccess || response.headers.retryAfter != nil: return
        case .final, .timedOut, .unreachable, .unauthenticated: break
        }
        // Another REFER may have come meanwhile.
        guard call.transfer.role == .asked, call.transfer.pending == nil, call.transfer.number == number else { return }
        call.transfer = Transfer()
        schedule(call)
    }
}
