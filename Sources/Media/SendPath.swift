import Codecs
import Link
import RTP
import Realtime
import DSP

/// The way of our voice, from the capture ring to the network.
///
/// ```
///  capture thread                  media thread
///  unit.input -> CaptureInlet -> captureRing -> Framer -> [announcement|echo] -> mute -> SendCodec -> copies -> RTPSender -> PacketLink
///                                                             `-> ComfortNoiseEncoder, in pauses -----------^
///                                                                               digits -> TelephoneEventSender -'
/// ```
/// Read `process` from top to bottom. One frame in, at most one audio packet out; the RTP time stamp follows the capture
/// sample time, also through mute and where nothing is sent.
final class SendPath {
    /// Mute: frames of silence are sent in the voice's place, so that the far side keeps its path open.
    var isMuted = false
    /// Off: nothing is sent but RTCP.
    var isSending = true { didSet { if isSending != oldValue { needsMarker = true } } }

    // Confined to one thread, and nothing that is handed one of these comes back for it: the checks at run time would cost as
    // much as G.711 itself.
    @exclusivity(unchecked) private(set) var codec: SendCodec
    /// What is sent instead as soon as no digit is on its way.
    private var wanted: SendingFormat?
    private let configuration: StreamConfiguration
    private let link: any PacketLink
    @exclusivity(unchecked) private var sender: RTPSender
    /// Packets sent until the last report, and until the one before it.
    private var packetsReported = (last: 0, former: 0)
    @exclusivity(unchecked) private var events: TelephoneEventSender
    private let redundancyPayloadType: UInt8?
    /// Nil where nobody takes copies.
    @exclusivity(unchecked) private var copies: RedundancyPacker?
    private var ladder: RedundancyLadder
    /// Nil where pauses are sent like speech, or the encoder falls silent by itself.
    @exclusivity(unchecked) private var comfortNoise: ComfortNoiseEncoder?
    @exclusivity(unchecked) private var announcement: Announcement
    @exclusivity(unchecked) private var frame: [Float]
    /// As long as this codec needs them: many calls have a good share of their memory here.
    @exclusivity(unchecked) private var payload: [UInt8] = []
    @exclusivity(unchecked) private var redundant: [UInt8] = []
    /// Room behind the longest packet is for the link's layers.
    @exclusivity(unchecked) private var packet: [UInt8] = []
    /// Of the frames that come, Hz.
    private let audioRate: Int
    @exclusivity(unchecked) private var samplesSent: Int64 = 0
    /// `samplesSent` where the present clock began.
    private var clockStart: Int64 = 0
    private var needsMarker = true
    /// Who is heard in what is sent, where the other side is told.
    var speakers = ContributingSources()
    /// Where others are sent the same: whose encoder it is that the other side hears.
    @exclusivity(unchecked) private var share = EncoderShare()
    @exclusivity(unchecked) private var meter: LevelMeter
    /// What no encoder's complexity exceeds, 0...10.
    private var complexityLimit = 10
    /// Encoder failures, each of which cost a frame.
    private(set) var encoderErrors = 0

    init(configuration: StreamConfiguration, identity: RTPIdentity, link: any PacketLink) throws(CodecError) {
        let sending = SendingFormat(configuration.format, encoder: configuration.encoder)
        codec = try SendCodec(sending, streamRate: configuration.audioRate)
        self.configuration = configuration
        self.link = link
        audioRate = configuration.audioRate
        let clockRate = sending.format.clockRate
        sender = RTPSender(
            ssrc: identity.ssrc, payloadType: configuration.payloadType, clockRate: clockRate,
            sequence: identity.firstSequence, timestamp: identity.firstTimestamp)
        events = TelephoneEventSender(clockRate: clockRate, durationClockRate: sending.format.telephoneEventClockRate)
        redundancyPayloadType = configuration.redundancyPayloadType
        copies = redundancyPayloadType == nil ? nil : RedundancyPacker(payloadType: configuration.payloadType)
        ladder = RedundancyLadder(configuration.redundancy(of: sending))
        announcement = Announcement(samples: configuration.announcement, stream: configuration.announcementStream)
        frame = [Float](repeating: 0, count: codec.frameLength)
        meter = LevelMeter(sampleRate: configuration.audioRate)
        comfortNoise = makeComfortNoise()
        layOutBuffers()
        protect(ladder.protection)
    }

