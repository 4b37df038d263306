import AudioDevices
import Codecs
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

/// The media of one call by SIP: its ports, its keys, and the stream that was agreed on.
///
/// ```
/// openPorts -> takePorts -> start(agreement) -> start(agreement)* -> close       a start changes the running stream, or begins it anew
/// ```
final class SIPCallMedia {
    private var request: SIPRequest
    private var socket: UDPLink?
    private var encryption: CallEncryption?
    /// ICE; `nil`: it is neither offered nor answered, or the other side has none.
    private var path: CallPath?
    /// Below the stream of an encrypted call.
    private var link: SRTPLink?
    private var session: SessionCall?
    /// What the media run with; `nil`: they have not begun.
    private(set) var running: MediaAgreement?
    /// Reports of the streams that were begun anew, the oldest first.
    private(set) var formerLegs: [CallReport] = []
    /// Where the packets of each stretch were captured.
    private(set) var captures: [String] = []
    /// When our voice and the loudspeaker began; nil: not yet.
    var voiceStart: (captured: HostTime, playing: HostTime?)? { session?.voiceStart }
    /// What is told of the media, and not taken yet.
    private var pending: [EventBody] = []
    private var isRecording = false
    /// What is to be played has begun already, for whoever answered.
    private var hasPlayed = false
    /// The device runs from when we call, or are called and answer at once.
    private var standby: StandbyOpening?
    private var hasStoodBy = false
    /// Where whoever listens beside the call takes it; `nil`: nobody does.
    private var tap: CallTap?
    private var newPorts: LocalPorts?
    /// Addresses of this machine; `nil`: the ports are not bound.
    private var own: OwnAddresses?
    /// Why there is no way to the other side; `nil`: there is, or may still be.
    private(set) var pathFailure: String?

    /// The other side has answered, or called: what is sent is heard.
    var isAnswered = false
    /// When the other side answered; nil: that is not known yet, or we answer.
    var answeredAt: HostTime?
    private var isMuted = false
    private var volume = 0
    private var hold = (byUs: false, byPeer: false)
    /// What the other side was promised to hear (RFC 3264 section 8.4): who holds us may still send music.
    private var receives = true

    /// The calls that this one talks to; `nil`: it has an end of its own.
    var bridge: CallBridge?

    init(_ request: SIPRequest) {
        self.request = request
        bridge = request.bridge
    }

    /// Readable while events wait; it may be another after each start.
    var eventDescriptors: [Int32] {
        let news = path.map { [$0.mail.news.signal.fileDescriptor] } ?? []
        let watched = own?.fileDescriptors ?? []
        guard session == nil, let path else { return news + watched + (session?.eventDescriptors ?? []) }
        return news + watched + path.link.fileDescriptors
    }
    /// When `takeEvents` or `takePorts` is to be called though nothing has come; `nil`: then only.
    var nextDeadline: HostTime? { session == nil ? path?.link.nextDeadline : nil }
    var statistics: CallStatistics { session?.statistics(of: 0) ?? CallStatistics() }
    /// Why the media ended by themselves; `nil`: they have not.
    var endReason: Media.EndReason? { session?.endReason(of: 0) }
    /// Why there are no keys for encrypted media; `nil`: there are, may still be, or need not.
    var encryptionFailure: (reason: String, isCertificate: Bool)? { session?.encryptionFailure }

    /// What happened to the media since the last time, oldest first.
    func takeEvents() -> [EventBody] {
        if let session { pending += session.takeEvents().map(\.body) }
        takePathNews()
        followAddresses()
        defer { pending = [] }
        return pending
    }

    // MARK: - Ports and keys

    /// Binds the call's ports: `takePorts` has what signalling tells the other side.
    /// - Throws: `network`; `encryption` where a call that must be encrypted cannot be.
    func openPorts() throws(SoftphoneError) {
        let socket: UDPLink
        do { socket = try UDPLink(bind: request.media.bind, rtcp: .separate()) } catch { throw .network(error) }
        let encryption = CallEncryption(request.effectiveEncryption)
        if let missing = encryption.failure {
            guard encryption.mode != .required else { throw .encryption("\(missing)") }
            // Without the library a call is plain, and says so.
            pending.append(.warning("voices are not encrypted: \(missing)"))
        }
        self.socket = socket
        self.encryption = encryption
        let own = OwnAddresses(bind: request.media.bind)
        self.own = own
        try openPath(socket, own.all)
    }

    /// - Returns: the ports; `nil` while the servers are asked how others see them, which may take a second or two.
    /// - Throws: there is no relay where nothing else may be told.
    func takePorts() throws(SoftphoneError) -> LocalPorts? {
        guard let socket, path?.gathered(now: .monotonicNow()) ?? true else { return nil }
        return try localPorts(socket)
    }

