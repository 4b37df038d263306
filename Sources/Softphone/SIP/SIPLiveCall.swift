import LiveMedia
import Media
import Metrics
import Realtime
import Reporting
import Signalling

/// One call by SIP from its first message to its report: signalling and media as one.
///
/// ```
/// out: invite -> progress -> agreed (media starts) -> answered -> ended
/// in:  waits -> incoming (rings) -> agreed -> answer: media starts, then 200 goes out -> ended
/// ```
final class SIPLiveCall {
    let phone: SIPPhone
    let request: SIPRequest
    let events: Mailbox<CallSignallingEvent>
    var id: SignalledCallID?
    var media: SIPCallMedia
    /// What was agreed on last.
    var agreement: MediaAgreement?
    var caller: CallerFacts?
    /// Where the other side is to go, and whether it says that it does.
    var transferTarget: String?
    var isTransferAccepted = false
    /// Whether its other side is being connected with another call's, and the same of the call that we connect it with.
    let connection = ConnectionMark()
    var connected: ConnectionMark?
    /// The call that the other side wants, before it has a number; the one under way; and the one before, which is about to end.
    var announced: (media: SIPCallMedia, target: String)?
    var next: FollowingCall?
    var former: (id: SignalledCallID, limit: HostTime)?
    /// The other side calls us from its new place, and has no answer yet.
    var owesAnswer = false
    /// Whom the call has moved to; nil: it has not.
    var party: String?
    /// Stretches of media that are over, the oldest first.
    var legs: [CallReport] = []
    /// When our answer goes out at the latest, which waits for the device; nil: it waits for nothing.
    var answerDue: HostTime?
    /// When the other side answered, or our answer was about to go out.
    var answeredAt: HostTime?
    /// When our voice and the loudspeaker began, of the media that began first.
    var voiceStart: (captured: HostTime, playing: HostTime?)?
    var tone: CallTone?
    /// Whose ports signalling waits for.
    var openings: [Opening] = []
    /// We call, though the other side may not know of it yet.
    var isCalling = false
    /// Signalling knows the ports of this call.
    var isPrepared = false
    /// Somebody else is talked to.
    var isBesideAnother = false
    /// Its owner has other calls elsewhere, and cannot wait at its end.
    var isOneOfMany = false

    /// Call-IDs of its messages; one after a redirection, or a transfer, has several.
    var dialogs: [String] = []
    /// Of the media before those of now.
    var formerCaptures: [String] = []
    var captures: [String] { formerCaptures + media.captures }
    var pending: [EventBody] = []
    var isAnswered = false
    /// The person, or whoever may, has taken the call.
    var wantsAnswer = false
    var start = HostTime.monotonicNow()
    /// Why we hang up.
    var wish: Media.EndReason?
    var reason: Media.EndReason?
    var report = CallReport()
    /// Why the media could not be started.
    var failure: SoftphoneError?
    var cannotSound = false
    /// The person wants it held, whatever the other side has agreed to.
    var wantsHold = false
    /// As it was agreed on with the other side.
    var isHeldByUs = false
    /// Who holds it, as was told last.
    private var toldHold = (byUs: false, byPeer: false)
    /// Our answer to who called has gone out.
    var hasSentAnswer = false
    /// The other side has said that it rings there (180).
    private(set) var isRingingThere = false
    /// Sound of the other side has come.
    var isHeard = false
    /// Why media do not pass as was agreed.
    var mediaFailure: String?

    var signalling: any CallSignalling { phone.signalling }

    /// - Parameter events: what is told of this call, and of nothing else.
    init(_ phone: SIPPhone, _ request: SIPRequest, events: Mailbox<CallSignallingEvent>) {
        (self.phone, self.request, self.events) = (phone, request, events)
        media = SIPCallMedia(request)
        guard case .call(let target) = request.purpose, openPorts() else { return }
        isCalling = true
        open(media) { call, ports in call.invite(target, ports) }
    }

    private func invite(_ target: String, _ ports: LocalPorts?) {
        guard let ports else {
            isCalling = false
            return
        }
        isPrepared = true
        let call = OutgoingCall(target: target, account: request.account?.name, media: ports)
        let id = phone.switchboard.connect(to: events) { signalling.invite(call) }
        self.id = id
        if wantsHold { signalling.hold(id, true) }
    }