    private func layOutBuffers() {
        let longest = min(PacketLimits.payloadBytes, max(codec.encoder.maximumPayloadBytes, Self.leastPayloadBytes))
        payload = [UInt8](repeating: 0, count: longest)
        // Copies are of what the codec before sent too.
        let hasCopies = redundancyPayloadType != nil
        redundant = [UInt8](repeating: 0, count: hasCopies ? PacketLimits.packetBytes : 0)
        let header = RTPHeader.fixedLength + (configuration.levels.sent == nil ? 0 : ContributingSources.longestBytes)
        let body = hasCopies ? PacketLimits.packetBytes : header + longest
        packet = [UInt8](repeating: 0, count: body + PacketLimits.trailerBytes)
    }

    /// Room for comfort noise and telephone events, whatever the codec.
    private static let leastPayloadBytes = 64

    private func makeComfortNoise() -> ComfortNoiseEncoder? {
        guard codec.sending.encoder.dtx, !codec.sending.format.codec.hasDTX else { return nil }
        return ComfortNoiseEncoder(sampleRate: codec.encoder.sampleRate)
    }

    /// Takes one frame of exactly `frameLength` samples and sends what it becomes.
    /// - Parameters:
    ///   - encoders: those of others who are sent the same frame; `nil`: nobody is.
    /// - Returns: the samples that stood for our voice, after announcement and mute; for the recorder and the dump.
    func process(
        _ captured: UnsafeBufferPointer<Float>, now: HostTime, encoders: ConferenceEncoders? = nil
    ) -> [Float] {
        let clockUnits = clockUnits
        let isOwn = isMuted || announcement.isPlaying || captured.count != frame.count
        samplesSent += Int64(frame.count)
        frame.withUnsafeMutableBufferPointer { frame in
            // Who holds a frame of the length before a change must not make us read beyond it.
            let common = min(frame.count, captured.count)
            if let source = captured.baseAddress { frame.baseAddress?.update(from: source, count: common) }
            frame[common...].update(repeating: 0)
        }
        if isSending { announcement.replace(&frame) }
        if isMuted || !isSending { frame.withUnsafeMutableBufferPointer { $0.update(repeating: 0) } }
        frame.withUnsafeBufferPointer { meter.add($0) }
        guard isSending else { return frame }

        if sendEvent(at: clockUnits, now: now) { return frame }
        switch encode(frame, isOwn ? nil : encoders) {
        case .audio(let bytes): sendAudio(bytes: bytes, at: clockUnits, now: now)
        case .pause(let description):
            if let description { sendDescription(bytes: description, at: clockUnits, now: now) }
            beginPause()
        case .failed: break
        }
        return frame
    }

    /// What a frame became.
    private enum Encoded {
        /// So many bytes of audio in `payload`.
        case audio(Int)
        /// A pause, with so many bytes in `payload` that describe its background (RFC 3389), now and then.
        case pause(description: Int?)
        /// Nothing: the encoder failed.
        case failed
    }

    /// Encodes a frame by the stream's own encoder, or, where the other side listens with others, by one for all of them.
    ///
    /// `encoders` are those of the conference; `nil`: the frame is the other side's alone. `share.shared` is the one of them
    /// whose packets the other side is sent; `nil`: it is sent its own encoder's, though a shared one may run beside that
    /// until it can take over without a seam (`EncoderShare`).
    private func encode(_ frame: [Float], _ encoders: ConferenceEncoders?) -> Encoded {
        let encoder = codec.encoder
        if let shared = share.shared, encoders?.has(shared) != true { share.leave(to: encoder) }
        if let encoders, comfortNoise == nil, codec.isPlain,
            let shared = share.shared
                ?? encoders.encoder(for: codec.sending, ladder.protection, complexity: complexity, from: encoder)
        {
            return frame.withUnsafeBufferPointer { encode($0, with: shared, of: encoders) }
        }
        share.leave(to: encoder)
        return codec.convert(frame) { samples in
            switch comfortNoise?.take(samples) {
            case .voice, nil: break
            case .description: return .pause(description: payload.withUnsafeMutableBytes { comfortNoise?.write(into: $0) ?? 0 })
            case .nothing: return .pause(description: nil)
            }
            let bytes = payload.withUnsafeMutableBytes { try? encoder.encode(samples, into: $0) }
            guard let bytes else {
                encoderErrors += 1
                return .failed
            }
            return bytes > 0 ? .audio(bytes) : .pause(description: nil)
        } ?? .failed
    }

