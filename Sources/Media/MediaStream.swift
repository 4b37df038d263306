import Codecs
import JitterBuffer
import Link
import RTP
import Realtime

/// The media of one call: its two paths, its RTCP and its link. Sans-I/O, and confined to the thread that steps it.
///
/// It tells what it hears (`PacketSign`) and knows nothing of what begins or ends a call: `Call` above it does. Packets come
/// and go by the `PacketLink`, audio goes in by `send` and out by `pull`, time by `advance`. Whoever owns the clock and the
/// lowest link decides whether that is a live stream or a simulated one.
public final class MediaStream {
    /// What the stream was made of.
    public let configuration: StreamConfiguration
    /// Stages between device and codec, as the loop that steps the stream measures them.
    package var deviceDelay = DeviceDelay()
    /// What the device knows of this machine; `nil`: nothing.
    package var machine: MachineReading?
    /// Which way media go, seen from this side: RTCP goes both ways whatever it is.
    public var direction = MediaDirection.sendReceive {
        didSet {
            sendPath.isSending = direction.sends
            receivePath.isPlaying = direction.receives
        }
    }

    /// Whether the other side is to send: where it need not, what does not come is no loss.
    package var expectsMedia: Bool {
        get { receivePath.expectsMedia }
        set { receivePath.expectsMedia = newValue }
    }

    let sendPath: SendPath
    let receivePath: ReceivePath
    // Confined to one thread; see SendPath.
    @exclusivity(unchecked) private(set) var control: ControlPath
    private let link: any PacketLink
    @exclusivity(unchecked) private var collision = SourceCollision()
    /// What was last followed.
    private var followed: MediaFormat?
    /// Changes of our clock, each under an SSRC of its own.
    private var clockChanges: UInt64 = 0

    /// Starts a stream at `now`; RTCP begins by its timer, RTP with the first frame.
    public init(configuration: StreamConfiguration, link: any PacketLink, now: HostTime) throws(CodecError) {
        self.configuration = configuration
        self.link = link
        sampleRate = configuration.audioRate
        let identity = RTPIdentity(configuration)
        sendPath = try SendPath(configuration: configuration, identity: identity, link: link)
        receivePath = try ReceivePath(configuration: configuration, localSSRC: identity.ssrc)
        control = ControlPath(configuration: configuration, identity: identity, now: now)
        link.expect(receivePath.receiver.payloadTypes.known)
    }

    /// Samples in one frame of this stream.
    public var frameLength: Int { sendPath.frameLength }
    /// The rate of the audio that goes in and out, in Hz.
    public let sampleRate: Int
    /// What is sent now.
    public var sending: SendingFormat { sendPath.codec.sending }
    /// The format of what is heard now.
    public var heard: MediaFormat { receivePath.format }

    /// What the jitter buffer counted.
    package var jitterBufferStatistics: JitterBufferStatistics { receivePath.bufferStatistics }
    /// When the first packet came that was played or stored to be; media time counts from it. `nil` before.
    package var firstArrival: HostTime? { receivePath.buffer.firstArrival }

    /// Whether the other side says that it sends back what it hears.
    var remoteEchoes: Bool { control.remoteEchoes }

    /// Linear gain of what is heard; 0 where nothing is to be.
    var gain: Float { receivePath.gain }
    /// Formats that may come now.
    var receivedFormats: [MediaFormat] { receivePath.formats }

    // MARK: - Audio

    /// Takes one frame of the microphone's audio.
    /// - Returns: what stood for our voice after announcement and mute.
    func send(
        _ frame: UnsafeBufferPointer<Float>, now: HostTime, encoders: ConferenceEncoders? = nil
    ) -> [Float] { sendPath.process(frame, now: now, encoders: encoders) }

    /// Nothing comes any more, and the other side did not say that it stops: what sounded like its pause was none.
    func noteBrokenOff(at now: HostTime) { receivePath.noteBrokenOff(at: now) }

    /// Whether nothing that came is left to be played.
    var isPlayedOut: Bool { receivePath.lastOutcome.map { $0.levelMs <= 0 } ?? true }