    /// What signalling tells the other side.
    /// - Throws: there is no relay where nothing else may be told.
    private func localPorts(_ socket: UDPLink) throws(SoftphoneError) -> LocalPorts {
        var ports = LocalPorts(
            address: socket.local.address.isUnspecified ? nil : "\(socket.local.address)", port: socket.local.port,
            controlPort: socket.localControlPort, fingerprint: encryption?.identity?.fingerprint, ice: path?.local,
            reflexive: path?.reflexive)
        guard request.traversal.mode == .relay else { return ports }
        guard let relay = path?.relayed else {
            throw .request("no TURN server gave an address, and ice is relay; look at turn, turn_user and turn_password_file")
        }
        (ports.address, ports.port, ports.controlPort) = ("\(relay.address)", relay.port, relay.port)
        return ports
    }

    private func makeParty(
        _ configuration: CallConfiguration, _ socket: UDPLink, _ agreed: MediaAgreement
    ) throws(SoftphoneError) -> CallParty {
        guard let encrypted = agreed.encryption, let encryption else {
            guard let path else { return CallParty(configuration: configuration, socket: socket) }
            return CallParty(configuration: configuration, socket: socket, link: path.link)
        }
        if let link, !Self.needsKeys(running, agreed) {
            return CallParty(configuration: configuration, socket: socket, link: link)
        }
        let patience = isAnswered ? CallEncryption.patienceMilliseconds : CallEncryption.earlyPatienceMilliseconds
        let new = try encryption.link(
            over: path?.link ?? socket, encrypted, patienceMilliseconds: patience)
        link = new
        return CallParty(configuration: configuration, socket: socket, link: new)
    }

    /// Whether media that begin anew have other keys. An association belongs to addresses and certificates (RFC 8842 section 4).
    private static func needsKeys(_ running: MediaAgreement?, _ agreed: MediaAgreement) -> Bool {
        guard let running, running.encryption == agreed.encryption else { return true }
        if case .sdes = agreed.encryption { return false }
        return !isSamePath(running, agreed)
    }

    /// Whether media go the same way: by ICE wherever that leads.
    private static func isSamePath(_ running: MediaAgreement, _ agreed: MediaAgreement) -> Bool {
        guard running.ice == nil, agreed.ice == nil else { return running.ice != nil && agreed.ice != nil }
        return running.remote == agreed.remote && running.remoteControl == agreed.remoteControl
    }

    /// Keys that SDP carried are there at once; a handshake tells by itself.
    private func tellKeys(_ agreed: MediaAgreement) {
        guard case .sdes(let keys) = agreed.encryption else { return }
        pending.append(.secured(suite: keys.outbound.suite.rawValue, kind: "sdes", fingerprint: nil))
    }

    // MARK: - The stream

    /// Bytes of a capture that is worth its file.
    private static let leastCapture = 1 << 16

    /// Starts the media that were agreed on, changes the running ones into them, or begins anew where that cannot be.
    func start(_ agreed: MediaAgreement) throws(SoftphoneError) {
        receives = agreed.receives
        guard let socket, let remote = agreed.remote else { return }
        if let ice = agreed.ice, running?.ice != nil { path?.follow(ice) }
        if let running, let session {
            if !Self.needsRestart(running, agreed) { return change(session, from: running, to: agreed) }
            stop()
        }
        try choosePath(agreed, remote, socket)
        let isFirst = running == nil
        var wanted = request.media
        wanted.ring = nil
        (wanted.device.standby, standby) = (standby?.take(), nil)
        // What was said before the answer is nobody's.
        if let answeredAt { wanted.device.standby?.giveBack(since: answeredAt) }
        nameFiles(of: &wanted, isFirst: isFirst)
        // Keys in SDP may stay the same: a stream that begins anew must not use their keystream twice.
        let seed = (isFirst ? wanted.seed : nil) ?? .random(in: .min ... .max)
        var configuration = configuration(agreed, seed: seed)
        configuration.digits = isFirst ? wanted.digits : ""
        configuration.echoes = request.echoes
        // Nobody has heard what was played to somebody who did not answer.
        configuration.announcement =
            hasPlayed ? [] : try wanted.announcement(rate: configuration.stream.audioRate)
        let party = try makeParty(configuration, socket, agreed)
        let commands: [Media.CallCommand] = [.mute(isMuted), .signal(isAnswered ? .answered : .earlyMedia)]
        let session = try Softphone().begin(
            party, wanted, seed: seed, echoes: request.echoes, bridge: bridge, commands: commands)
        self.session = session
        if let path = wanted.capturePath { captures.append(path) }
        hasPlayed = hasPlayed || isAnswered
        running = agreed
        tellKeys(agreed)
        session.setVolume(decibels: volume)
        if let tap { session.listen(at: tap) }
        tellDirections(session)
    }

