import Glibc
import Link
import LiveMedia
import Media
import Metrics
import Realtime
import Reporting
import Signalling
import Synchronization

/// One call by SIP from its first message to its report: signalling and media as one.
///
/// ```
/// out: invite -> progress -> agreed (media starts) -> answered -> ended
/// in:  waits -> incoming (rings) -> agreed -> answer: media starts, then 200 goes out -> ended
/// ```
final class SIPLiveCall {
    let phone: SIPPhone
    let request: SIPRequest
    private let events: Mailbox<CallSignallingEvent>
    var id: SignalledCallID?
    var media: SIPCallMedia
    /// What was agreed on last.
    var agreement: MediaAgreement?
    private var caller: CallerFacts?
    /// Where the other side is to go, and whether it says that it does.
    var transferTarget: String?
    var isTransferAccepted = false
    /// The call that the other side wants, before it has a number; the one under way; and the one before, which is about to end.
    var announced: (media: SIPCallMedia, target: String)?
    var next: FollowingCall?
    var former: (id: SignalledCallID, limit: HostTime)?
    /// Whom the call has moved to; nil: it has not.
    var party: String?
    /// Stretches of media that are over, the oldest first.
    var legs: [CallReport] = []
    /// When our answer goes out at the latest, which waits for the device; nil: it waits for nothing.
    private(set) var answerDue: HostTime?
    /// When the other side answered, or our answer was about to go out.
    private var answeredAt: HostTime?
    /// When our voice and the loudspeaker began, of the media that began first.
    private var voiceStart: (captured: HostTime, playing: HostTime?)?
    var tone: CallTone?
    /// Whose ports signalling waits for.
    private var openings: [Opening] = []
    /// We call, though the other side may not know of it yet.
    private var isCalling = false
    /// Signalling knows the ports of this call.
    private var isPrepared = false
    /// Somebody else is talked to.
    var isBesideAnother = false

    /// Call-IDs of its messages; one after a redirection, or a transfer, has several.
    var dialogs: [String] = []
    /// Of the media before those of now.
    var formerCaptures: [String] = []
    var pending: [EventBody] = []
    var isAnswered = false
    /// The person, or whoever may, has taken the call.
    private var wantsAnswer = false
    private var mediaStart: HostTime?
    private var start = HostTime.monotonicNow()
    /// Why we hang up.
    var wish: Media.EndReason?
    var reason: Media.EndReason?
    private var report = CallReport()
    /// Why the media could not be started.
    private(set) var failure: SoftphoneError?
    var cannotSound = false
    private var isHeldByUs = false
    /// The other side is being called, and sends no sound of its own yet.
    private(set) var isRingingThere = false
    /// Why media do not pass as was agreed.
    private var mediaFailure: String?

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
        id = phone.switchboard.connect(to: events) { signalling.invite(call) }
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
    var isRinging: Bool { id != nil && caller != nil && !isAnswered && !wantsAnswer && reason == nil }
    /// Who is at the other side, as a URI.
    var remoteURI: String? {
        if let party { return party }
        if let caller { return caller.from }
        if case .call(let target) = request.purpose { return target }
        return nil
    }

    func takeEvents() -> [EventBody] {
        for event in events.takeAll() {
            logger.trace("event \(event)")
            take(event)
        }
        takeOpenings()
        takeMediaEvents()
        keepTone()
        if wasCall, caller == nil, !isAnswered, reason == nil, !isBesideAnother { media.standBy() }
        endFormer()
        defer { pending = [] }
        return pending
    }