    var wasCall: Bool { id != nil || isCalling }
    var eventDescriptors: [Int32] {
        let others = openings.filter { $0.media !== media }.flatMap(\.media.eventDescriptors)
        return [events.signal.fileDescriptor] + media.eventDescriptors + others
    }
    /// When `takeEvents` is to be called though nothing has come; nil: then only.
    var nextDeadline: HostTime? {
        guard reason == nil else { return nil }
        return ([media.nextDeadline, answerDue] + openings.map(\.media.nextDeadline)).compactMap(\.self).min()
    }
    var statistics: CallStatistics { media.statistics }
    /// Somebody calls and waits for an answer.
    var isRinging: Bool { id != nil && caller != nil && !isAnswered && !wantsAnswer && wish == nil && reason == nil }
    /// Who is at the other side, as a URI.
    var remoteURI: String? {
        if let party { return party }
        if let caller { return caller.from }
        if case .call(let target) = request.purpose { return target }
        return nil
    }

    func takeEvents() -> [EventBody] {
        takeSignalling()
        takeOpenings()
        takeMediaEvents()
        keepTone()
        if wasCall, caller == nil, !isAnswered, reason == nil, !isBesideAnother { media.standBy() }
        endFormer()
        defer { pending = [] }
        return pending
    }

    // MARK: - Signalling

    /// Takes what has been told of this call and waits.
    func takeSignalling() {
        for event in events.takeAll() {
            logger.trace("event \(event)")
            take(event)
        }
    }

    private func take(_ event: CallSignallingEvent) {
        if let next, event.call == next.id { return take(event, ofNext: next) }
        if let former, event.call == former.id {
            if case .ended = event {
                self.former = nil
                phone.switchboard.disconnect(former.id)
            }
            return
        }
        switch event {
        case .incoming(let id, let facts) where self.id != nil && facts.replaces == self.id: replaced(by: id, facts)
        case .incoming(let id, let facts): incoming(id, facts)
        case .progress(let id, let progress) where id == self.id:
            if report.postDialMilliseconds == nil { report.postDialMilliseconds = sinceStart }
            isRingingThere = isRingingThere || progress.sipCode == 180
            pending.append(
                .callProgress(sipCode: progress.sipCode, reason: progress.reason, earlyMedia: progress.hasEarlyMedia))
        case .negotiated(let id, let media) where id == self.id: negotiated(media)
        case .answered(let id, let sipCode, let time) where id == self.id:
            isAnswered = true
            answeredAt = answeredAt ?? time
            media.answered()
            // Those of a telephone without ICE may have waited for its answer.
            if caller == nil, media.running == nil { startMedia() }
            report.sipCode = sipCode
            if report.postDialMilliseconds == nil { report.postDialMilliseconds = sinceStart }
            report.setupMilliseconds = sinceStart
            pending.append(.callAnswered(sipCode: sipCode))
            sendFirstDigits()
        case .held(let id, let byUs, let byPeer) where id == self.id: held(byUs: byUs, byPeer: byPeer)
        case .transferRequested(let id, let target) where id == self.id: transferRequested(target)
        case .followed(let id, let next) where id == self.id: followed(by: next)
        case .transferProgress(let id, let code, let reason) where id == self.id: transferProgressed(code, reason)
        case .digit(let id, let digit) where id == self.id:
            pending.append(.dtmf(digit: String(digit), direction: .received))
        case .textAnswered(let id, let text, let code, let reason) where id == self.id: textAnswered(text, code, reason)
        case .requestRefused(let id, let reason, let code) where id == self.id:
            // Which one is not told, but for changes of the media, which the other side refuses by a code: else transfers are given up.
            if code == nil { giveUpTransfers() }
            pending.append(.warning("that cannot be done now: \(code.map { "\($0) " } ?? "")\(reason)"))
            // A hold that is refused is one on this side alone.
            if media.hold.byUs, !toldHold.byUs { tellHold() }
        // Who transfers us may end its call at once.
        case .ended(let id, _) where id == self.id && next != nil && wish == nil: takeOver()
        case .dialog(let id, let name) where id == self.id: dialogs.append(name)
        case .ended(let id, let ending) where id == self.id: ended(ending)
        case .warning(_, let text): pending.append(.warning(text))
        default: break
        }
    }