    /// What was written so far is kept: whatever begins anew has files of its own. Calls at one device are recorded together, by the
    /// one that begins there.
    private func nameFiles(of wanted: inout MediaRequest, isFirst: Bool) {
        if !isFirst { wanted.dumpFolder = nil }
        if let bridge, !bridge.beginsRecording { wanted.recordPath = nil }
        if bridge != nil { wanted.capturePath = nil }
        // Each stretch has half of what the one before had: whoever has them begin anew again and again fills no disk.
        wanted.captureBytes = wanted.captureBytes.map { $0 >> captures.count }
        if let bytes = wanted.captureBytes, bytes < Self.leastCapture { wanted.capturePath = nil }
        for path in [\MediaRequest.recordPath, \.capturePath] {
            guard let first = wanted[keyPath: path] else { continue }
            let next = request.files.next(first)
            wanted[keyPath: path] = next
            // A full folder ends no call that runs.
            guard !isFirst || next != first else { continue }
            do {
                try PathCheck.writable(next, option: "--record and --capture")
                logger.notice("the media begin anew: what is recorded goes on in \(next)")
            } catch {
                wanted[keyPath: path] = nil
                pending.append(.warning("nothing more is recorded: \(error)"))
            }
        }
    }

    /// The device begins to run, since an answer may come at any moment: what is said then is not cut off. Once a call.
    func standBy() {
        guard !hasStoodBy, running == nil, bridge == nil else { return }
        hasStoodBy = true
        standby = StandbyOpening(request.media.device)
    }

    /// Whether a microphone or a loudspeaker takes its time to begin.
    var hasHardware: Bool {
        bridge?.hasDevice != false
            && [request.media.device.input, request.media.device.output].contains { if case .alsa = $0 { true } else { false } }
    }

    /// Nobody will answer.
    func endStandby() { standby = nil }

    /// Somebody else needs the device before the answer.
    /// - Returns: whether it was in use, and is free now.
    func yieldStandby() -> Bool {
        defer { standby = nil }
        return standby?.take() != nil
    }

    /// Copies both sides from now on, also of media that begin later or anew; `nil`: no more.
    func listen(at tap: CallTap?) {
        self.tap = tap
        session?.listen(at: tap)
    }

    /// The stream goes on at a device that other calls have too; one that has not begun will begin there.
    func share(_ shared: CallBridge) throws(SoftphoneError) {
        guard bridge == nil else { return }
        (bridge, standby) = (shared, nil)
        guard session != nil, let running else { return }
        stop()
        try start(running)
    }

    /// What stands at our end.
    var sound: CallSound {
        var sound = request.sound
        sound.bridge = bridge
        return sound
    }

    /// The stream goes on with something else at our end; one that has not begun will begin there.
    func take(_ sound: CallSound) throws(SoftphoneError) {
        request.sound = sound
        // A device that stands by is not the one that is wanted any more.
        (bridge, standby) = (sound.bridge, nil)
        hasPlayed = false
        guard let running else { return }
        stop()
        try start(running)
    }

    private func change(_ session: SessionCall, from running: MediaAgreement, to agreed: MediaAgreement) {
        self.running = agreed
        guard Self.format(running) != Self.format(agreed) else { return }
        session.change(
            to: configuration(agreed, seed: 0).stream, from: configuration(running, seed: 0).stream.format)
    }

    /// Records the stream there is from now on, or no longer.
    func record(to path: String?) throws(SoftphoneError) {
        guard let session else { throw .request("the call has no media to be recorded yet; wait until it is answered") }
        try session.record(to: path)
        isRecording = path != nil
    }

    /// Ends the stream; its ports stay bound.
    private func stop() {
        guard let session else { return }
        if isRecording {
            isRecording = false
            pending.append(.warning("the recording has ended, because the media begin anew; begin another one"))
        }
        pending += session.takeEvents().map(\.body)
        if let leg = session.close().first?.report { formerLegs.append(leg) }
        self.session = nil
    }

    /// Whether running media need another socket's peer, or what no command changes.
    private static func needsRestart(_ running: MediaAgreement, _ agreed: MediaAgreement) -> Bool {
        !isSamePath(running, agreed) || running.redundancy != agreed.redundancy || running.encryption != agreed.encryption
    }

    /// What a running stream is changed by.
    private static func format(_ agreed: MediaAgreement) -> MediaAgreement {
        var format = agreed
        // What a stream does not care about, or is told by itself.
        (format.sends, format.receives, format.isHeldByPeer, format.isHeldByUs) = (true, true, false, false)
        (format.ice, format.remote, format.remoteControl) = (nil, nil, nil)
        return format
    }

