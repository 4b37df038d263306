import AudioUnits
import Codecs
import Link
import LiveMedia
import Media
import Metrics
import Network
import Realtime
import Reporting
import SecureRTP
import Signalling
import Synchronization

/// One call by SIP from its first message to its report: signalling and media as one.
///
/// ```
/// out: invite -> progress -> agreed (media starts) -> answered -> ended
/// in:  waits -> incoming (rings) -> agreed -> answer: media starts, then 200 goes out -> ended
/// ```
final class SIPLiveCall: OwnedCall {
    private let phone: SIPPhone
    private let request: SIPRequest
    private let events: Mailbox<CallSignallingEvent>
    private var id: SignalledCallID?
    private var socket: UDPLink?
    private var encryption: CallEncryption?
    /// Below the stream of an encrypted call.
    private var link: SRTPLink?
    private var media: SessionCall?
    /// What the media runs with, and what was agreed on last.
    private var running: MediaAgreement?
    private var agreement: MediaAgreement?
    private var caller: CallerFacts?
    private var ring: RingTone?
    /// The calls that this one talks to; nil: it has an end of its own.
    private var bridge: CallBridge?

    private var pending: [EventBody] = []
    private var isAnswered = false
    /// The person, or whoever may, has taken the call.
    private var wantsAnswer = false
    private var isMuted = false
    private var isHeldByUs = false
    private var isHeldByPeer = false
    private var volume = 0
    private var mediaStart: HostTime?
    private var start = HostTime.monotonicNow()
    /// Why we hang up.
    private var wish: Media.EndReason?
    private var reason: Media.EndReason?
    private var report = CallReport()
    /// Why the media could not be started.
    private(set) var failure: SoftphoneError?
    private var cannotRing = false
    /// Why the media were not encrypted as was agreed.
    private var encryptionFailure: String?

    private var signalling: any CallSignalling { phone.signalling }

    /// - Parameter events: what is told of this call.
    init(_ phone: SIPPhone, _ request: SIPRequest, events: Mailbox<CallSignallingEvent>) {
        (self.phone, self.request, self.events) = (phone, request, events)
        bridge = request.bridge
        guard case .call(let target) = request.purpose, let ports = openPorts() else { return }
        let call = OutgoingCall(target: target, account: request.account?.name, media: ports)
        id = phone.switchboard.connect(to: events) { signalling.invite(call) }
    }

    var wasCall: Bool { id != nil }
    var parties: Int { 1 }
    var eventDescriptors: [Int32] { [events.signal.fileDescriptor] + (media?.eventDescriptors ?? []) }
    func endReason(of party: Int) -> Media.EndReason? { reason }
    func statistics(of party: Int) -> CallStatistics { media?.statistics(of: 0) ?? CallStatistics() }

    func takeEvents() -> [(party: Int, body: EventBody)] {
        for event in events.takeAll() {
            logger.trace("event \(event)")
            take(event)
        }
        takeMediaEvents()
        keepRinging()
        defer { pending = [] }
        return pending.map { (0, $0) }
    }

    // MARK: - Signalling

    private func take(_ event: CallSignallingEvent) {
        switch event {
        case .registration(let change): registration(change)
        case .incoming(let id, let facts): incoming(id, facts)
        case .progress(let id, let progress) where id == self.id:
            if report.postDialMilliseconds == nil { report.postDialMilliseconds = sinceStart }
            pending.append(
                .callProgress(sipCode: progress.sipCode, reason: progress.reason, earlyMedia: progress.hasEarlyMedia))
        case .negotiated(let id, let media) where id == self.id: negotiated(media)
        case .answered(let id, let sipCode) where id == self.id:
            isAnswered = true
            media?.signal(.answered)
            report.sipCode = sipCode
            if report.postDialMilliseconds == nil { report.postDialMilliseconds = sinceStart }
            report.setupMilliseconds = sinceStart
            pending.append(.callAnswered(sipCode: sipCode))
        case .held(let id, let byUs, let byPeer) where id == self.id: held(byUs: byUs, byPeer: byPeer)
        case .transferRequested(let id, let target) where id == self.id:
            signalling.answerTransfer(id, media: nil)
            pending.append(.warning("the other side wants us to call \(target), which this version does not do"))
        case .digit(let id, let digit) where id == self.id:
            pending.append(.dtmf(digit: String(digit), direction: .received))
        case .requestRefused(let id, let reason, let code) where id == self.id:
            pending.append(.warning("that cannot be done now: \(code.map { "\($0) " } ?? "")\(reason)"))
        case .ended(let id, let ending) where id == self.id: ended(ending)
        case .warning(let id, let text) where id == nil || id == self.id: pending.append(.warning(text))
        default: if let body = EventBody(notice: event) { pending.append(body) }
        }
    }

