import Link
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
    var request: SIPRequest
    var socket: UDPLink?
    var encryption: CallEncryption?
    /// ICE; `nil`: it is neither offered nor answered, or the other side has none.
    var path: CallPath?
    /// ICE that another telephone may answer, while the media before the answer go without it.
    var idlePath: CallPath?
    /// The path has been told of somebody on the other side.
    var isPathConnected = false
    /// Below the stream of an encrypted call.
    var link: SRTPLink?
    var session: SessionCall?
    /// What the media run with; `nil`: they have not begun.
    var running: MediaAgreement?
    /// Number of the first packet of the stream that runs, or of the next one; `nil`: any.
    var firstSequence: UInt16?
    /// Reports of the streams that were begun anew, the oldest first.
    var formerLegs: [CallReport] = []
    /// Where the packets of each stretch were captured.
    var captures: [String] = []
    /// When our voice and the loudspeaker began; nil: not yet.
    var voiceStart: (captured: HostTime, playing: HostTime?)? { session?.voiceStart }
    /// What is told of the media, and not taken yet.
    var pending: [EventBody] = []
    var isRecording = false
    /// What is to be played has begun already, for whoever answered.
    var hasPlayed = false
    /// The device runs from when we call, or are called and answer at once.
    var standby: StandbyOpening?
    var hasStoodBy = false
    /// Where whoever listens beside the call takes it; `nil`: nobody does.
    var tap: CallTap?
    var newPorts: LocalPorts?
    /// Addresses of this machine; `nil`: the ports are not bound.
    var own: OwnAddresses?
    var relayRenewal = RelayRenewal()
    /// Why there is no way to whom we talk; `nil`: there is, or may still be.
    var lostPath: String?

    /// The other side has answered, or called: what is sent is heard.
    var isAnswered = false
    /// When the other side answered; nil: that is not known yet, or we answer.
    var answeredAt: HostTime?
    var isMuted = false
    var volume = 0
    var hold = (byUs: false, byPeer: false)
    /// What the other side was promised to hear (RFC 3264 section 8.4): who holds us may still send music.
    var receives = true
    /// The other side has ended the stream (port 0), and not the call.
    var hasCeased = false

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
    /// Why there is no way to the other side; `nil`: there is, or may still be: somebody who only rings may be gone, and another answer.
    var pathFailure: String? { isAnswered ? lostPath : nil }
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

    // MARK: - What changes during a call

    /// The other side has answered.
    func answered() {
        isAnswered = true
        hasPlayed = hasPlayed || session != nil
        if path == nil { closePath() }
        session?.signal(.answered)
        // Before the answer, the other side might still wait for somebody.
        (link?.lower as? DTLSLink)?.shortenPatience(toMilliseconds: CallEncryption.patienceMilliseconds)
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

    /// Nothing is sent or heard until the other side has media again (RFC 3264 section 8.2).
    func cease() {
        hasCeased = true
        if let session { tellDirections(session) }
    }

    /// Ours: what the person wants. The other side's: as it was agreed on.
    func tellDirections(_ session: SessionCall) {
        session.setHeld(hold.byUs)
        let agreed = MediaDirection(sends: hold.byUs || receives, receives: !hold.byPeer)
        session.signal(.direction(hasCeased ? .inactive : agreed))
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
        setHeldByUs(other.hold.byUs)
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
}
