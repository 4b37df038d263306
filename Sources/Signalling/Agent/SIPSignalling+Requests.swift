import Realtime
import SDP
import SIP
import SignallingTransport

/// What is asked for from above. Each function is queued to the event loop, in the order of the calls.
extension SIPSignalling {
    public nonisolated func invite(_ call: OutgoingCall) -> SignalledCallID {
        let id = nextID()
        perform { $0.start(id, call, reportsTo: nil, replaces: nil, referredBy: nil) }
        return id
    }

    public nonisolated func prepare(_ call: SignalledCallID, media: LocalPorts) {
        perform { $0.makeReady(call, media) }
    }

    public nonisolated func ring(_ call: SignalledCallID, withMedia: Bool) {
        perform { signalling in
            signalling.request(call) { (state, handle) throws(UserAgentError) in
                let body = withMedia && !state.hasSentMedia ? state.preparedBody : nil
                try signalling.agent.ring(handle, status: body == nil ? 180 : 183, body: body, now: .monotonicNow())
                if body != nil { state.hasSentMedia = true }
            }
        }
    }

    public nonisolated func answer(_ call: SignalledCallID) {
        perform { signalling in
            signalling.request(call) { (state, handle) throws(UserAgentError) in
                guard state.isPrepared, !state.isAnswered else { throw .wrongState("it was not prepared") }
                try signalling.agent.answer(handle, body: state.preparedBody, now: .monotonicNow())
                state.isAnswered = true
            }
        }
    }

    public nonisolated func reject(_ call: SignalledCallID, _ refusal: CallRefusal) {
        perform { signalling in
            signalling.request(call) { (_, handle) throws(UserAgentError) in
                try signalling.agent.reject(
                    handle, status: refusal.status, retryAfter: refusal.retryAfter, now: .monotonicNow())
            }
        }
    }

    public nonisolated func hold(_ call: SignalledCallID, _ held: Bool) {
        perform { signalling in
            signalling.calls[call]?.wantsHold = held
            signalling.change(call)
        }
    }

    public nonisolated func move(_ call: SignalledCallID, media: LocalPorts) {
        perform { signalling in
            signalling.calls[call]?.wantedPorts = media
            let now = HostTime.monotonicNow()
            // They have changed with our addresses: what goes over a stream of the former one gets lost. One look is for all calls.
            if let last = signalling.routesLook, now < last.advanced(byMilliseconds: 250) { return signalling.change(call) }
            signalling.routesChanged(now: now)
        }
    }

    public nonisolated func transfer(_ call: SignalledCallID, to target: String, replacing other: SignalledCallID?) {
        perform { signalling in
            signalling.request(call) { (_, handle) throws(UserAgentError) in
                guard let uri = URI(target) else { throw .badURI(target) }
                let replaced = other.flatMap { signalling.calls[$0]?.handle }
                if other != nil, replaced == nil { throw .noSuchCall }
                try signalling.agent.transfer(handle, to: uri, replacing: replaced, now: .monotonicNow())
            }
        }
    }

    public nonisolated func answerTransfer(_ call: SignalledCallID, media: LocalPorts?) {
        let next = nextID()
        perform { $0.follow(call, as: next, media) }
    }

    public nonisolated func send(text: String, in call: SignalledCallID) {
        perform { signalling in
            signalling.request(call) { (_, handle) throws(UserAgentError) in
                let body = Body(contentType: "text/plain;charset=utf-8", bytes: Array(text.utf8))
                try signalling.agent.sendText(handle, body: body, now: .monotonicNow())
            }
        }
    }

    public nonisolated func send(digit: Character, in call: SignalledCallID) {
        perform { signalling in
            signalling.request(call) { (_, handle) throws(UserAgentError) in
                let body = Body(contentType: "application/dtmf-relay", bytes: Array(KeyByINFO.relay(digit).utf8))
                try signalling.agent.sendInfo(handle, body: body, now: .monotonicNow())
            }
        }
    }

    public nonisolated func hangUp(_ call: SignalledCallID) {
        perform { $0.end(call) }
    }

    public nonisolated func register(_ account: String) {
        perform { signalling in
            do throws(UserAgentError) {
                try signalling.agent.register(AccountID(account), now: .monotonicNow())
                signalling.registrations.insert(account)
            } catch {
                signalling.tell(.warning(nil, "\(error)"))
            }
        }
    }

    public nonisolated func unregister(_ account: String) {
        perform { $0.takeBack(account) }
    }

    public nonisolated func drain(retryAfter seconds: Int) {
        perform { $0.agent.retryAfter = UInt32(clamping: max(1, seconds)) }
    }

