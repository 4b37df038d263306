import Link
import Realtime
import SDP
import SIP
import SecureRTP

/// What the user agent tells, and what follows for offer and answer.
extension SIPSignalling {
    func happened(_ event: UserAgentEvent) {
        switch event {
        case .incoming(let handle, let call): came(handle, call)
        case .registered(let account, let facts): registered(account, facts)
        case .registrationFailed(let account, let facts): registrationFailed(account, facts)
        case .unregistered(let account): unregistered(account)
        case .reachability(let account, let isReachable):
            tell(
                .registration(
                    RegistrationChange(account: account.name, state: .registered, reason: "", isReachable: isReachable)))
        case .progress(let handle, let progress): with(handle) { progressed($0, progress) }
        case .answered(let handle, let agreed): with(handle) { answered($0, handle, agreed) }
        case .acknowledged(let handle, let body): with(handle) { acknowledged($0, handle, body) }
        case .modificationRequested(let handle, let body): with(handle) { changed($0, handle, body) }
        case .modified(let handle, let agreed): with(handle) { modified($0, handle, agreed) }
        case .modificationFailed(let handle, let status, let reason):
            with(handle) { id in
                let lost = agent.lostWays(of: handle)
                if lost == 0 { modificationFailed(id, status, reason) } else { changeLost(id, reason, inARow: lost) }
            }
        case .modificationPossible(let handle): with(handle) { change($0) }
        case .ended(let handle, let end):
            with(handle) {
                if callsAgain($0, handle, end) || followsRedirection($0, handle, end) { return }
                finish($0, CallEnding(end, failure, wasAnswered: calls[$0]?.isAnswered ?? false))
            }
        case .transferRequested(let handle, let request): with(handle) { transferAsked($0, handle, request) }
        case .transferProgress(let handle, let status, let reason):
            with(handle) { tell(.transferProgress($0, sipCode: status, reason: reason)) }
        case .info(let handle, let body): with(handle) { keyed($0, body) }
        case .message(let handle, let from, let to, let body, _):
            // Who may send one outside of calls the user agent knows; of a call that is not told of nothing is.
            if handle.map({ handles[$0] != nil }) ?? true { messaged(from: from, to: to, body) }
        case .textAnswered(let handle, let text, let status, let reason):
            let words = String(decoding: text, as: UTF8.self)
            with(handle) { tell(.textAnswered($0, text: words, sipCode: status, reason: reason)) }
        case .notified(let account, let event, let body): notified(account, event: event, body)
        case .messagesUnwatched(let account, let status, let reason, let retryAfter):
            unwatched(account, status, reason, retryAfter)
        case .answer(let request, let status, let reason, _): answered(request, status, reason)
        case .dropped(let reason, _): configuration.drops.count(SignallingDrops.Reason(reason))
        }
    }

    private func with(_ handle: CallHandle, _ action: (SignalledCallID) -> Void) {
        if let id = handles[handle], calls[id] != nil { action(id) }
    }

    // MARK: A call comes

    private func came(_ handle: CallHandle, _ incoming: IncomingCall) {
        let source = incoming.source.remote
        let address = (try? IPAddress(source.host)).map { SocketAddress($0, port: source.port) }
        guard incoming.account.flatMap({ leaving[$0.name] }) == nil else {
            try? agent.reject(handle, status: 480, now: .monotonicNow())
            return
        }
        var call = SignalledCall(
            id: nextID(), handle: handle, isOutgoing: false, account: incoming.account, sourceAddress: source)
        call.isSignalledByTLS = incoming.source.transport == .tls
        do throws(SDPParseError) {
            call.remoteOffer = try description(in: incoming.body)
        } catch {
            try? agent.reject(handle, status: 400, reason: "Bad SDP", now: .monotonicNow())
            tell(.warning(nil, "a call from \(source) has SDP that cannot be read: \(error)"))
            return
        }
        handles[handle] = call.id
        calls[call.id] = call
        let caller = incoming.assertedIdentity ?? incoming.from
        tell(
            .incoming(
                call.id,
                CallerFacts(
                    from: caller.uri.text, name: caller.displayName, isNameVouchedFor: incoming.assertedIdentity != nil,
                    to: incoming.to.uri.text, account: incoming.account?.name, source: address,
                    isFromAccountServer: incoming.isFromAccountServer,
                    offeredCodecs: call.remoteOffer?.offeredCodecs ?? [],
                    replaces: incoming.replaces.flatMap { handles[$0] })))
        tell(.dialog(call.id, callID: incoming.callID))
        refuseHopeless(call, handle)
    }

