import Glibc
import Link
import LiveMedia
import Media
import Metrics
import Network
import PeerSignalling
import Realtime
import Reporting
import SDP
import Signalling

/// One call from person to person, from the handshake to its report.
///
/// ```
/// out: handshake -> judged [-> question] -> offer -> answer: media starts -> ended
/// in:  waits -> handshake -> judged [-> question] -> offer: media starts, then the answer goes out -> ended
/// ```
/// A caller who comes to nothing is no call: the listener waits for the next one.
final class PeerCall: OwnedCall {
    /// How long somebody is asked about one who is not known, in milliseconds; less than the other side waits for an answer.
    static let questionMilliseconds = 60_000.0
    /// How long the end of a call waits until it has been heard, in milliseconds.
    static let goodbyeMilliseconds = 400.0
    /// How long an address of several may leave a handshake unanswered, in milliseconds: more than one repetition.
    static let addressMilliseconds = 3000.0

    let phone: PeerPhone
    let request: PeerRequest
    let socket: UDPLink
    let role: PeerDialog.Role
    let capabilities: MediaCapabilities
    var mail: PeerMail
    var link: PeerLink
    var media: SessionCall?
    var agreement: MediaAgreement?
    var judge: PeerJudge
    /// Where others are told that it is busy; nil: nobody calls, or the kernel cannot part them from the one who does.
    var door: PeerDoor?
    /// The addresses that are called; nil: callers are waited for.
    var trial: AddressTrial?
    /// What the system refused to send there.
    var refusals = SendRefusals()
    var hasToldRefusal = false

    var pending: [EventBody] = []
    private(set) var start = HostTime.monotonicNow()
    private var mediaStart: HostTime?
    /// When the question about the other side is no longer asked.
    var questionEnd: HostTime?
    /// When a caller who was refused is no longer waited for, though he may not have heard why; nil: nobody was.
    var refusalEnd: HostTime?
    var isConnected = false
    private var isAnswered = false
    private var isMuted = false
    private var volume = 0
    /// The person wants it held, whatever the other side has agreed to.
    private var wantsHold = false
    /// Who holds it, as was agreed on with the other side, and as was told last.
    private var agreedHold = (byUs: false, byPeer: false)
    private var toldHold = (byUs: false, byPeer: false)
    var reason: Media.EndReason?
    private var setupMilliseconds: Double?
    var lastRefusalTold = HostTime.zero
    /// Of the file of known peers, as it was last read, and when it is looked at again.
    var stamp: [Int]
    var nextLook = HostTime.zero
    var failure: SoftphoneError?
    var wasCall: Bool

    /// - Parameter addresses: of the one who is called; the first is the socket's peer.
    init(
        _ phone: PeerPhone, _ request: PeerRequest, over socket: UDPLink, calling addresses: [SocketAddress]
    ) throws(SoftphoneError) {
        (self.phone, self.request, self.socket) = (phone, request, socket)
        stamp = phone.folder.stamp
        let known = try phone.folder.known()
        switch request.purpose {
        case .call(let uri):
            role = .caller
            wasCall = true
            trial = AddressTrial(addresses, patienceMilliseconds: Self.addressMilliseconds, now: start)
            judge = PeerJudge(phone, request, called: uri.name)
        case .listen:
            role = .callee
            wasCall = false
            judge = PeerJudge(phone, request, called: nil)
            pending.append(.waiting(local: "\(socket.local)", fingerprint: phone.fingerprint))
        }
        capabilities = MediaCapabilities(
            codecs: request.codecs, packetMilliseconds: request.media.encoder.frameMilliseconds,
            bitrate: request.media.encoder.bitrate, sharesPort: true)
        let mail = try Self.makeMail()
        self.mail = mail
        link = try PeerLink(
            role, over: socket, identity: phone.identity, trust: judge.trust(known), capabilities: capabilities.described,
            mail: mail, now: start)
        mail.news.signal.signal()
    }

    static func makeMail() throws(SoftphoneError) -> PeerMail {
        do { return try PeerMail() } catch { throw .resources("\(error)") }
    }

    var parties: Int { 1 }
    func endReason(of party: Int) -> Media.EndReason? { reason }
    func statistics(of party: Int) -> CallStatistics { media?.statistics(of: 0) ?? CallStatistics() }

    var eventDescriptors: [Int32] {
        [mail.news.signal.fileDescriptor] + (media?.eventDescriptors ?? (reason == nil ? socket.fileDescriptors : []))
            + (door?.fileDescriptors ?? [])
    }