    /// Produces the next samples of the other side's voice.
    func pull(into block: UnsafeMutableBufferPointer<Float>, now: HostTime) -> PullOutcome {
        receivePath.pull(into: block, now: now)
    }

    /// Silences our voice: the other side is sent silence.
    func setMuted(_ isMuted: Bool) { sendPath.isMuted = isMuted }

    /// Linear gain of what is heard.
    func setVolume(_ gain: Float) { receivePath.volume = min(max(gain, 0), 4) }

    /// Queues digits to be sent as telephone events, one after the other.
    func send(digits: String) { sendPath.send(digits: digits) }

    /// The next key that the other side pressed and let go, if there is one.
    func nextDigit(now: HostTime) -> TelephoneEvent? { receivePath.nextDigit(now: now) }

    // MARK: - Formats

    /// Sends in another format as soon as `takeUpFormat` may.
    func send(in format: SendingFormat) { sendPath.change(to: format) }

    /// Takes these formats from now on.
    func receive(_ formats: [MediaFormat]) {
        receivePath.take(formats: formats)
        link.expect(receivePath.receiver.payloadTypes.known)
    }

    /// Where the stream follows the other side's codec: sends in the format that is heard as soon as `takeUpFormat` may.
    /// - Returns: the format, once, when it is another than the one that was sent.
    func followHeardFormat() -> MediaFormat? {
        guard configuration.followsCodec else { return nil }
        let heard = heard
        guard heard != followed ?? sending.format else { return nil }
        followed = heard
        var encoder = configuration.encoder
        if !heard.codec.sendableFrameMilliseconds.contains(encoder.frameMilliseconds) {
            encoder.frameMilliseconds = heard.codec.defaultFrameMilliseconds
        }
        send(in: SendingFormat(heard, encoder: encoder))
        return heard
    }

    /// Takes up the format that is to be sent, if it is time; between two frames.
    /// - Returns: why it was refused; nil when it was not.
    func takeUpFormat(now: HostTime, ntp: NTPTime) -> String? {
        guard sendPath.isChangeDue, let sending = sendPath.dueChange else { return nil }
        let sender = sendPath.senderInfo
        var ssrc: UInt32?
        if sending.format.clockRate != sendPath.clockRate {
            var random = SplitMix64(seed: configuration.seed &+ (clockChanges &+ 1) << 32)
            ssrc = UInt32(truncatingIfNeeded: random.next() >> 32)
        }
        do { try sendPath.takeUp(sending, ssrc: ssrc) } catch { return "\(error)" }
        guard let ssrc else { return nil }
        clockChanges += 1
        control.changeSource(
            to: ssrc, clockRate: sendPath.clockRate, because: .clock, now: now, ntp: ntp, sender: sender,
            next: sendPath.nextSequence, link: link)
        receivePath.setLocalSSRC(ssrc)
        return nil
    }

    // MARK: - Packets

    /// Takes what has come by the link, and tells of each packet what it says of the other side.
    func receive(now: HostTime, _ body: (PacketSign) -> Void) {
        link.receive(now: now) { packet in
            let bytes = UnsafeRawBufferPointer(packet.bytes)
            switch packet.kind {
            case .rtp: body(receive(rtp: bytes, arrival: packet.arrival))
            case .rtcp: body(receive(rtcp: bytes, arrival: packet.arrival))
            default: break
            }
        }
    }

    /// This machine stood still, or was late: what it held up is not the network's doing. The other side is told of stops.
    func excuse(_ stop: MachineStop) {
        receivePath.excuse(stop)
        if stop.isStop { control.note(stop) }
    }

    /// This machine held up what we send; the other side is told where the device knows of such stops at all.
    func noteHeldUp(_ stop: MachineStop) { if machine != nil { control.note(stop) } }

    /// The device asks so many milliseconds later from now on.
    func movePulls(by milliseconds: Double) { receivePath.movePulls(by: milliseconds) }

    /// By how much what is heard next is older than it need be, in milliseconds; nil before anything is.
    var spareMilliseconds: Double? { receivePath.spareMilliseconds }