    /// A call that has nothing in common with us does not ring first.
    private func refuseHopeless(_ call: SignalledCall, _ handle: CallHandle) {
        guard let offer = call.remoteOffer else { return }
        // Which certificate there will be does not matter here.
        let someone = DTLSFingerprint(.sha256, [UInt8](repeating: 0, count: 32))
        let ports = LocalPorts(port: 9, fingerprint: someone)
        var trial = newNegotiation(call, ports, towards: mediaHost(call) ?? call.sourceAddress?.host)
        if isLoopback(of: call.sourceAddress?.host) { trial.policy.allowsLoopback = true }
        do throws(NegotiationError) { _ = try trial.answer(offer) } catch { refuse(call.id, handle, error) }
    }

    /// Where the caller wants its media: our side's address has to be of the same family.
    func mediaHost(_ call: SignalledCall) -> String? {
        guard let offer = call.remoteOffer else { return nil }
        let line = offer.media.first { $0.media == "audio" && $0.port != 0 }
        guard let text = (line?.connections.first ?? offer.connection)?.address, let address = try? IPAddress(text),
            !address.isUnspecified
        else { return nil }
        return text
    }

    func isLoopback(of host: String?) -> Bool {
        host.flatMap { try? IPAddress($0) }?.isLoopback ?? false
    }

    // MARK: A call of ours goes on

    private func progressed(_ id: SignalledCallID, _ progress: Progress) {
        noteFamily(id)
        guard let call = calls[id] else { return }
        var hasMedia = false
        if let base = call.negotiation, progress.body?.sdp != nil {
            var own = call.early[progress.branch] ?? base
            let before = own.answered
            do {
                if let answer = try description(in: progress.body) { try own.receive(answer: answer) }
                // More than a few phones at once share one picture of the media.
                if call.early.count < 16 || call.early[progress.branch] != nil { calls[id]?.early[progress.branch] = own }
                hasMedia = own.inForce?.direction.receives ?? false
                if own.answered != before, let media = media(of: own) {
                    calls[id]?.toldBranch = progress.branch
                    tell(.negotiated(id, media))
                }
            } catch {
                tell(.warning(id, "what \(progress.status) says of early media cannot be used: \(error)"))
            }
        }
        report(call, progress.status, progress.reason)
        tell(.progress(id, CallProgress(sipCode: progress.status, reason: progress.reason, hasEarlyMedia: hasMedia)))
    }

    private func answered(_ id: SignalledCallID, _ handle: CallHandle, _ agreed: AgreedBody) {
        let came = HostTime.monotonicNow()
        noteFamily(id)
        guard let call = calls[id], let base = call.negotiation else { return }
        var own = call.early[agreed.branch] ?? base
        let before = own.answered
        do {
            if own.isOfferThePeers {
                // An UPDATE of the other side's has settled it before the answer.
            } else if let answer = try description(in: agreed.body) {
                try own.receive(answer: answer)
            } else if own.phase == .offered {
                throw AnswerMissing()
            }
        } catch {
            if let error = error as? NegotiationError, let receipt = Self.receipt(error) {
                tell(.negotiated(id, NegotiatedMedia(agreement: nil, receipt: receipt)))
            }
            finish(id, CallEnding(.noCommonMedia, sipCode: 200, text: "\(error)"))
            try? agent.hangUp(
                handle, reason: Reason(namespace: "SIP", cause: 488, phrase: "Not Acceptable Here"), now: .monotonicNow())
            return
        }
        calls[id]?.negotiation = own
        calls[id]?.early = [:]
        calls[id]?.otherOffer = nil
        calls[id]?.isAnswered = true
        // Another phone may have been heard before the answer.
        let isElsewhere = call.toldBranch.map { $0 != agreed.branch } ?? false
        if own.answered != before || isElsewhere { tellMedia(id, answeredAt: came) }
        report(call, 200, "OK")
        tell(.answered(id, sipCode: 200, at: came))
        change(id)
    }

    private struct AnswerMissing: Error, CustomStringConvertible {
        var description: String { "the other side answered without saying where its media is" }
    }

