import ICE
import Link
import LiveMedia
import Media
import Metrics
import Network
import Realtime
import Reporting
import SecureRTP
import Signalling

/// A call that a browser made by an offer over HTTP: answered at once, connected as soon as ICE and DTLS are done, over when a side
/// hangs up or the way is lost.
final class BrowserCall: OwnedCall {
    /// For the browser.
    let answerText: String
    let trickle: BrowserTrickle
    private let mail: PathMail
    private let media: SessionCall
    private let link: BrowserLink
    private var addresses: OwnAddresses
    private var pending: [EventBody] = []
    private var mediaStart: HostTime?
    private var pair: SelectedPair?
    private var relayRenewal = RelayRenewal()
    private var reason: Media.EndReason?

    /// - Parameter place: whose candidates are found.
    init(_ request: BrowserRequest, at place: BrowserPlace) throws(SoftphoneError) {
        let now = HostTime.monotonicNow()
        let media = request.media
        (mail, link, addresses) = (place.mail, place.link, place.addresses)
        link.tellCandidates()
        guard let host = link.candidates.first?.address else {
            throw .request("this machine has no address that a browser could reach; bring a network interface up")
        }
        let capabilities = MediaCapabilities(
            codecs: request.codecs, packetMilliseconds: media.encoder.frameMilliseconds, bitrate: media.encoder.bitrate,
            sharesPort: true)
        let offer = try BrowserOffer(
            request.offer, capabilities: capabilities, fingerprint: place.fingerprint, address: host,
            sessionID: .random(in: .min ... .max), mixes: request.bridge?.hasDevice == false)
        let seed = media.seed ?? .random(in: .min ... .max)
        var configuration = media.callConfiguration(
            seed: seed, codec: offer.agreement.codec, packetMilliseconds: offer.agreement.packetMilliseconds,
            isCodedAgain: request.bridge != nil || request.echoes)
        configuration.take(offer.agreement)
        configuration.digits = media.digits
        configuration.echoes = request.echoes
        configuration.announcementStream = try media.announcementStream(rate: configuration.stream.audioRate)
        try link.connect(to: offer, now: now)
        let candidates = link.candidates.filter { $0.kind == .relayed || media.traversal.mode != .relay }
        answerText = offer.answer(link.credentials, candidates, areComplete: link.areCandidatesComplete)
        trickle = BrowserTrickle(
            mail, userFragment: offer.credentials.userFragment,
            told: candidates.map { .line($0.text) } + (link.areCandidatesComplete ? [.end] : []))
        self.media = try Softphone().begin(
            CallParty(configuration: configuration, socket: place.socket, link: link), media, seed: seed,
            echoes: request.echoes, bridge: request.bridge, commands: [.signal(.answered)])
        var report = NegotiationReport(NegotiatedMedia(agreement: offer.agreement, receipt: offer.receipt))
        // Where media go is for ICE to say.
        report.remote = nil
        pending.append(.negotiated(report))
        logger.debug("a browser calls: \(link.candidates.count) candidates of ours, \(offer.candidates.count) of its own")
    }

    var parties: Int { 1 }
    var wasCall: Bool { true }
    var failure: SoftphoneError? { nil }
    var eventDescriptors: [Int32] {
        [mail.news.signal.fileDescriptor] + media.eventDescriptors + addresses.fileDescriptors
    }
    func endReason(of party: Int) -> Media.EndReason? { reason }
    func statistics(of party: Int) -> CallStatistics { media.statistics(of: 0) }

    func takeEvents() -> [(party: Int, body: EventBody)] {
        let haveMediaEnded = takeMediaEvents()
        for news in mail.news.takeAll() { take(news) }
        // The browser's goodbye says why nothing came any more: where this thread was late, both are known at once.
        if haveMediaEnded { settleAsMediaDid() }
        if reason == nil, let failed = media.encryptionFailure {
            settle(failed.isCertificate ? .authentication : .network, "the media cannot be encrypted: \(failed.reason)")
        }
        followAddresses()
        defer { pending = [] }
        return pending.map { (0, $0) }
    }