    private var sinceStart: Double { HostTime.monotonicNow().milliseconds(since: start) }

    private func registration(_ change: RegistrationChange) {
        pending.append(.registration(RegistrationReport(change)))
        if change.state == .registered { phone.hasRegistered.store(true, ordering: .relaxed) }
        // What the server has once accepted is tried again; a first refusal wants a person.
        guard id == nil, change.state == .failed, !phone.hasRegistered.load(ordering: .relaxed),
            let failure = change.failure
        else { return }
        switch failure {
        case .authentication, .certificate: settle(.authentication, code: change.sipCode, text: change.reason)
        case .refused: settle(.refused, code: change.sipCode, text: change.reason)
        case .network, .server: break
        }
    }

    private func incoming(_ id: SignalledCallID, _ facts: CallerFacts) {
        guard self.id == nil, reason == nil, case .listen = request.purpose, let ports = openPorts() else {
            signalling.reject(id, .busy)
            return
        }
        self.id = id
        caller = facts
        start = HostTime.monotonicNow()
        pending.append(.callIncoming(from: facts.from, name: facts.name, to: facts.to, account: facts.account))
        signalling.prepare(id, media: ports)
        signalling.ring(id, withMedia: false)
        guard request.answersByItself else { return }
        guard mayAnswer(facts) else {
            pending.append(
                .warning("nobody answers this caller by itself: it does not call from this machine; name it with --allow"))
            return
        }
        wantsAnswer = true
        // Without an offer there is nothing to agree on before our answer makes one.
        if facts.offeredCodecs.isEmpty { signalling.answer(id) }
    }

    /// Who is answered without a person: the account's callers, who is allowed, and else this machine.
    private func mayAnswer(_ facts: CallerFacts) -> Bool {
        facts.isFromAccountServer || !request.media.allow.isEmpty || facts.source?.address.isLoopback == true
    }

    func answer(through bridge: CallBridge?) {
        guard let id, caller != nil, !isAnswered, !wantsAnswer else { return }
        wantsAnswer = true
        if let bridge { self.bridge = bridge }
        ring = nil
        if agreement != nil { answerNow(id) } else { signalling.answer(id) }
    }

    /// The device runs before the caller hears of the answer, so that nothing is cut off.
    private func answerNow(_ id: SignalledCallID) {
        startMedia()
        signalling.answer(id)
    }

    private func negotiated(_ negotiated: NegotiatedMedia) {
        pending.append(.negotiated(NegotiationReport(negotiated)))
        guard let agreed = negotiated.agreement else { return }
        let isFirst = agreement == nil
        agreement = agreed
        guard let id else { return }
        if caller == nil || isAnswered {
            startMedia()
        } else if isFirst, wantsAnswer {
            answerNow(id)
        }
    }

    private func held(byUs: Bool, byPeer: Bool) {
        isHeldByUs = byUs
        isHeldByPeer = byPeer
        if let media { tellDirections(media) }
        pending.append(byUs || byPeer ? .callHeld(byUs: byUs, byPeer: byPeer) : .callResumed)
    }

    /// Ours: what the person wants. The other side's: as it was agreed on, for who holds us may send music.
    private func tellDirections(_ media: SessionCall) {
        media.setHeld(isHeldByUs)
        let sends = isHeldByUs || (agreement?.receives ?? true)
        media.signal(.direction(MediaDirection(sends: sends, receives: !isHeldByPeer)))
    }

    private func ended(_ ending: CallEnding) {
        let cause: Media.EndReason =
            switch ending.reason {
            case .localHangup: wish ?? .localHangup
            case .remoteHangup: caller != nil && !isAnswered ? .cancelled : .remoteHangup
            case .busy: .busy
            case .refused, .redirected, .noCommonMedia, .badTarget: .refused
            case .noAnswer: .noAnswer
            case .authentication, .certificate: .authentication
            case .network, .lost: .network
            case .replaced: .replaced
            }
        var text: String? = ending.text
        if ending.reason == .localHangup || ending.reason == .remoteHangup { text = failure?.description ?? encryptionFailure }
        if ending.reason == .noCommonMedia, request.effectiveEncryption == .required {
            text = (text ?? "") + "; encrypted media are required here (srtp)"
        }
        if !ending.contacts.isEmpty { text = (text ?? "") + ": call \(ending.contacts.joined(separator: ", ")) instead" }
        settle(cause, code: ending.sipCode, text: text)
    }