    private func configuration(_ agreed: MediaAgreement, seed: UInt64) -> CallConfiguration {
        var configuration = request.media.callConfiguration(
            seed: seed, codec: agreed.codec, packetMilliseconds: agreed.packetMilliseconds,
            isCodedAgain: bridge?.hasDevice == false)
        configuration.take(agreed)
        return configuration
    }

    // MARK: - What changes during a call

    /// The other side has answered.
    func answered() {
        isAnswered = true
        hasPlayed = hasPlayed || session != nil
        session?.signal(.answered)
    }

    /// Silent at once both ways, whenever the other side agrees to being held; or no longer.
    func setHeldByUs(_ held: Bool) {
        hold.byUs = held
        if let session { tellDirections(session) }
    }

    func setHeld(byUs: Bool, byPeer: Bool) {
        hold = (byUs, byPeer)
        if let session { tellDirections(session) }
    }

    /// Ours: what the person wants. The other side's: as it was agreed on.
    private func tellDirections(_ session: SessionCall) {
        session.setHeld(hold.byUs)
        session.signal(.direction(MediaDirection(sends: hold.byUs || receives, receives: !hold.byPeer)))
    }

    func setMuted(_ muted: Bool) {
        isMuted = muted
        session?.setMuted(muted)
    }

    func setVolume(decibels: Int) {
        volume = decibels
        session?.setVolume(decibels: decibels)
    }

    /// Takes over what a person has set.
    func adopt(_ other: SIPCallMedia) {
        setMuted(other.isMuted)
        if let tap = other.tap { listen(at: tap) }
        setVolume(decibels: other.volume)
    }

    func send(digit: Character) { session?.send(digit: digit) }

    func hangUp(byDuration: Bool) { session?.hangUp(byDuration: byDuration) }

    /// Stops threads and the device and closes files.
    /// - Returns: the figures of the call; `nil`: its media never began.
    func close() -> CallReport? {
        standby = nil
        defer { closePath() }
        return session?.close().first?.report
    }

    // MARK: - ICE

    /// Finds candidates, unless nobody wants any.
    private func openPath(_ socket: UDPLink, _ addresses: [IPAddress]) throws(SoftphoneError) {
        let traversal = request.traversal
        // Who offers controls; where that is the one who is called, the agents find it out.
        let role: ICERole = if case .call = request.purpose { .controlling } else { .controlled }
        guard traversal.mode != .off else { return }
        do { path = try CallPath(over: socket, role, traversal, addresses: addresses) } catch { throw .resources("\(error)") }
    }

    /// Goes the way that was agreed on: by checks, or to the address in SDP.
    private func choosePath(_ agreed: MediaAgreement, _ remote: SocketAddress, _ socket: UDPLink) throws(SoftphoneError) {
        guard let ice = agreed.ice, let path else {
            guard request.traversal.mode != .relay else {
                throw .request("the other side knows no ICE, and ice is relay, which hides our address; choose another ice")
            }
            closePath()
            return socket.setPeer(LinkPeer(media: remote, control: agreed.remoteControl))
        }
        // An agreement that follows another one has told the path already.
        guard running?.ice == nil else { return }
        do throws(ICEError) { try path.connect(ice, now: .monotonicNow()) } catch { throw .defect("ICE: \(error)") }
    }

    /// The thread of the media has ended, or has not begun: the link is ours.
    private func closePath() {
        path?.link.close(now: .monotonicNow())
        path = nil
    }

    /// Before there are media, the path is kept open here.
    private func takePathNews() {
        guard let path else { return }
        if session == nil {
            let now = HostTime.monotonicNow()
            path.link.receive(now: now) { _ in }
            path.link.advance(to: now)
        }
        for news in path.mail.news.takeAll() {
            switch news {
            case .selected(let pair):
                pending.append(EventBody(pair))
            case .consentLost: pathFailure = "the other side does not answer any more; a network is gone"
            case .failed(.noCandidates): pathFailure = "the other side gave no address that could be tried"
            case .failed(.noAnswer): pathFailure = "no way to the other side was found: none of its addresses answers"
            case .failed(.relayLost): pathFailure = "the relay to the other side is gone"
            case .moved(let credentials, let candidates):
                path.moved(credentials, candidates)
                if let socket { newPorts = try? localPorts(socket) }
            case .closed: break
            }
        }
    }

    /// Another network, or another address in it: candidates are found anew, and the other side is told, as soon as it can be reached
    /// from here.
    private func followAddresses() {
        let addresses = own?.takeChange {
            session != nil && isAnswered && running?.remote.map { !reachable([$0]).isEmpty } ?? false
        }
        guard let addresses else { return }
        logger.debug("the addresses of this machine have changed")
        if let path { return path.move(to: addresses) }
        if let socket { newPorts = try? localPorts(socket) }
    }

    /// The ports after a change of address, once, for the other side.
    func takeNewPorts() -> LocalPorts? {
        defer { newPorts = nil }
        return newPorts
    }
}