    /// Calls once more with another offer, where the callee refuses the media and there are other ways to encrypt them, or none was
    /// a must.
    private func callsAgain(_ id: SignalledCallID, _ handle: CallHandle, _ end: CallEnd) -> Bool {
        guard let call = calls[id], let made = call.made, !call.isAnswered, end.cause == .refused,
            let status = end.status, [415, 488, 606].contains(status),
            let next = wantedSecurity(of: call, made.call.media).next(after: call.attempt)
        else { return false }
        handles[handle] = nil
        tell(.warning(id, "the other side refused \(call.attempt.offer) (\(status)); it is called again \(next.words)"))
        start(
            id, made.call, reportsTo: call.reportsTo, replaces: made.replaces, referredBy: made.referredBy, attempt: next)
        return true
    }

    // MARK: A call that came goes on

    private func acknowledged(_ id: SignalledCallID, _ handle: CallHandle, _ body: Body?) {
        guard let call = calls[id] else { return }
        if call.awaitsAnswerInAcknowledgement, var negotiation = call.negotiation {
            do {
                if let answer = try description(in: body) {
                    try negotiation.receive(answer: answer)
                } else {
                    throw AnswerMissing()
                }
                calls[id]?.awaitsAnswerInAcknowledgement = false
                calls[id]?.negotiation = negotiation
                calls[id]?.offeredPorts = nil
                tellMedia(id)
            } catch  where negotiation.inForce != nil {
                // A change without an answer leaves everything as it was.
                negotiation.withdrawOffer()
                calls[id]?.offeredPorts = nil
                calls[id]?.awaitsAnswerInAcknowledgement = false
                calls[id]?.negotiation = negotiation
                tell(.warning(id, "a change of the media came to nothing: \(error)"))
            } catch {
                finish(id, CallEnding(.noCommonMedia, sipCode: 200, text: "\(error)"))
                try? agent.hangUp(handle, now: .monotonicNow())
                return
            }
        }
        // A PRACK to early media comes before the answer.
        if call.isAnswered, !call.isOutgoing, !call.isAcknowledged {
            calls[id]?.isAcknowledged = true
            tell(.answered(id, sipCode: 200, at: .monotonicNow()))
        }
        change(id)
    }

    // MARK: Changes

    /// The peer's offer in mid-call is answered as the first one was.
    private func changed(_ id: SignalledCallID, _ handle: CallHandle, _ body: Body?) {
        guard let call = calls[id] else { return }
        // Before the answer each telephone that rings has a picture of its own.
        let branch = call.isOutgoing && !call.isAnswered ? agent.branchThatOffers(to: handle) : nil
        let early = branch.flatMap { call.early[$0] }
        guard var negotiation = early ?? call.negotiation else { return }
        let now = HostTime.monotonicNow()
        if call.isAnswered, negotiation.phase == .offered {
            // Ours met theirs, and waited to be made again: theirs came first.
            negotiation.withdrawOffer()
            negotiation.local.direction = call.wantsHold ? .sendOnly : .sendReceive
            calls[id]?.negotiation = negotiation
            calls[id]?.owesOffer = true
        }
        do {
            guard let offer = try description(in: body) else {
                let own = Self.body(try negotiation.makeOffer())
                if own.carriesKeys, !agent.answersByTLS(handle) { throw KeysReadable() }
                calls[id]?.negotiation = negotiation
                calls[id]?.owesOffer = false
                calls[id]?.awaitsAnswerInAcknowledgement = true
                return try agent.answer(handle, body: own, now: now)
            }
            let answer = Self.body(try negotiation.answer(offer))
            if answer.carriesKeys, !agent.answersByTLS(handle) { throw KeysReadable() }
            negotiation.renewNextICE()
            try agent.answer(handle, body: answer, now: now)
            if let branch, early != nil {
                calls[id]?.early[branch] = negotiation
                calls[id]?.toldBranch = branch
                if let media = media(of: negotiation) { tell(.negotiated(id, media)) }
                return
            }
            calls[id]?.negotiation = negotiation
            // The answer says what we want as well as an offer would.
            calls[id]?.owesOffer = false
            calls[id]?.offeredPorts = nil
            tellMedia(id)
        } catch let error as NegotiationError {
            let status = error == .offerPending ? 491 : 488
            try? agent.reject(handle, status: status, warning: Self.warning(error), now: now)
            tell(.warning(id, "the other side wants to change the media: \(error)"))
        } catch let error as KeysReadable {
            let warning = Warning(code: 399, agent: "yodel", phrase: "\(error)")
            try? agent.reject(handle, status: 488, warning: warning, now: now)
            tell(.warning(id, "the other side wants to change the media: \(error)"))
        } catch {
            try? agent.reject(handle, status: 400, reason: "Bad SDP", now: now)
            tell(.warning(id, "the other side wants to change the media: \(error)"))
        }
    }