    /// The call is over: the only place where that is told.
    private func settle(_ cause: Media.EndReason, code: Int? = nil, text: String? = nil) {
        guard reason == nil else { return }
        ring = nil
        takeMediaEvents()
        reason = cause
        report.sipCode = code ?? report.sipCode
        report.reason = cause.rawValue
        let seconds = mediaStart.map { HostTime.monotonicNow().milliseconds(since: $0) / 1000 }
        media?.hangUp(byDuration: cause == .duration)
        pending.append(
            .callEnded(reason: cause.rawValue, durationSeconds: seconds, sipCode: code, explanation: text))
    }

    // MARK: - Media

    private func openPorts() -> LocalPorts? {
        do throws(NetworkError) {
            let socket = try UDPLink(bind: request.media.bind, rtcp: .separate())
            self.socket = socket
            guard let encryption = makeEncryption() else { return nil }
            self.encryption = encryption
            let address = socket.local.address.isUnspecified ? nil : "\(socket.local.address)"
            return LocalPorts(
                address: address, port: socket.local.port, controlPort: socket.localControlPort,
                fingerprint: encryption.identity?.fingerprint)
        } catch {
            pending.append(.warning("\(error)"))
            settle(.network, text: "\(error)")
            return nil
        }
    }

    /// Without the library a call is plain, and says so; one that must not be is none (nil).
    private func makeEncryption() -> CallEncryption? {
        let encryption = CallEncryption(request.effectiveEncryption)
        guard let missing = encryption.failure else { return encryption }
        guard encryption.mode != .required else {
            failure = .encryption("\(missing)")
            settle(.localHangup, text: failure?.description)
            return nil
        }
        pending.append(.warning("voices are not encrypted: \(missing)"))
        return encryption
    }

    /// Whether running media need another socket's peer, or what no command changes.
    private func needsRestart(_ running: MediaAgreement, _ agreed: MediaAgreement) -> Bool {
        running.remote != agreed.remote || running.remoteControl != agreed.remoteControl
            || running.redundancy != agreed.redundancy || running.encryption != agreed.encryption
    }

    /// What a running stream is changed by.
    private static func format(_ agreed: MediaAgreement) -> MediaAgreement {
        var format = agreed
        // What a stream does not care about, or is told by itself.
        (format.sends, format.receives, format.isHeldByPeer, format.isHeldByUs) = (true, true, false, false)
        return format
    }

    /// Starts the media that was agreed on, changes the running one into it, or starts it anew where that cannot be.
    private func startMedia() {
        guard reason == nil, let socket, let agreed = agreement, let remote = agreed.remote else { return }
        if let running, let media {
            if !needsRestart(running, agreed) {
                let isSame = Self.format(running) == Self.format(agreed)
                self.running = agreed
                if isSame { return }
                return media.change(
                    to: configuration(agreed, seed: 0).stream, from: configuration(running, seed: 0).stream.format)
            }
            takeMediaEvents()
            _ = media.close()
            self.media = nil
        }
        socket.setPeer(LinkPeer(media: remote, control: agreed.remoteControl))
        var wanted = request.media
        wanted.ring = nil
        // What was written so far is kept.
        if running != nil { (wanted.recordPath, wanted.capturePath, wanted.dumpFolder) = (nil, nil, nil) }
        // Keys in SDP may stay the same: a stream that begins anew must not use their keystream twice.
        let seed = (running == nil ? wanted.seed : nil) ?? .random(in: .min ... .max)
        do throws(SoftphoneError) {
            var configuration = configuration(agreed, seed: seed)
            configuration.digits = running == nil ? wanted.digits : ""
            configuration.echoes = request.echoes
            configuration.announcement = running == nil ? try wanted.announcement(rate: configuration.stream.audioRate) : []
            let party = try makeParty(configuration, socket, agreed)
            let session = try Softphone().begin(party, wanted, seed: seed, echoes: request.echoes, bridge: bridge)
            media = session
            running = agreed
            tellKeys(agreed)
            session.setMuted(isMuted)
            session.setVolume(decibels: volume)
            session.signal(isAnswered || caller != nil ? .answered : .earlyMedia)
            tellDirections(session)
        } catch {
            pending.append(.warning("\(error)"))
            failure = error
            wish = wish ?? .localHangup
            if let id { signalling.hangUp(id) }
        }
    }

