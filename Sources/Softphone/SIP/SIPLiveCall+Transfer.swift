import Media
import Realtime
import Reporting
import Signalling

/// A call that takes the place of another one as soon as it stands; the other one goes on until then.
struct FollowingCall {
    let id: SignalledCallID
    let media: SIPCallMedia
    /// Who is called, or calls.
    let party: String
    /// The other side's new place calls us (RFC 3891); else we call because the other side wants it (RFC 3515).
    let isIncoming: Bool
    /// It calls us, and our answer has not gone out.
    var owesAnswer: Bool
    var agreement: MediaAgreement?

    init(id: SignalledCallID, media: SIPCallMedia, party: String, isIncoming: Bool) {
        (self.id, self.media, self.party) = (id, media, party)
        (self.isIncoming, owesAnswer) = (isIncoming, isIncoming)
    }
}

/// Transfers, both sides.
///
/// ```
/// we ask:   transfer -> REFER -> NOTIFY* 200 -> we hang up, for the reason transferred
/// they ask: REFER -> a following call -> it is answered: the media change over, and the other side ends the former call
/// replaced: INVITE with Replaces -> a following call -> agreed: the media change over, 200 goes out, the former call ends;
///           a call of ours that still rings may be replaced, too
/// ```
extension SIPLiveCall {
    /// How long the other side may take to end a call whose place another one has, ms: then we do.
    private static let formerMilliseconds = 3000.0

    // MARK: We ask

    func transfer(to target: String) throws(SoftphoneError) {
        guard let id, isAnswered, reason == nil else {
            throw .state("only a call that is answered can be transferred; wait until it is")
        }
        guard transferTarget == nil, next == nil else { throw .state("a transfer is under way; wait until it is done") }
        let completed = CallTarget.completed(target, account: request.account?.uri)
        // The other side calls a number through an account of its own.
        if let problem = CallTarget.problem(with: completed, hasAccount: true) {
            throw .request("\(problem), in '\(completed)'; write sip:USER@HOST[:PORT], or a name at the account's domain")
        }
        if let account = request.account, !account.mayReach(completed) { throw .request(account.unreached(completed)) }
        transferTarget = completed
        signalling.transfer(id, to: completed, replacing: nil)
    }

    /// Connects the other side with that of `other`: both calls end.
    func transfer(replacing other: SIPLiveCall) throws(SoftphoneError) {
        guard let place = other.transferPlace else {
            throw .state("only calls that are answered can be connected; wait until they are")
        }
        try transfer(replacing: place)
    }

    var transferPlace: TransferPlace? {
        guard let id, isAnswered, reason == nil, let remoteURI else { return nil }
        return TransferPlace(id: id, target: remoteURI, mark: connection)
    }

    func transfer(replacing place: TransferPlace) throws(SoftphoneError) {
        guard let id, isAnswered, reason == nil else {
            throw .state("only calls that are answered can be connected; wait until they are")
        }
        guard transferTarget == nil, next == nil else { throw .state("a transfer is under way; wait until it is done") }
        transferTarget = place.target
        // That one ends because its other side has somebody else.
        connected = place.mark
        connected?.isSet = true
        signalling.transfer(id, to: place.target, replacing: place.id)
    }

    func transferProgressed(_ code: Int, _ reason: String) {
        guard let target = transferTarget else { return }
        isTransferAccepted = true
        pending.append(.transferProgress(target: target, sipCode: code, reason: reason))
        guard code >= 200 else { return }
        (transferTarget, isTransferAccepted) = (nil, false)
        if code >= 300 { connected?.isSet = false }
        connected = nil
        guard code < 300, let id else { return }
        wish = wish ?? .transferred
        signalling.hangUp(id)
    }

    // MARK: They ask

    /// Ports for the call to `target`, or none.
    func transferRequested(_ target: String) {
        guard let id else { return }
        guard isAnswered, reason == nil, next == nil, announced == nil else { return signalling.answerTransfer(id, media: nil) }
        guard let media = mediaOfNext() else { return signalling.answerTransfer(id, media: nil) }
        pending.append(.transferRequested(target: target))
        announced = (media, target)
        open(media) { call, ports in
            if ports == nil { call.announced = nil }
            call.signalling.answerTransfer(id, media: ports)
        }
    }

    /// Nothing comes of what either side asked for. What servers gave for the call that was to follow is given back.
    func giveUpTransfers() {
        _ = announced?.media.close()
        connected?.isSet = false
        (announced, transferTarget, connected) = (nil, nil, nil)
    }

    func followed(by next: SignalledCallID) {
        guard let (media, target) = announced else { return drop(next) }
        announced = nil
        self.next = FollowingCall(id: next, media: media, party: target, isIncoming: false)
    }

    /// The other side moves to another place, and calls from there.
    func replaced(by next: SignalledCallID, _ facts: CallerFacts) {
        guard reason == nil, self.next == nil, announced == nil, let media = mediaOfNext() else {
            return phone.refuse(next, .busy)
        }
        pending.append(.transferRequested(target: facts.from))
        self.next = FollowingCall(id: next, media: media, party: facts.from, isIncoming: true)
        open(media) { call, ports in
            guard let ports else {
                call.next = nil
                return call.phone.refuse(next, .busy)
            }
            call.signalling.prepare(next, media: ports)
            // Without an offer there is nothing to agree on before our answer makes one.
            guard facts.offeredCodecs.isEmpty else { return }
            if call.id == next { call.owesAnswer = false } else { call.next?.owesAnswer = false }
            call.signalling.answer(next)
        }
    }