    var nextDeadline: HostTime? {
        guard media == nil, reason == nil else { return door?.nextDeadline }
        return [link.nextDeadline, questionEnd, refusalEnd, door?.nextDeadline, trial?.nextDeadline].compactMap(\.self).min()
    }

    func takeEvents() -> [(party: Int, body: EventBody)] {
        lookForPins()
        step()
        let haveMediaEnded = takeMediaEvents()
        // Who waits again has other mail.
        let mail = mail
        for news in mail.news.takeAll() where mail === self.mail { take(news) }
        // A goodbye says why nothing came any more: where the sound took long to start, both are known at once.
        if haveMediaEnded { settleAsMediaDid() }
        checkQuestion()
        checkRefusal()
        pending += door?.step(now: .monotonicNow()) ?? []
        // What was decided leaves at once.
        step()
        defer { pending = [] }
        return pending.map { (0, $0) }
    }

    /// Before there are media nobody else does.
    private func step() {
        guard media == nil else { return }
        let now = HostTime.monotonicNow()
        link.receive(now: now) { _ in }
        link.advance(to: now)
        lookElsewhere(now)
    }

    // MARK: - What comes

    private func take(_ news: PeerMail.News) {
        guard reason == nil else { return }
        switch news {
        case .undecided(let fingerprint): judgePeer(fingerprint)
        case .connected(let session):
            isConnected = true
            // The handshake took only known ones.
            if judge.peer == nil { judgePeer(session.peer) }
        case .turnedAway(let failure, let source): turnedAway(failure, source)
        case .failed(let failure): failed(failure)
        case .closed where isAnswered: settle(.remoteHangup)
        case .closed where role == .caller: settle(.refused, "the other side refused the call")
        // The media thread has the link.
        case .closed where media != nil: settle(.cancelled)
        case .closed: waitAgain("the caller is gone")
        case .dialog(let event): take(event)
        }
    }

    // MARK: - The call

    private func take(_ event: PeerDialog.Event) {
        switch event {
        case .negotiated(let audio, let receipt):
            agreement = MediaAgreement(audio)
            var report = NegotiationReport(NegotiatedMedia(agreement: agreement, receipt: receipt))
            // Media go where the handshake went.
            report.remote = nil
            pending.append(.negotiated(report))
        case .incoming:
            wasCall = true
            start = HostTime.monotonicNow()
            // The device runs before the caller hears of the answer, so that nothing is cut off.
            if startMedia() { mail.leave(.answer) }
        case .answered:
            isAnswered = true
            setupMilliseconds = HostTime.monotonicNow().milliseconds(since: start)
            pending.append(.callAnswered(sipCode: nil))
            if media == nil { _ = startMedia() }
        case .held(let byUs, let byPeer):
            agreedHold = (byUs, byPeer)
            tellDirections()
            tellHold()
        case .requestRefused(let text):
            pending.append(.warning("that cannot be done now: \(text)"))
            // A hold that is refused is one on this side alone.
            if isHeld, !toldHold.byUs { tellHold() }
        case .ended(let ending): ended(ending)
        }
    }

    private func ended(_ ending: PeerDialog.Ending) {
        if role == .callee, media == nil { return endedEarly(ending) }
        switch ending {
        case .hungUpByPeer: settle(isAnswered ? .remoteHangup : .cancelled)
        case .refused(.busy, let text): settle(.busy, text)
        case .refused(_, let text): settle(.refused, text)
        case .noAnswer: settle(.noAnswer, "the other side did not answer in time")
        case .lost: settle(.network, "the other side no longer answers")
        }
    }

    /// - Returns: whether they run.
    private func startMedia() -> Bool {
        guard let agreed = agreement else {
            let why = "the agreed codec is not known here"
            mail.leave(.refuse(.noCommonMedia, why))
            settle(.refused, why)
            return false
        }
        let wanted = request.media
        let seed = wanted.seed ?? .random(in: .min ... .max)
        do throws(SoftphoneError) {
            var configuration = wanted.callConfiguration(
                seed: seed, codec: agreed.codec, packetMilliseconds: agreed.packetMilliseconds,
                isCodedAgain: request.echoes)
            configuration.take(agreed)
            configuration.digits = wanted.digits
            configuration.echoes = request.echoes
            configuration.announcementStream = try wanted.announcementStream(rate: configuration.stream.audioRate)
            let party = CallParty(configuration: configuration, socket: socket, link: link)
            var commands: [CallCommand] = [.mute(isMuted), .signal(.answered)]
            if isHeld {
                commands.append(.direction(.inactive))
                // The dialog may have begun since the person wished it.
                mail.leave(.hold(true))
            }
            let session = try Softphone().begin([party], wanted, seed: seed, echoes: request.echoes, commands: commands)
            media = session
            session.setVolume(decibels: volume)
            return true
        } catch {
            failure = error
            mail.leave(.refuse(.unavailable, "the sound cannot be started there"))
            settle(.localHangup, "\(error)")
            return false
        }
    }