    /// Another network, or another address in it: checks show the browser where we are. Its page may not be reached from there any more.
    private func followAddresses() {
        let changed = addresses.takeChange {
            guard reason == nil else { return false }
            // Nobody knows yet where the browser is.
            guard let pair else { return true }
            return pair.local.kind == .relayed || !reachable([pair.remote.address]).isEmpty
        }
        guard let changed else { return }
        logger.debug("the addresses of this machine have changed")
        mail.order(.show(changed))
    }

    /// A TURN server that was started anew does not know us any more: checks by another relay show the browser where we are.
    private func renewRelay() {
        guard relayRenewal.isDue(now: .monotonicNow()) else { return settle(.network, "the relay to the browser is gone") }
        logger.warning("the relay to the browser is gone; another one is asked for")
        mail.order(.show(addresses.all))
    }

    private func take(_ news: PathMail.News) {
        guard reason == nil else { return }
        switch news {
        case .selected(let pair):
            if let former = self.pair?.remote.address, former != pair.remote.address {
                pending.append(.remoteChanged(from: "\(former)", to: "\(pair.remote.address)"))
            }
            self.pair = pair
            pending.append(EventBody(pair))
        case .consentLost: settle(.network, "the browser does not answer any more; its network changed, or its page is gone")
        case .failed(.noCandidates): settle(.network, "the browser gave no address that could be tried")
        case .failed(.noAnswer):
            settle(.network, "no way to the browser was found: none of its addresses answers; a firewall may be between")
        case .failed(.relayLost): renewRelay()
        case .closed: settle(.remoteHangup)
        // Nobody asks for it: the browser is shown, not told.
        case .moved: break
        }
    }

    /// - Returns: whether they have ended.
    private func takeMediaEvents() -> Bool {
        var haveEnded = false
        for (_, body) in media.takeEvents() {
            switch body {
            case .mediaStarted:
                if mediaStart == nil { mediaStart = HostTime.monotonicNow() }
                pending.append(body)
            case .callEnded: haveEnded = true
            // ICE tells where the browser is.
            case .remoteChanged: break
            default: pending.append(body)
            }
        }
        return haveEnded
    }

    private func settleAsMediaDid() {
        guard reason == nil, let cause = media.endReason(of: 0) else { return }
        settle(cause, cause.explanation(of: "the browser", wasHeard: mediaStart != nil))
    }

    /// The call is over: the only place where that is told.
    private func settle(_ cause: Media.EndReason, _ text: String? = nil) {
        guard reason == nil else { return }
        reason = cause
        let seconds = mediaStart.map { HostTime.monotonicNow().milliseconds(since: $0) / 1000 }
        media.hangUp(byDuration: cause == .duration)
        pending.append(.callEnded(reason: cause.rawValue, durationSeconds: seconds, sipCode: nil, explanation: text))
    }

    /// It was answered when it came.
    func answer(through bridge: CallBridge?) {}
    func setMuted(_ muted: Bool) { media.setMuted(muted) }

    /// The browser need not know: it hears nothing, and is not heard.
    func setHeld(_ held: Bool) {
        media.setHeld(held)
        pending.append(held ? .callHeld(byUs: true, byPeer: false) : .callResumed)
    }

    var isHeld: Bool { media.isHeld }
    func setVolume(decibels: Int) { media.setVolume(decibels: decibels) }
    func send(digit: Character) { media.send(digit: digit) }
    func hangUp(byDuration: Bool) { settle(byDuration ? .duration : .localHangup) }

    func close() -> [(party: Int, report: CallReport)] {
        settle(.localHangup)
        var reports = media.close()
        // The media thread has let go of it: the link is ours.
        link.close(now: .monotonicNow())
        for index in reports.indices {
            reports[index].report.reason = reason?.rawValue
            reports[index].report.effective["srtp"] = "dtls_srtp"
        }
        return reports
    }
}