    public nonisolated func setFull(retryAfter seconds: Int?) {
        perform { $0.agent.fullRetryAfter = seconds.map { UInt32(clamping: max(1, $0)) } }
    }

    // MARK: On the event loop

    /// Carries a request out on the user agent; what it refuses is told.
    private func request(
        _ id: SignalledCallID, _ action: (inout SignalledCall, CallHandle) throws(UserAgentError) -> Void
    ) {
        guard var call = calls[id], let handle = call.handle else { return }
        do throws(UserAgentError) {
            try action(&call, handle)
            if calls[id] != nil { calls[id] = call }
        } catch {
            tell(.requestRefused(id, reason: "\(error)", sipCode: nil))
        }
    }

    /// Finds the first server, so that the offer has the address that leads there, and calls.
    func start(
        _ id: SignalledCallID, _ call: OutgoingCall, reportsTo: SignalledCallID?, replaces: Replaces?,
        referredBy: NameAddress?, attempt: SecurityAttempt = .asWanted
    ) {
        let attempted = SignalledCall.MadeCall(call: call, replaces: replaces, referredBy: referredBy)
        func refuse(_ text: String) {
            // One that is made again is known already.
            if calls[id] != nil {
                if !callsNext(id, after: attempted, text) { finish(id, CallEnding(.badTarget, text: text)) }
                return
            }
            if let reportsTo { report(to: reportsTo, 400, text) }
            tell(.ended(id, CallEnding(.badTarget, text: text)))
        }
        guard let target = URI(call.target) else { return refuse("\(call.target) is no SIP or telephone URI") }
        let account = call.account.map { AccountID($0) }
        let server: SIPURI
        do throws(UserAgentError) {
            server = try agent.firstServer(for: target, account: account)
        } catch {
            return refuse("\(error)")
        }
        var made = SignalledCall(id: id, handle: nil, isOutgoing: true, account: account)
        (made.reportsTo, made.encryption, made.codecs, made.attempt) = (reportsTo, call.encryption, call.codecs, attempt)
        // Of one that is made again.
        if let former = calls[id] {
            (made.visited, made.wantsHold, made.wantedPorts) = (former.visited, former.wantsHold, former.wantedPorts)
            made.alternatives = former.alternatives
        }
        calls[id] = made
        locate(server) { signalling, result in
            // The person may have hung up meanwhile.
            guard signalling.calls[id] != nil else { return }
            do throws(LocationFailure) {
                let hops = try result.get()
                signalling.offer(id, call, target, account, server, hops, replaces: replaces, referredBy: referredBy)
            } catch {
                if signalling.callsNext(id, after: attempted, "\(error)") { return }
                signalling.finish(id, CallEnding(.network, text: "\(error)"))
            }
        }
    }

    private func offer(
        _ id: SignalledCallID, _ call: OutgoingCall, _ target: URI, _ account: AccountID?, _ server: SIPURI,
        _ hops: [ServerHop], replaces: Replaces?, referredBy: NameAddress?
    ) {
        let hops = agent.preferred(hops, account: account, now: .monotonicNow())
        guard var state = calls[id] else { return }
        state.isSignalledByTLS = !hops.isEmpty && hops.allSatisfy { $0.transport == .tls }
        calls[id] = state
        let other = hops.first { $0.address.isV6 != hops[0].address.isV6 }?.address
        var otherNegotiation = other.map { newNegotiation(state, call.media, towards: $0.host) }
        var negotiation = newNegotiation(state, call.media, towards: hops.first?.address.host)
        do {
            let offer = Self.body(try negotiation.makeOffer())
            var bodies: [Bool: Body] = [:]
            if let other, let description = try otherNegotiation?.makeOffer() {
                bodies = [other.isV6: Self.body(description), !other.isV6: offer]
            }
            // The request that follows goes where the offer's address was made for.
            found[server] = hops
            let handle = try agent.invite(
                target, account: account, body: offer, bodies: bodies, replaces: replaces, referredBy: referredBy,
                now: .monotonicNow())
            calls[id]?.handle = handle
            calls[id]?.negotiation = negotiation
            if let other, let otherNegotiation { calls[id]?.otherOffer = (otherNegotiation, other.host) }
            calls[id]?.made = SignalledCall.MadeCall(call: call, replaces: replaces, referredBy: referredBy)
            handles[handle] = id
            if let name = agent.callID(of: handle) { tell(.dialog(id, callID: name)) }
            warnOfNAT(id, negotiation.local, peer: hops.first?.address.host)
        } catch {
            finish(id, CallEnding(.badTarget, text: "\(error)"))
        }
    }