    private func makeParty(
        _ configuration: CallConfiguration, _ socket: UDPLink, _ agreed: MediaAgreement
    ) throws(SoftphoneError) -> CallParty {
        guard let encrypted = agreed.encryption, let encryption else {
            return CallParty(configuration: configuration, socket: socket)
        }
        if let link, !Self.needsKeys(running, agreed) {
            return CallParty(configuration: configuration, socket: socket, link: link)
        }
        let patience =
            isAnswered || caller != nil
            ? CallEncryption.patienceMilliseconds : CallEncryption.earlyPatienceMilliseconds
        let new = try encryption.link(over: socket, encrypted, patienceMilliseconds: patience)
        link = new
        return CallParty(configuration: configuration, socket: socket, link: new)
    }

    /// Whether media that begin anew have other keys. An association belongs to addresses and certificates (RFC 8842 section 4).
    private static func needsKeys(_ running: MediaAgreement?, _ agreed: MediaAgreement) -> Bool {
        guard let running, running.encryption == agreed.encryption else { return true }
        if case .sdes = agreed.encryption { return false }
        return running.remote != agreed.remote
    }

    /// Keys that SDP carried are there at once; a handshake tells by itself.
    private func tellKeys(_ agreed: MediaAgreement) {
        guard case .sdes(let keys) = agreed.encryption else { return }
        pending.append(.secured(suite: keys.outbound.suite.rawValue, kind: "sdes", fingerprint: nil))
    }

    /// Nothing passes where the keys failed: the call is over.
    private func takeEncryptionFailure(_ media: SessionCall) {
        guard reason == nil, encryptionFailure == nil, let failed = media.encryptionFailure else { return }
        encryptionFailure = "the media cannot be encrypted: \(failed.reason)"
        wish = wish ?? (failed.isCertificate ? .authentication : .network)
        if let id { signalling.hangUp(id) }
    }

    private func configuration(_ agreed: MediaAgreement, seed: UInt64) -> CallConfiguration {
        var configuration = request.media.callConfiguration(
            seed: seed, codec: agreed.codec, packetMilliseconds: agreed.packetMilliseconds, isCodedAgain: bridge != nil)
        configuration.take(agreed)
        return configuration
    }

    private func takeMediaEvents() {
        guard let media else { return }
        for (_, body) in media.takeEvents() {
            switch body {
            case .mediaStarted:
                if mediaStart == nil { mediaStart = HostTime.monotonicNow() }
                pending.append(body)
            case .callEnded:
                // Signalling says when a call is over, but for silence and for echoes without end.
                guard reason == nil, let cause = media.endReason(of: 0), wish == nil else { break }
                wish = cause
                if let id { signalling.hangUp(id) }
            default: pending.append(body)
            }
        }
        takeEncryptionFailure(media)
    }

    private func keepRinging() {
        guard let id, caller != nil, !isAnswered, !wantsAnswer, reason == nil, !cannotRing,
            let place = request.media.ring
        else { return }
        guard ring == nil || ring?.isOver == true else { return }
        ring = nil
        do throws(AudioUnitError) {
            ring = try RingTone(at: place, audio: nil)
        } catch {
            cannotRing = true
            pending.append(.warning("no ring tone on \(place.name) for call \(id): \(SoftphoneError(error).description)"))
        }
    }

    // MARK: - What a person does

    func setMuted(_ muted: Bool) {
        isMuted = muted
        media?.setMuted(muted)
    }

    func setHeld(_ held: Bool) { if let id { signalling.hold(id, held) } }

    func setVolume(decibels: Int) {
        volume = decibels
        media?.setVolume(decibels: decibels)
    }

    func send(digit: Character) { media?.send(digit: digit) }

    func hangUp(byDuration: Bool) {
        wish = wish ?? (byDuration ? .duration : .localHangup)
        guard let id else { return settle(wish ?? .localHangup) }
        if caller != nil, !isAnswered, !wantsAnswer { signalling.reject(id, .declined) } else { signalling.hangUp(id) }
    }

    func close() -> [(party: Int, report: CallReport)] {
        ring = nil
        if let id {
            signalling.hangUp(id)
            phone.switchboard.disconnect(id)
        }
        settle(wish ?? .localHangup)
        guard wasCall else { return [] }
        guard var final = media?.close().first?.report else { return [(0, report)] }
        (final.sipCode, final.reason) = (report.sipCode, report.reason)
        final.requested["srtp"] = request.effectiveEncryption.rawValue
        final.effective["srtp"] = running?.encryption?.kind ?? "none"
        final.postDialMilliseconds = report.postDialMilliseconds
        final.setupMilliseconds = report.setupMilliseconds
        return [(0, final)]
    }
}