    private func mediaOfNext() -> SIPCallMedia? {
        let media = SIPCallMedia(request.following())
        do throws(SoftphoneError) {
            try media.openPorts()
            return media
        } catch {
            pending.append(.warning("the call cannot go on elsewhere: \(error)"))
            return nil
        }
    }

    // MARK: The following call

    func take(_ event: CallSignallingEvent, ofNext next: FollowingCall) {
        switch event {
        case .progress(_, let progress):
            pending.append(
                .callProgress(sipCode: progress.sipCode, reason: progress.reason, earlyMedia: progress.hasEarlyMedia))
        case .negotiated(_, let negotiated):
            pending.append(.negotiated(NegotiationReport(negotiated)))
            self.next?.agreement = negotiated.agreement
            if next.isIncoming, negotiated.agreement != nil { takeOver() }
        case .answered(_, let sipCode, _):
            takeOver()
            pending.append(.callAnswered(sipCode: sipCode))
        case .ended(_, let ending):
            self.next = nil
            phone.switchboard.disconnect(next.id)
            _ = next.media.close()
            // Whoever hangs up ends it too.
            guard wish == nil else { return }
            let code = ending.sipCode.map { "\($0) " } ?? ""
            pending.append(.warning("\(next.party) was not reached (\(code)\(ending.text)); the call goes on as it was"))
        case .dialog(_, let name): dialogs.append(name)
        case .warning(_, let text): pending.append(.warning(text))
        default: break
        }
    }

    /// The following call is the call from now on. One device serves both: the former media end first.
    func takeOver() {
        guard let next, let id else { return }
        let held = media.hold
        media.endRecording(.transferred)
        takeMediaEvents()
        keepLegs(media.close(), of: media)
        formerCaptures += media.captures
        if let former { drop(former.id) }
        former = (id, HostTime.monotonicNow().advanced(byMilliseconds: Self.formerMilliseconds))
        next.media.adopt(media)
        (self.id, media, agreement, isHeldByUs) = (next.id, next.media, next.agreement, false)
        self.next = nil
        (transferTarget, isTransferAccepted) = (nil, false)
        owesAnswer = next.owesAnswer
        // Who calls is heard, whether or not the one before had answered.
        media.isAnswered = next.isIncoming
        startMedia()
        party = next.party
        pending.append(.callTransferred(to: next.party))
        answerFollowing()
        goOnHeld(as: held)
    }

    /// Whom we hold we hold at the new place too; whether the other side does, that place has said.
    private func goOnHeld(as former: (byUs: Bool, byPeer: Bool)) {
        if wantsHold, let id { signalling.hold(id, true) }
        if former != (wantsHold, media.hold.byPeer) { held(byUs: false, byPeer: media.hold.byPeer) }
    }

    /// Answers who calls us from its new place, once it is agreed with what media; the former call may have ended before that.
    func answerFollowing() {
        guard owesAnswer, agreement != nil, let id else { return }
        owesAnswer = false
        signalling.answer(id)
    }

    /// What media that have ended leave for the report.
    /// - Parameter last: their last stretch; nil: they never began.
    func keepLegs(_ last: CallReport?, of media: SIPCallMedia) {
        for var leg in media.formerLegs + [last].compactMap(\.self) {
            leg.party = remoteURI
            legs.append(leg)
        }
    }

    /// The whole call's report.
    /// - Parameter last: of its last stretch; nil: it has none.
    func whole(_ last: CallReport?) -> CallReport? {
        keepLegs(last, of: media)
        guard var whole = legs.last else { return nil }
        whole.durationSeconds = legs.compactMap(\.durationSeconds).reduce(0, +)
        if legs.allSatisfy({ $0.durationSeconds == nil }) { whole.durationSeconds = nil }
        if legs.count > 1 { whole.legs = legs }
        return whole
    }

    /// Ends a former call that the other side does not end.
    func endFormer(now: HostTime = .monotonicNow()) {
        guard let (id, limit) = former, now >= limit else { return }
        former = nil
        drop(id)
    }

    /// The call is over: whatever belongs to it besides ends too.
    func endFollowing() {
        for id in [next?.id, former?.id].compactMap(\.self) { drop(id) }
        _ = (next?.media.close(), announced?.media.close())
        (next, former, announced) = (nil, nil, nil)
    }

    /// Nobody looks at what is told any more: calls that came in the place of this one, or follow from it, are ended too.
    func dropUnseen() {
        for event in events.takeAll() {
            switch event {
            case .incoming(let id, _): phone.refuse(id, .busy)
            case .followed(_, let next): drop(next)
            default: break
            }
        }
    }

    /// Ends a call of which nothing is to be told any more.
    func drop(_ id: SignalledCallID) {
        signalling.hangUp(id)
        phone.switchboard.disconnect(id)
    }
}