    // MARK: - Signalling

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
        case .incoming(let id, let facts) where self.id != nil && isAnswered && facts.replaces == self.id:
            replaced(by: id, facts)
        case .incoming(let id, let facts): incoming(id, facts)
        case .progress(let id, let progress) where id == self.id:
            if report.postDialMilliseconds == nil { report.postDialMilliseconds = sinceStart }
            isRingingThere = progress.sipCode == 180 && !progress.hasEarlyMedia
            pending.append(
                .callProgress(sipCode: progress.sipCode, reason: progress.reason, earlyMedia: progress.hasEarlyMedia))
        case .negotiated(let id, let media) where id == self.id: negotiated(media)
        case .answered(let id, let sipCode, let time) where id == self.id:
            isAnswered = true
            if caller == nil { answeredAt = time }
            media.answered()
            report.sipCode = sipCode
            if report.postDialMilliseconds == nil { report.postDialMilliseconds = sinceStart }
            report.setupMilliseconds = sinceStart
            pending.append(.callAnswered(sipCode: sipCode))
        case .held(let id, let byUs, let byPeer) where id == self.id: held(byUs: byUs, byPeer: byPeer)
        case .transferRequested(let id, let target) where id == self.id: transferRequested(target)
        case .followed(let id, let next) where id == self.id: followed(by: next)
        case .transferProgress(let id, let code, let reason) where id == self.id: transferProgressed(code, reason)
        case .digit(let id, let digit) where id == self.id:
            pending.append(.dtmf(digit: String(digit), direction: .received))
        case .textAnswered(let id, let text, let code, let reason) where id == self.id: textAnswered(text, code, reason)
        case .requestRefused(let id, let reason, let code) where id == self.id:
            // Which one is not told: whatever was asked for is given up.
            giveUpTransfers()
            pending.append(.warning("that cannot be done now: \(code.map { "\($0) " } ?? "")\(reason)"))
        // Who transfers us may end its call at once.
        case .ended(let id, _) where id == self.id && next != nil: takeOver()
        case .dialog(let id, let name) where id == self.id: dialogs.append(name)
        case .ended(let id, let ending) where id == self.id: ended(ending)
        case .warning(_, let text): pending.append(.warning(text))
        default: break
        }
    }

    private var sinceStart: Double { HostTime.monotonicNow().milliseconds(since: start) }

    private func incoming(_ id: SignalledCallID, _ facts: CallerFacts) {
        guard self.id == nil, reason == nil, case .listen = request.purpose else { return phone.refuse(id, .busy) }
        // The caller need not wait for our ports to hear that it rings.
        signalling.ring(id, withMedia: false)
        guard openPorts() else { return phone.refuse(id, .busy) }
        self.id = id
        caller = facts
        start = HostTime.monotonicNow()
        pending.append(.callIncoming(from: facts.from, name: facts.name, to: facts.to, account: facts.account))
        if request.answersByItself {
            wantsAnswer = mayAnswer(facts)
            if wantsAnswer {
                media.standBy()
            } else {
                pending.append(
                    .warning("nobody answers this caller by itself: it does not call from this machine; name it with --allow"))
            }
        }
        open(media) { call, ports in call.prepare(id, facts, ports) }
    }

    private func prepare(_ id: SignalledCallID, _ facts: CallerFacts, _ ports: LocalPorts?) {
        guard let ports else { return signalling.reject(id, .busy) }
        guard reason == nil else { return }
        isPrepared = true
        signalling.prepare(id, media: ports)
        // Without an offer there is nothing to agree on before our answer makes one.
        if wantsAnswer, facts.offeredCodecs.isEmpty { signalling.answer(id) }
    }

    /// Who is answered without a person: the account's callers, who is allowed, and else this machine.
    private func mayAnswer(_ facts: CallerFacts) -> Bool {
        facts.isFromAccountServer || !request.media.allow.isEmpty || facts.source?.address.isLoopback == true
    }

    func answer(through bridge: CallBridge?) {
        guard let id, caller != nil, !isAnswered, !wantsAnswer else { return }
        wantsAnswer = true
        if let bridge { media.bridge = bridge }
        tone = nil
        if agreement != nil { answerNow(id) } else if isPrepared { signalling.answer(id) }
    }

    /// The device runs before the caller hears of the answer, so that nothing is cut off.
    private func answerNow(_ id: SignalledCallID) {
        startMedia()
        guard reason == nil, failure == nil else { return }
        answerDue = .monotonicNow()
        if media.hasHardware { answerDue = answerDue?.advanced(byMilliseconds: Self.deviceMilliseconds) }
        answerWhenDue()
    }

    /// A device that has said nothing for so long is waited for no longer, ms: the caller waits too, but what he does not hear is lost.
    private static let deviceMilliseconds = 400.0

    private func answerWhenDue() {
        guard let id, let due = answerDue, voiceStart != nil || .monotonicNow() >= due else { return }
        answerDue = nil
        answeredAt = .monotonicNow()
        signalling.answer(id)
    }

    private func negotiated(_ negotiated: NegotiatedMedia) {
        pending.append(.negotiated(NegotiationReport(negotiated)))
        guard let agreed = negotiated.agreement else { return }
        let isFirst = agreement == nil
        agreement = agreed
        if let time = negotiated.answeredAt {
            answeredAt = time
            (media.isAnswered, media.answeredAt) = (true, time)
        }
        guard let id else { return }
        if caller == nil || isAnswered {
            startMedia()
        } else if isFirst, wantsAnswer {
            answerNow(id)
        }
    }

    private func held(byUs: Bool, byPeer: Bool) {
        isHeldByUs = byUs
        media.setHeld(byUs: byUs, byPeer: byPeer)
        pending.append(byUs || byPeer ? .callHeld(byUs: byUs, byPeer: byPeer) : .callResumed)
    }

    private func ended(_ ending: CallEnding) {
        let cause: Media.EndReason =
            switch ending.reason {
            case .localHangup: wish ?? .localHangup
            case .remoteHangup: caller != nil && !isAnswered ? .cancelled : isTransferAccepted ? .transferred : .remoteHangup
            case .busy: .busy
            case .refused, .redirected, .noCommonMedia, .badTarget: .refused
            case .noAnswer: .noAnswer
            case .authentication, .certificate: .authentication
            case .network, .lost: .network
            case .replaced: .replaced
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
    private func settle(_ cause: Media.EndReason, code: Int? = nil, text: String? = nil) {
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
        let seconds = mediaStart.map { HostTime.monotonicNow().milliseconds(since: $0) / 1000 }
        media.hangUp(byDuration: cause == .duration)
        pending.append(
            .callEnded(reason: cause.rawValue, durationSeconds: seconds, sipCode: code, explanation: text))
        if cause == .busy, caller == nil, let loudspeaker { tone = try? CallTone(at: loudspeaker, .busy, audio: nil) }
    }

    // MARK: - Media

    private struct Opening {
        let media: SIPCallMedia
        /// Takes the ports; nil: there are none, and it was told why.
        let use: (SIPLiveCall, LocalPorts?) -> Void
    }

    /// - Returns: false when there are none; the call is over then.
    private func openPorts() -> Bool {
        do throws(SoftphoneError) {
            try media.openPorts()
            return true
        } catch {
            cannotOpen(error)
            return false
        }
    }

    private func cannotOpen(_ error: SoftphoneError) {
        if case .network(let reason) = error {
            pending.append(.warning("\(reason)"))
            settle(.network, text: "\(reason)")
        } else {
            failure = error
            settle(.localHangup, text: error.description)
        }
    }

    /// Has `use` have the ports of `media` as soon as they are known: at once, where no server is asked for them.
    func open(_ media: SIPCallMedia, _ use: @escaping (SIPLiveCall, LocalPorts?) -> Void) {
        openings.append(Opening(media: media, use: use))
        takeOpenings()
    }

    private func takeOpenings() {
        for opening in openings {
            let ports: LocalPorts?
            do throws(SoftphoneError) {
                ports = try opening.media.takePorts()
                guard ports != nil else { continue }
            } catch {
                ports = nil
                if opening.media === media {
                    cannotOpen(error)
                } else {
                    pending.append(.warning("the call cannot go on elsewhere: \(error)"))
                }
            }
            openings.removeAll { $0.media === opening.media }
            opening.use(self, ports)
        }
    }

    /// Brings the media to what was agreed on. A call whose media cannot be started is over.
    func startMedia() {
        guard reason == nil, let agreement else { return }
        // It has the device that the media want.
        tone = nil
        media.isAnswered = media.isAnswered || isAnswered || caller != nil
        do throws(SoftphoneError) { try media.start(agreement) } catch { failed(error) }
    }

    /// The media go on at a device that another call has too.
    func share(_ sound: CallBridge) {
        do throws(SoftphoneError) { try media.share(sound) } catch { failed(error) }
    }

    /// The media go on with something else at our end; where that cannot be, with what they had.
    func take(_ sound: CallSound) throws(SoftphoneError) {
        guard reason == nil else { throw .request("the call is over") }
        let former = media.sound
        do throws(SoftphoneError) { try media.take(sound) } catch {
            do throws(SoftphoneError) { try media.take(former) } catch { failed(error) }
            throw error
        }
    }

    private func failed(_ error: SoftphoneError) {
        pending.append(.warning("\(error)"))
        failure = error
        wish = wish ?? .localHangup
        if let id { signalling.hangUp(id) }
    }

    /// Nothing passes where the keys failed, or no way was found: the call is over.
    private func takeMediaFailure() {
        guard reason == nil, mediaFailure == nil else { return }
        if let failed = media.encryptionFailure {
            mediaFailure = "the media cannot be encrypted: \(failed.reason)"
            wish = wish ?? (failed.isCertificate ? .authentication : .network)
        } else if let failed = media.pathFailure {
            mediaFailure = failed
            wish = wish ?? .network
        } else {
            return
        }
        if let id { signalling.hangUp(id) }
    }

    func takeMediaEvents() {
        for body in media.takeEvents() {
            switch body {
            case .mediaStarted:
                if mediaStart == nil { mediaStart = HostTime.monotonicNow() }
                pending.append(body)
            case .callEnded:
                // Signalling says when a call is over, but for silence and for echoes without end.
                guard reason == nil, let cause = media.endReason, wish == nil else { break }
                wish = cause
                if let id { signalling.hangUp(id) }
            default: pending.append(body)
            }
        }
        if voiceStart == nil { voiceStart = media.voiceStart }
        answerWhenDue()
        takeMediaFailure()
        if let id, let ports = media.takeNewPorts() { signalling.move(id, media: ports) }
    }

    // MARK: - What a person does

    func setMuted(_ muted: Bool) { media.setMuted(muted) }

    func setHeld(_ held: Bool) {
        guard let id else { return }
        // A hold that never reached the other side ends here.
        if held || !isHeldByUs { media.setHeldByUs(held) }
        signalling.hold(id, held)
    }

    func setVolume(decibels: Int) { media.setVolume(decibels: decibels) }

    func send(digit: Character) { media.send(digit: digit) }

    func hangUp(byDuration: Bool) {
        wish = wish ?? (byDuration ? .duration : .localHangup)
        guard let id else { return settle(wish ?? .localHangup) }
        if caller != nil, !isAnswered, !wantsAnswer { signalling.reject(id, .declined) } else { signalling.hangUp(id) }
    }

    /// Stops threads and devices and closes files.
    /// - Returns: nil where there was no call.
    func close() -> CallReport? {
        // Who is told that it is busy hears it.
        while let tone, !tone.isOver { usleep(20_000) }
        tone = nil
        if let id {
            signalling.hangUp(id)
            phone.switchboard.disconnect(id)
        }
        settle(wish ?? .localHangup)
        guard wasCall else { return nil }
        guard var final = whole(media.close()) else { return report }
        (final.sipCode, final.reason) = (report.sipCode, report.reason)
        final.requested["srtp"] = request.effectiveEncryption.rawValue
        final.effective["srtp"] = media.running?.encryption?.kind ?? "none"
        final.postDialMilliseconds = report.postDialMilliseconds
        final.setupMilliseconds = report.setupMilliseconds
        final.clippedAtAnswerMilliseconds = clippedAtAnswer
        final.party = remoteURI
        return final
    }

    /// What was said before the microphone ran, ms; nil: nobody answered, or nothing was sent. What comes before the loudspeaker
    /// runs waits in the jitter buffer.
    private var clippedAtAnswer: Double? {
        guard let answeredAt, let voiceStart else { return nil }
        return max(0, voiceStart.captured.milliseconds(since: answeredAt))
    }
}