    /// Works out the answer to a call that came, or the offer when it brought none.
    private func makeReady(_ id: SignalledCallID, _ ports: LocalPorts) {
        guard let call = calls[id], let handle = call.handle, !call.isOutgoing, !call.isPrepared else { return }
        let peer = mediaHost(call) ?? call.sourceAddress?.host
        var negotiation = newNegotiation(call, ports, towards: peer)
        if isLoopback(of: call.sourceAddress?.host) { negotiation.policy.allowsLoopback = true }
        do throws(NegotiationError) {
            if let offer = call.remoteOffer {
                calls[id]?.preparedBody = Self.body(try negotiation.answer(offer))
            } else {
                calls[id]?.preparedBody = Self.body(try negotiation.makeOffer())
                calls[id]?.awaitsAnswerInAcknowledgement = true
            }
            calls[id]?.isPrepared = true
            calls[id]?.negotiation = negotiation
            tellEarlyOffer(id, handle)
            tellMedia(id)
            warnOfNAT(id, negotiation.local, peer: peer)
        } catch {
            refuse(id, handle, error)
        }
    }

    /// A caller that wants to know reliably that it rings, and has made no offer, waits for ours.
    private func tellEarlyOffer(_ id: SignalledCallID, _ handle: CallHandle) {
        guard agent.owesEarlyOffer(handle), let offer = calls[id]?.preparedBody else { return }
        calls[id]?.hasSentMedia = true
        try? agent.ring(handle, body: offer, now: .monotonicNow())
    }

    /// 488 with a warning and the receipt.
    func refuse(_ id: SignalledCallID, _ handle: CallHandle, _ error: NegotiationError) {
        if let receipt = Self.receipt(error) {
            tell(.negotiated(id, NegotiatedMedia(agreement: nil, receipt: receipt)))
        }
        try? agent.reject(handle, status: 488, warning: Self.warning(error), now: .monotonicNow())
        finish(id, CallEnding(.noCommonMedia, sipCode: 488, text: "\(error)"))
    }

    /// Brings the session to what the person wants, now or after the change that is under way.
    func change(_ id: SignalledCallID) {
        guard let call = calls[id], let handle = call.handle, call.isAnswered, var negotiation = call.negotiation else {
            return
        }
        let before = negotiation.local
        var local = before
        // Without a way there is no address to be told: `routesChanged` comes back to it.
        let ports = hasRoute(towards: call.mediaPeer) ? call.wantedPorts : nil
        // An offer that got lost on its way waits for that too.
        guard ports != nil || call.wantedPorts == nil || !call.owesOffer else { return }
        if let ports {
            let told = toldPorts(ports, of: call, towards: call.mediaPeer)
            local = localMedia(told, address: before.address, direction: before.direction)
            // The same wish again is no change.
            if local.ice?.description == before.ice?.description { local.ice = before.ice }
        }
        local.direction = call.wantsHold ? .sendOnly : .sendReceive
        guard negotiation.phase == .agreed else { return }
        guard local != before || call.owesOffer else {
            if ports != nil { calls[id]?.wantedPorts = nil }
            return
        }
        negotiation.local = local
        do {
            let offer = try negotiation.makeOffer()
            try agent.modify(handle, body: Self.body(offer), now: .monotonicNow())
            calls[id]?.negotiation = negotiation
            calls[id]?.offeredPorts = ports ?? call.offeredPorts
            if ports != nil { calls[id]?.wantedPorts = nil }
            calls[id]?.owesOffer = false
        } catch UserAgentError.offerPending {
            // It is tried again when that is done.
        } catch {
            tell(.requestRefused(id, reason: "\(error)", sipCode: nil))
        }
    }

    /// Hangs up, and ends the call too that the other side had us make and that nobody has answered: whoever hangs up may not have
    /// heard of it yet, and waits for nobody.
    func end(_ id: SignalledCallID) {
        guard let call = calls[id] else { return }
        calls[id]?.transferTarget = nil
        for following in calls.values.filter({ $0.reportsTo == id }) { end(following.id) }
        guard let handle = call.handle else {
            return finish(id, CallEnding(.localHangup, text: "hung up before anybody was reached"))
        }
        try? agent.hangUp(handle, now: .monotonicNow())
    }

    func takeBack(_ account: String) {
        guard registrations.remove(account) != nil else { return }
        try? agent.unregister(AccountID(account), now: .monotonicNow())
    }

    /// The call is over: the only place where that is told.
    func finish(_ id: SignalledCallID, _ ending: CallEnding) {
        guard let call = calls.removeValue(forKey: id) else { return }
        if let handle = call.handle { handles[handle] = nil }
        report(call, ending.sipCode ?? 503, ending.text)
        tell(.ended(id, ending))
        sweep()
    }
}