    private var sinceStart: Double { HostTime.monotonicNow().milliseconds(since: start) }

    private func negotiated(_ negotiated: NegotiatedMedia) {
        pending.append(.negotiated(NegotiationReport(negotiated)))
        guard let agreed = negotiated.agreement else {
            if isAnswered { media.cease() }
            return
        }
        let isFirst = agreement == nil
        agreement = agreed
        media.hasCeased = false
        if let time = negotiated.answeredAt {
            // A call that has moved was answered where it began.
            answeredAt = answeredAt ?? time
            (media.isAnswered, media.answeredAt) = (true, time)
        }
        guard let id else { return }
        if caller == nil || isAnswered || party != nil {
            startMedia()
            answerFollowing()
        } else if isFirst, wantsAnswer {
            answerNow(id)
        }
    }

    /// What was agreed on with the other side.
    func held(byUs: Bool, byPeer: Bool) {
        isHeldByUs = byUs
        // What was agreed on may be older than what the person wants.
        media.setHeld(byUs: byUs || wantsHold, byPeer: byPeer)
        tellHold()
    }

    /// The person holds it, or does so no longer: silent at once both ways, whenever the other side agrees, and if it does not.
    func setHeld(_ held: Bool) {
        guard reason == nil else { return }
        wantsHold = held
        media.setHeldByUs(held || isHeldByUs)
        // A hold that never reached the other side ends here.
        if toldHold.byUs, !media.hold.byUs { tellHold() }
        if let id { signalling.hold(id, held) }
    }

    private func tellHold() {
        guard media.hold != toldHold else { return }
        toldHold = media.hold
        let (byUs, byPeer) = toldHold
        pending.append(byUs || byPeer ? .callHeld(byUs: byUs, byPeer: byPeer) : .callResumed)
    }

    private func ended(_ ending: CallEnding) {
        let cause: Media.EndReason =
            switch ending.reason {
            case .localHangup: wish ?? .localHangup
            case .remoteHangup where caller != nil && !isAnswered: .cancelled
            case .remoteHangup: isTransferAccepted || connection.isSet ? .transferred : .remoteHangup
            default: Media.EndReason(ending.reason)
            }
        var text: String? = ending.text
        if ending.reason == .localHangup || ending.reason == .remoteHangup { text = failure?.description ?? mediaFailure }
        if ending.reason == .noCommonMedia, request.effectiveEncryption == .required {
            text = (text ?? "") + "; encrypted media are required here (srtp)"
        }
        if !ending.contacts.isEmpty { text = (text ?? "") + ": call \(ending.contacts.joined(separator: ", ")) instead" }
        settle(cause, code: ending.sipCode, text: text)
    }

    /// The call is over: the only place where that is told.
    func settle(_ cause: Media.EndReason, code: Int? = nil, text: String? = nil) {
        guard reason == nil else { return }
        tone = nil
        answerDue = nil
        media.endStandby()
        takeMediaEvents()
        endFollowing()
        openings = []
        reason = cause
        report.sipCode = code ?? report.sipCode
        report.reason = cause.rawValue
        // Sound before the answer is no conversation.
        let seconds = isAnswered ? answeredAt.map { HostTime.monotonicNow().milliseconds(since: $0) / 1000 } : nil
        media.hangUp(byDuration: cause == .duration)
        // We wish for such an end only when the duration has passed.
        let text =
            text ?? cause.explanation(of: "the other side", wasHeard: isHeard)
            ?? (wish == .noAnswer ? Media.EndReason.unansweredText : nil)
        pending.append(
            .callEnded(reason: cause.rawValue, durationSeconds: seconds, sipCode: code, explanation: text))
        guard cause == .busy, caller == nil, !isOneOfMany, let loudspeaker else { return }
        tone = try? CallTone(at: loudspeaker, .busy, audio: nil)
    }
}