    /// Whether less than `samples` of the sound that plays are left and no packet waits: what is asked for next is concealed.
    func isShort(of samples: Int) -> Bool { receivePath.isShort(of: samples) }

    /// Lets what has come by the link go.
    func discardReceived(now: HostTime) { link.receive(now: now) { _ in } }

    /// Takes one RTP datagram.
    func receive(rtp datagram: UnsafeRawBufferPointer, arrival: HostTime) -> PacketSign {
        var sign = PacketSign(.nothing, arrival: arrival)
        let before = receivePath.receiver.ssrc
        let outcome = receivePath.receive(datagram, arrival: arrival)
        if let before, let after = receivePath.receiver.ssrc, before != after {
            sign.sourceChange = (before, after)
        }
        switch outcome {
        case .media, .event: sign.kind = .media
        case .dropped(let reason):
            if reason == .ownSource { collision.note(at: arrival) }
        }
        return sign
    }

    /// Takes one RTCP datagram.
    func receive(rtcp datagram: UnsafeRawBufferPointer, arrival: HostTime) -> PacketSign {
        let collisions = control.collisions
        defer { if control.collisions > collisions { collision.note(at: arrival) } }
        let heard = control.receive(datagram, arrival: arrival, source: receivePath.receiver.statistics.ssrc)
        if heard == .goodbye || heard == .sourceLeft { receivePath.sourceLeft() }
        if let loss = control.takeReportedLoss() { sendPath.heed(loss) }
        if let stops = control.takeToldStops() { receivePath.senderStood(stops, toldAt: arrival) }
        return PacketSign(heard, arrival: arrival)
    }

    /// The other side's first media came after a wait of unknown length: RTCP begins as for a fresh member.
    func join(at now: HostTime) {
        control.join(at: now, sender: sendPath.senderInfo, next: sendPath.nextSequence)
    }

    // MARK: - Time

    /// Time passes for what carries the packets.
    func advanceLink(to now: HostTime) { link.advance(to: now) }

    /// What the link has to tell, if anything.
    func nextLinkEvent() -> LinkEvent? { link.nextEvent() }

    /// Time passes for what is known of the other side.
    func advance(to now: HostTime) { control.advance(to: now) }

    /// Sends the RTCP that is due.
    func report(now: HostTime, ntp: NTPTime) {
        if collision.takeIsPending() { changeSource(now: now, ntp: ntp) }
        guard control.isReportDue(now: now) else { return }
        let (reports, extended) = (receivePath.makeReportBlocks(), makeExtendedReportBlocks())
        control.report(
            now: now, ntp: ntp, sender: sendPath.takeSenderInfo(), reports: reports, extended: extended,
            sendDelayMilliseconds: sendDelayMilliseconds, machine: machine, link: link)
    }

    /// RTCP of both sides together takes no more than that, in bit/s; 0: none is sent; `nil`: the usual share.
    func limitControl(to bandwidth: Double?, now: HostTime) { control.limit(to: bandwidth, now: now) }

    /// Says that our source is gone (RFC 3550 section 6.6).
    func sendBye(now: HostTime, ntp: NTPTime) {
        control.sendBye(now: now, ntp: ntp, sender: sendPath.senderInfo, link: link)
    }

    /// Somebody else sends as us: says goodbye under the old SSRC and goes on under another (RFC 3550 section 8.2).
    private func changeSource(now: HostTime, ntp: NTPTime) {
        let ssrc = collision.replacement(seed: configuration.seed)
        control.changeSource(
            to: ssrc, clockRate: sendPath.clockRate, because: .collision, now: now, ntp: ntp, sender: sendPath.senderInfo,
            next: sendPath.nextSequence, link: link)
        sendPath.changeSource(to: ssrc)
        receivePath.setLocalSSRC(ssrc)
    }

    /// When `advance` and `report` next have something to do.
    var nextDeadline: HostTime {
        guard let link = link.nextDeadline else { return control.nextDeadline }
        return min(control.nextDeadline, link)
    }
}