    /// - Returns: whether they have ended.
    private func takeMediaEvents() -> Bool {
        var haveEnded = false
        for (_, body) in media?.takeEvents() ?? [] {
            switch body {
            case .mediaStarted:
                if mediaStart == nil { mediaStart = HostTime.monotonicNow() }
                pending.append(body)
            case .callEnded: haveEnded = true
            default: pending.append(body)
            }
        }
        return haveEnded
    }

    private func settleAsMediaDid() {
        guard reason == nil, let cause = media?.endReason(of: 0) else { return }
        settle(cause, cause.explanation(of: "the other side", wasHeard: mediaStart != nil))
    }

    /// The call is over: the only place where that is told.
    func settle(_ cause: Media.EndReason, _ text: String? = nil) {
        guard reason == nil else { return }
        (reason, questionEnd, refusalEnd) = (cause, nil, nil)
        let seconds = mediaStart.map { HostTime.monotonicNow().milliseconds(since: $0) / 1000 }
        media?.hangUp(byDuration: cause == .duration)
        pending.append(.callEnded(reason: cause.rawValue, durationSeconds: seconds, sipCode: nil, explanation: text))
    }

    // MARK: - What a person does

    func setMuted(_ muted: Bool) {
        isMuted = muted
        media?.setMuted(muted)
    }

    /// Silent at once both ways, whenever the other side agrees, and if it does not.
    func setHeld(_ held: Bool) {
        guard reason == nil else { return }
        wantsHold = held
        tellDirections()
        // A hold that never reached the other side ends here.
        if toldHold.byUs, !isHeld { tellHold() }
        mail.leave(.hold(held))
    }

    var isHeld: Bool { wantsHold || agreedHold.byUs }

    /// Ours: what the person wants. The other side's: as it was agreed on.
    private func tellDirections() {
        guard let media else { return }
        media.setHeld(isHeld)
        // Who holds us may send music.
        let sends = isHeld || (agreement?.receives ?? true)
        media.signal(.direction(MediaDirection(sends: sends, receives: !agreedHold.byPeer)))
    }

    private func tellHold() {
        let (byUs, byPeer) = (isHeld, agreedHold.byPeer)
        guard (byUs, byPeer) != toldHold else { return }
        toldHold = (byUs, byPeer)
        pending.append(byUs || byPeer ? .callHeld(byUs: byUs, byPeer: byPeer) : .callResumed)
    }

    func setVolume(decibels: Int) {
        volume = decibels
        media?.setVolume(decibels: decibels)
    }

    func send(digit: Character) { media?.send(digit: digit) }

    func hangUp(byDuration: Bool) {
        guard byDuration else { return settle(.localHangup) }
        let cause = Media.EndReason.durationPassed(isAnswered: role == .callee || isAnswered)
        // Nobody can answer what was never sent.
        if cause == .noAnswer, let code = refusals.reason { return settle(.network, SendRefusals.text(code)) }
        settle(cause, cause == .noAnswer ? Media.EndReason.unansweredText : nil)
    }

    func close() -> [(party: Int, report: CallReport)] {
        settle(.localHangup)
        door = nil
        var reports = media?.close() ?? []
        // The media thread has ended: the link is ours again.
        media = nil
        sayGoodbye()
        guard wasCall else { return [] }
        if reports.isEmpty { reports = [(0, CallReport())] }
        for index in reports.indices {
            reports[index].report.reason = reason?.rawValue
            reports[index].report.requested["srtp"] = MediaSecurity.Mode.required.rawValue
            reports[index].report.effective["srtp"] = isConnected ? "dtls_srtp" : "none"
            reports[index].report.setupMilliseconds = setupMilliseconds
        }
        return reports
    }

    /// Hangs up, and says so until it was heard or there is no more time.
    private func sayGoodbye() {
        mail.leave(.hangUp)
        let end = HostTime.monotonicNow().advanced(byMilliseconds: Self.goodbyeMilliseconds)
        step()
        while !link.isSettled, end > .monotonicNow() {
            var entries = socket.fileDescriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let next = min(end, link.nextDeadline ?? end)
            poll(&entries, nfds_t(entries.count), Int32(max(1, next.milliseconds(since: .monotonicNow()).rounded(.up))))
            step()
        }
        link.close(now: .monotonicNow())
    }
}
