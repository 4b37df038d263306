import Link
import PeerSignalling
import Realtime
import Reporting
import SecureRTP

/// Who is at the other side, and whether that one may call.
extension PeerCall {
    func judgePeer(_ fingerprint: DTLSFingerprint) {
        let address = link.peerAddress
        openDoor(address)
        if role == .callee, let address, !request.mayCall(from: address) {
            return waitAgain("a caller at \(address.address) is outside of --allow")
        }
        do throws(SoftphoneError) {
            let verdict = try judge.judge(fingerprint, address)
            pending.append(.peer(verdict.report))
            switch verdict.decision {
            case .accept: link.accept(now: .monotonicNow())
            case .ask:
                wasCall = true
                questionEnd = HostTime.monotonicNow().advanced(byMilliseconds: Self.questionMilliseconds)
            case .refuse(let why) where role == .caller: settle(.authentication, why)
            case .refuse: waitAgain()
            }
        } catch {
            failure = error
            settle(.localHangup, "\(error)")
        }
    }

    /// From now on others are told that it is busy.
    func openDoor(_ address: SocketAddress?) {
        guard role == .callee, door == nil, let address else { return }
        do {
            door = try PeerDoor(phone, request, judge, capabilities.described, beside: socket, talkingTo: address)
        } catch {
            logger.warning("who calls meanwhile hears nothing: \(error)")
        }
    }

    /// The person says yes. Nobody bridges these calls: the service has none.
    func answer(through bridge: CallBridge?) {
        guard questionEnd != nil, reason == nil else { return }
        questionEnd = nil
        do throws(SoftphoneError) {
            try judge.remember()
            link.accept(now: .monotonicNow())
        } catch {
            failure = error
            settle(.localHangup, "\(error)")
        }
    }

    func checkQuestion() {
        guard let questionEnd, HostTime.monotonicNow() >= questionEnd else { return }
        self.questionEnd = nil
        guard role == .callee else {
            return settle(.authentication, "nobody said whether the other side's key is the right one")
        }
        wasCall = false
        waitAgain("nobody said whether the caller may call")
    }

    /// At most once a second: strangers shall not fill the screen.
    func mayTell() -> Bool {
        let now = HostTime.monotonicNow()
        guard now.milliseconds(since: lastRefusalTold) >= 1000 else { return false }
        lastRefusalTold = now
        return true
    }

    func turnedAway(_ failure: DTLSFailure, _ source: SocketAddress) {
        guard mayTell() else { return }
        guard case .wrongFingerprint(let fingerprint) = failure else {
            return pending.append(.warning("a caller at \(source.address) came to nothing: \(failure)"))
        }
        pending.append(.peer(judge.turnedAway(fingerprint, source)))
    }

    func failed(_ failure: DTLSFailure) {
        guard media == nil else { return settle(.network, "the other side broke off: \(failure)") }
        guard role == .caller else { return waitAgain("a call came to nothing: \(failure)") }
        switch failure {
        case .unanswered:
            if let code = refusals.reason { return settle(.network, SendRefusals.text(code)) }
            let place = trial.map { "at \($0.addresses.text)" } ?? "there"
            settle(.noAnswer, "nobody answers \(place); is `yodel listen yodel://` running, and the UDP port open?")
        case .refusedByPeer:
            settle(
                .refused,
                "the other side does not know our key and cannot ask; have it run `yodel peers pin '\(phone.fingerprint)'`")
        default: settle(.network, "\(failure)")
        }
    }

    /// A caller's attempt has ended before there were media.
    func endedEarly(_ ending: PeerDialog.Ending) {
        switch ending {
        case .hungUpByPeer: waitAgain("the caller hung up")
        case .noAnswer: waitAgain("a caller said nothing")
        case .lost: waitAgain("a caller no longer answers")
        case .refused(_, let text):
            if mayTell() { pending.append(.warning("a call came to nothing: \(text)")) }
            refusalEnd = HostTime.monotonicNow().advanced(byMilliseconds: PeerDoor.patienceMilliseconds)
        }
    }

    /// The next one may come when the one who was refused has heard why, or has had time enough.
    func checkRefusal() {
        guard let refusalEnd, link.isSettled || HostTime.monotonicNow() >= refusalEnd else { return }
        waitAgain()
    }

    /// What became of this caller was no call: the next one may come.
    func waitAgain(_ why: String? = nil) {
        // Why one was refused is told already.
        if let why, refusalEnd == nil, mayTell() { pending.append(.warning(why)) }
        door = nil
        link.close(now: .monotonicNow())
        socket.setPeer(nil)
        socket.admit(.anyone)
        (isConnected, questionEnd, refusalEnd, agreement) = (false, nil, nil, nil)
        judge.forgetPeer()
        renewLink()
    }

    /// Where nobody answers, or the system sends nothing, the next address of the name is called, as long as there is time.
    func lookElsewhere(_ now: HostTime) {
        guard let addresses = trial?.addresses, let former = socket.peer?.media, reason == nil else { return }
        if link.hasHeardPeer { trial?.heard() }
        var next = trial?.advance(to: now)
        while case .unreachable(let address)? = socket.nextEvent() { next = trial?.unreachable(address, now: now) ?? next }
        let refusal = refusals.take(socket.statistics, to: former)
        if let refusal, SendRefusals.isOfAddress(refusal), !link.hasHeardPeer {
            if refusals.bars(addresses) { return settle(.network, SendRefusals.text(refusal)) }
            next = next ?? trial?.unreachable(former, now: now)
            if next == nil { tellRefusal(refusal) }
        }
        let patience = PeerLink.patienceMilliseconds - now.milliseconds(since: start)
        guard let next, patience > 0 else { return }
        pending.append(.tried(next, after: former, refusal: refusal.map(SendRefusals.text)))
        socket.setPeer(LinkPeer(media: next))
        renewLink(patienceMilliseconds: patience)
        // What is refused there too is known already.
        lookElsewhere(now)
    }

    /// Once: the network may come back while there is time.
    private func tellRefusal(_ code: Int32) {
        guard !hasToldRefusal, refusals.reason != nil else { return }
        hasToldRefusal = true
        let seconds = Int(PeerLink.patienceMilliseconds / 1000)
        pending.append(.warning("\(SendRefusals.text(code)); it is tried for \(seconds) s"))
    }

    /// A handshake from the beginning.
    private func renewLink(patienceMilliseconds: Double = PeerLink.patienceMilliseconds) {
        do throws(SoftphoneError) {
            let known = try phone.folder.known()
            mail = try Self.makeMail()
            link = try PeerLink(
                role, over: socket, identity: phone.identity, trust: judge.trust(known), capabilities: capabilities.described,
                mail: mail, patienceMilliseconds: patienceMilliseconds, now: .monotonicNow())
        } catch {
            failure = error
            settle(.localHangup, "\(error)")
        }
    }

    /// Who is pinned while callers are waited for may call at once. A file that cannot be read changes nothing.
    func lookForPins() {
        let now = HostTime.monotonicNow()
        guard role == .callee, !isConnected, now >= nextLook else { return }
        nextLook = now.advanced(byMilliseconds: 200)
        let newest = phone.folder.stamp
        guard newest != stamp, let known = try? phone.folder.known() else { return }
        stamp = newest
        link.setTrust(judge.trust(known))
    }
}