    /// Encodes what others are sent too: by one encoder for all, as soon as the other side can be handed over to it.
    private func encode(
        _ frame: UnsafeBufferPointer<Float>, with shared: SharedEncoder, of encoders: ConferenceEncoders
    ) -> Encoded {
        encoders.encode(frame, with: shared)
        if share.shared == nil, !shared.hasMemory { share.join(shared) }
        var bytes: Int?
        if share.shared != nil {
            bytes = shared.copy(into: &payload)
        } else {
            let encoder = codec.encoder
            bytes = payload.withUnsafeMutableBytes { try? encoder.encode(frame, into: $0) }
            let isEqual = payload.withUnsafeBytes { shared.made(UnsafeRawBufferPointer(rebasing: $0[..<(bytes ?? 0)])) }
            let milliseconds = Double(frame.count) * 1000 / Double(audioRate)
            share.note(shared, isEqual: isEqual, frame: frame, milliseconds: milliseconds)
        }
        guard let bytes else {
            encoderErrors += 1
            return .failed
        }
        return bytes > 0 ? .audio(bytes) : .pause(description: nil)
    }

    private func sendDescription(bytes: Int, at clockUnits: UInt32, now: HostTime) {
        payload.withUnsafeBytes { body in
            send(
                UnsafeRawBufferPointer(rebasing: body[..<bytes]), payloadType: codec.sending.format.comfortNoisePayloadType,
                marker: false, at: clockUnits, now: now)
        }
    }

    /// What follows begins anew: a marker (RFC 3551 section 4.1), and no copies of what was said before.
    private func beginPause() {
        needsMarker = true
        copies?.removeAll()
    }

    private func sendAudio(bytes: Int, at clockUnits: UInt32, now: HostTime) {
        payload.withUnsafeBytes { body in
            let primary = UnsafeRawBufferPointer(rebasing: body[..<bytes])
            let length = addCopies(to: primary, at: clockUnits)
            defer { needsMarker = false }
            if length == 0 { return send(primary, payloadType: nil, marker: needsMarker, at: clockUnits, now: now) }
            redundant.withUnsafeBytes {
                send(
                    UnsafeRawBufferPointer(rebasing: $0[..<length]), payloadType: redundancyPayloadType,
                    marker: needsMarker, at: clockUnits, now: now)
            }
        }
    }

    /// Writes `primary` and the copies that the ladder wants into `redundant`; 0 when there are none.
    private func addCopies(to primary: UnsafeRawBufferPointer, at clockUnits: UInt32) -> Int {
        guard copies != nil else { return 0 }
        defer { copies?.keep(primary, timestamp: clockUnits) }
        let wanted = ladder.protection.copies
        guard !wanted.isEmpty else { return 0 }
        return redundant.withUnsafeMutableBytes {
            copies?.write(primary, timestamp: clockUnits, offsets: wanted, into: $0) ?? 0
        }
    }

    private func send(
        _ body: UnsafeRawBufferPointer, payloadType: UInt8?, marker: Bool, at clockUnits: UInt32, now: HostTime
    ) {
        packet.withUnsafeMutableBytes { out in
            let length = sender.packetize(
                body, timestamp: clockUnits, marker: marker, payloadType: payloadType,
                sources: configuration.levels.sent.map { (speakers, levelsAs: $0) }, into: out)
            guard length > 0 else { return }
            var packet = OutgoingPacket(.media, in: out, count: length)
            link.send(&packet, now: now)
        }
    }

    /// While a digit is on the way its event takes the audio's place (RFC 4733 section 2.5.1.2).
    private func sendEvent(at clockUnits: UInt32, now: HostTime) -> Bool {
        guard let event = events.poll(timestamp: clockUnits) else { return events.isSounding }
        needsMarker = true
        event.payload.withUnsafeBytes { body in
            packet.withUnsafeMutableBytes { out in
                let length = sender.packetize(
                    body, timestamp: event.timestamp, marker: event.marker,
                    payloadType: codec.sending.format.telephoneEventPayloadType, into: out)
                var packet = OutgoingPacket(.media, in: out, count: length)
                link.send(&packet, now: now)
            }
        }
        return true
    }

    /// So many milliseconds of the voice are missing before the next frame: its time stamp says so (RFC 3550 section 5.1).
    func skip(milliseconds: Double) {
        guard milliseconds > 0, milliseconds < Self.longestSkip else { return }
        samplesSent += Int64(milliseconds * Double(audioRate) / 1000)
        beginPause()
    }

    /// Milliseconds: a day.
    private static let longestSkip = 86_400_000.0

    /// Queues digits `0-9 * # A-D` to be sent one after the other.
    func send(digits: String) { _ = events.enqueue(digits) }

    /// Heeds the other side's report of loss.
    func heed(_ loss: ReportedLoss) {
        let before = ladder.protection
        let protection = ladder.heed(loss)
        guard protection != before else { return }
        share.leave(to: codec.encoder)
        protect(protection)
    }