    /// The way back is no TLS (RFC 4568 section 7).
    private struct KeysReadable: Error, CustomStringConvertible {
        var description: String { "it asks without TLS, where others could read the keys in SDP" }
    }

    private func modified(_ id: SignalledCallID, _ handle: CallHandle, _ agreed: AgreedBody) {
        guard var negotiation = calls[id]?.negotiation else { return }
        do {
            guard negotiation.phase == .offered else {
                // A refresh of the session repeats what is known; its answer may be another one.
                let before = negotiation.answered
                if let answer = try? description(in: agreed.body), (try? negotiation.receive(refreshed: answer)) != nil,
                    negotiation.answered != before
                {
                    calls[id]?.negotiation = negotiation
                    tellMedia(id)
                }
                return change(id)
            }
            guard let answer = try description(in: agreed.body) else { throw AnswerMissing() }
            try negotiation.receive(answer: answer)
            calls[id]?.negotiation = negotiation
            calls[id]?.offeredPorts = nil
            tellMedia(id)
            change(id)
        } catch {
            modificationFailed(id, 200, "\(error)")
        }
    }

    /// - Parameter status: of the refusal; nil: nobody was reached.
    private func modificationFailed(_ id: SignalledCallID, _ status: Int?, _ reason: String) {
        guard let call = calls[id], var negotiation = call.negotiation, negotiation.phase == .offered else { return }
        negotiation.withdrawOffer()
        // What was offered is given up: asking again would be refused again. What was wished since then was not refused.
        let offeredHold = !negotiation.local.direction.receives
        if call.wantsHold == offeredHold { calls[id]?.wantsHold = call.isHeld }
        negotiation.local.direction = call.isHeld ? .sendOnly : .sendReceive
        calls[id]?.negotiation = negotiation
        calls[id]?.offeredPorts = nil
        if let status {
            // Who holds or resumes has asked for it; that we are elsewhere nobody has.
            let isMove = call.offeredPorts != nil && offeredHold == call.isHeld
            tell(
                isMove
                    ? .warning(id, "the other side did not take our new address: \(status) \(reason)")
                    : .requestRefused(id, reason: reason, sipCode: status))
        } else {
            tell(.warning(id, "that cannot be done now: \(reason)"))
            // A hold that nobody heard of is one on this side alone.
            tell(.held(id, byUs: call.isHeld, byPeer: call.isHeldByPeer))
        }
        change(id)
    }

    /// Our change did not reach the other side, so that nobody has refused it.
    /// - Parameter times: how many have not, with this one.
    private func changeLost(_ id: SignalledCallID, _ reason: String, inARow times: Int) {
        guard let call = calls[id], var negotiation = call.negotiation, negotiation.phase == .offered else { return }
        guard let ports = call.offeredPorts else { return modificationFailed(id, nil, reason) }
        // Where we are has to be said, with whatever else that offer said, as soon as there is a way: `routesChanged` and
        // `modificationPossible` say when.
        negotiation.withdrawOffer()
        calls[id]?.negotiation = negotiation
        calls[id]?.offeredPorts = nil
        calls[id]?.wantedPorts = call.wantedPorts ?? ports
        calls[id]?.owesOffer = true
        // The first one may have gone by the way of the former address.
        if times == 2 { tell(.warning(id, "the other side could not be told of our new address yet: \(reason)")) }
    }
}

extension SessionDescription {
    /// The codecs of the audio lines, the most wanted first.
    var offeredCodecs: [String] {
        media.filter { $0.media == "audio" && $0.port != 0 }.flatMap(\.audioFormats).filter { $0.role == .codec }
            .map(\.description)
    }
}

extension SecurityAttempt {
    /// What was refused.
    fileprivate var offer: String {
        switch self {
        case .asWanted: "an offer with encryption"
        case .dtls: "an offer of DTLS"
        case .keys: "an offer of keys in SDP"
        case .plain: "an offer without encryption"
        }
    }

    /// How it is called again.
    fileprivate var words: String {
        switch self {
        case .asWanted: "as it was"
        case .dtls: "with DTLS only"
        case .keys: "with keys in SDP only"
        case .plain: "without"
        }
    }
}