    private func protect(_ protection: RedundancyLadder.Protection) {
        codec.encoder.setBitrate(protection.bitrate)
        codec.encoder.setExpectedLoss(percent: protection.expectedLossPercent)
    }

    /// Has encoders work less, or as much as was asked for again.
    func limitComplexity(to limit: Int) {
        guard limit != complexityLimit else { return }
        complexityLimit = limit
        share.leave(to: codec.encoder)
        codec.encoder.setComplexity(complexity)
        protect(ladder.protection)
    }

    /// What is in force of the complexity that was asked for.
    private var complexity: Int { min(codec.sending.encoder.complexity, complexityLimit) }

    /// How the stream is protected now.
    var protection: RedundancyLadder.Protection { ladder.protection }

    /// Goes on as another source: someone else has our SSRC (RFC 3550 section 8.2).
    func changeSource(to ssrc: UInt32) { sender.changeSource(to: ssrc) }

    /// What an RTCP sender report says of this path (RFC 3550 section 6.4.1); `nil` before a packet was sent.
    var senderInfo: SenderInfo? { sender.senderInfo(timestamp: clockUnits) }

    /// What the report that is due says of this path; `nil` where nothing was sent since the one before the last: who has fallen silent
    /// is no sender any more (RFC 3550 section 6.4).
    func takeSenderInfo() -> SenderInfo? {
        defer { packetsReported = (sender.packetsSent, packetsReported.last) }
        return sender.packetsSent == packetsReported.former ? nil : senderInfo
    }

    /// RTP clock units since the start, or since the clock changed; follows the captured samples, also where nothing is sent.
    private var clockUnits: UInt32 {
        UInt32(truncatingIfNeeded: (samplesSent - clockStart) * Int64(sender.clockRate) / Int64(audioRate))
    }

    // MARK: - Change of codec

    /// Samples of the next frame, at the stream's rate.
    var frameLength: Int { codec.frameLength }
    /// RTP clock in Hz.
    var clockRate: Int { sender.clockRate }

    /// Sends in another format, from the next frame on or, while a digit is on its way, from the frame after its end.
    func change(to sending: SendingFormat) { wanted = sending }

    /// Whether `dueChange` is any.
    var isChangeDue: Bool {
        // A comparison with nil would copy it.
        if case nil = wanted { return false }
        return !events.isSounding
    }
    /// The format that is to be sent from now on, if there is one; nothing is lost when it is taken up now.
    var dueChange: SendingFormat? { events.isSounding ? nil : wanted }

    /// Takes up the format that is due, between two frames. Time stamps go on without a gap.
    ///
    /// - Parameter ssrc: of what follows: another one where the clock changes (RFC 7160 section 4.1).
    /// - Throws: what the codec has against it; then all stays as it was.
    func takeUp(_ sending: SendingFormat, ssrc: UInt32?) throws(CodecError) {
        wanted = nil
        var next = try SendCodec(sending, streamRate: audioRate)
        // Whom the other side hears now: what follows goes on from there.
        share.leave(to: codec.encoder)
        let goesOn = sending.format.sharesDecoder(with: codec.sending.format)
        let isSame = goesOn && next.goOn(from: codec)
        next.prime(with: frame, goesOn: goesOn && !isSame)
        let offset = clockUnits
        codec = next
        if isSame || complexityLimit < 10 { codec.encoder.setComplexity(complexity) }
        if sending.format.clockRate != sender.clockRate {
            sender.change(payloadType: sending.format.payloadType, clockRate: sending.format.clockRate, at: offset)
            clockStart = samplesSent
        }
        events.change(clockRate: sending.format.clockRate, durationClockRate: sending.format.telephoneEventClockRate)
        sender.payloadType = sending.format.payloadType
        if let ssrc { sender.changeSource(to: ssrc) }
        frame = [Float](repeating: 0, count: codec.frameLength)
        copies = redundancyPayloadType == nil ? nil : RedundancyPacker(payloadType: sending.format.payloadType)
        comfortNoise = makeComfortNoise()
        layOutBuffers()
        ladder.change(to: configuration.redundancy(of: sending))
        protect(ladder.protection)
        needsMarker = true
    }

    /// RMS level of what is sent, in dBov; `nil` before a frame was.
    var levelDBov: Double? { samplesSent == 0 ? nil : meter.levelDBov }
    /// Level of the voice over the whole call, pauses left out, in dBov.
    var activeLevelDBov: Double? { meter.activeLevelDBov }
    /// RTP packets and payload octets sent.
    var packetsSent: Int { sender.packetsSent }
    /// Number of the next RTP packet.
    var nextSequence: UInt16 { sender.sequence }
}
