import Codecs
import Link
import RTP
import Realtime
import DSP

/// The way of our voice, from the capture ring to the network.
///
/// ```
///  capture thread                  media thread
///  unit.input -> CaptureInlet -> captureRing -> Framer -> [announcement|echo] -> mute -> Encoder -> copies -> RTPSender -> PacketLink
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

    let encoder: any AudioEncoder
    private let link: any PacketLink
    private var sender: RTPSender
    private var events: TelephoneEventSender
    private let eventPayloadType: UInt8
    private let redundancyPayloadType: UInt8?
    private var copies: RedundancyPacker
    private var ladder: RedundancyLadder
    /// Nil where pauses are sent like speech, or the encoder falls silent by itself.
    private var comfortNoise: ComfortNoiseEncoder?
    private let comfortNoisePayloadType: UInt8
    private var announcement: Announcement
    private var frame: [Float]
    private var payload = [UInt8](repeating: 0, count: PacketLimits.payloadBytes)
    private var redundant = [UInt8](repeating: 0, count: PacketLimits.packetBytes)
    /// Room behind the longest packet is for the link's layers.
    private var packet = [UInt8](repeating: 0, count: PacketLimits.datagramBytes)
    private var samplesSent: Int64 = 0
    private var needsMarker = true
    private var meter: LevelMeter
    /// Encoder failures, each of which cost a frame.
    private(set) var encoderErrors = 0

    init(configuration: StreamConfiguration, identity: RTPIdentity, link: any PacketLink) throws(CodecError) {
        encoder = try makeEncoder(
            configuration.codec, settings: configuration.encoder, sampleRate: configuration.sampleRate)
        self.link = link
        let clockRate = configuration.codec.rtpClockRate(sampleRate: configuration.sampleRate)
        sender = RTPSender(
            ssrc: identity.ssrc, payloadType: configuration.payloadType, clockRate: clockRate,
            sequence: identity.firstSequence, timestamp: identity.firstTimestamp)
        events = TelephoneEventSender(clockRate: clockRate)
        eventPayloadType = configuration.telephoneEventPayloadType
        redundancyPayloadType = configuration.redundancyPayloadType
        comfortNoisePayloadType = configuration.comfortNoisePayloadType
        if configuration.encoder.dtx, !configuration.codec.hasDTX {
            comfortNoise = ComfortNoiseEncoder(sampleRate: encoder.sampleRate)
        }
        copies = RedundancyPacker(payloadType: configuration.payloadType)
        ladder = RedundancyLadder(configuration.redundancy)
        announcement = Announcement(samples: configuration.announcement)
        frame = [Float](repeating: 0, count: encoder.frameLength)
        meter = LevelMeter(sampleRate: encoder.sampleRate)
        protect(ladder.protection)
    }

    /// Takes one frame of exactly `encoder.frameLength` samples and sends what it becomes.
    /// - Returns: the samples that stood for our voice, after announcement and mute; for the recorder and the dump.
    func process(_ captured: UnsafeBufferPointer<Float>, now: HostTime) -> [Float] {
        let clockUnits = clockUnits
        samplesSent += Int64(frame.count)
        for i in 0..<frame.count { frame[i] = captured[i] }
        if isSending { announcement.replace(&frame) }
        if isMuted || !isSending { for i in 0..<frame.count { frame[i] = 0 } }
        frame.withUnsafeBufferPointer { meter.add($0) }
        guard isSending else { return frame }

        if sendEvent(at: clockUnits, now: now) { return frame }
        if sendPause(at: clockUnits, now: now) { return frame }
        guard let bytes = encodeFrame() else { return frame }
        if bytes > 0 {
            sendAudio(bytes: bytes, at: clockUnits, now: now)
        } else {
            beginPause()
        }
        return frame
    }

    /// In a pause of the voice the background's description is sent now and then (RFC 3389).
    /// - Returns: whether it is one.
    private func sendPause(at clockUnits: UInt32, now: HostTime) -> Bool {
        guard let verdict = frame.withUnsafeBufferPointer({ comfortNoise?.take($0) }), verdict != .voice else {
            return false
        }
        if verdict == .description {
            let bytes = payload.withUnsafeMutableBytes { comfortNoise?.write(into: $0) ?? 0 }
            payload.withUnsafeBytes { body in
                send(
                    UnsafeRawBufferPointer(rebasing: body[..<bytes]), payloadType: comfortNoisePayloadType, marker: false,
                    at: clockUnits, now: now)
            }
        }
        beginPause()
        return true
    }

    /// What follows begins anew: a marker (RFC 3551 section 4.1), and no copies of what was said before.
    private func beginPause() {
        needsMarker = true
        copies.removeAll()
    }

    /// - Returns: bytes of the packet, 0 when none is to be sent; nil when the encoder failed.
    private func encodeFrame() -> Int? {
        frame.withUnsafeBufferPointer { samples in
            payload.withUnsafeMutableBytes { bytes in
                do {
                    return try encoder.encode(samples, into: bytes)
                } catch {
                    encoderErrors += 1
                    return nil
                }
            }
        }
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
        guard redundancyPayloadType != nil else { return 0 }
        defer { copies.keep(primary, timestamp: clockUnits) }
        let wanted = ladder.protection.copies
        guard !wanted.isEmpty else { return 0 }
        return redundant.withUnsafeMutableBytes {
            copies.write(primary, timestamp: clockUnits, offsets: wanted, into: $0)
        }
    }

    private func send(
        _ body: UnsafeRawBufferPointer, payloadType: UInt8?, marker: Bool, at clockUnits: UInt32, now: HostTime
    ) {
        packet.withUnsafeMutableBytes { out in
            let length = sender.packetize(
                body, timestamp: clockUnits, marker: marker, payloadType: payloadType, into: out)
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
                    body, timestamp: event.timestamp, marker: event.marker, payloadType: eventPayloadType, into: out)
                var packet = OutgoingPacket(.media, in: out, count: length)
                link.send(&packet, now: now)
            }
        }
        return true
    }

    /// Queues digits `0-9 * # A-D` to be sent one after the other.
    func send(digits: String) { _ = events.enqueue(digits) }

    /// Heeds the other side's report of loss.
    func heed(_ loss: ReportedLoss) {
        let before = ladder.protection
        let protection = ladder.heed(loss)
        if protection != before { protect(protection) }
    }

    private func protect(_ protection: RedundancyLadder.Protection) {
        encoder.setBitrate(protection.bitrate)
        encoder.setExpectedLoss(percent: protection.expectedLossPercent)
    }

    /// How the stream is protected now.
    var protection: RedundancyLadder.Protection { ladder.protection }

    /// Goes on as another source: someone else has our SSRC (RFC 3550 section 8.2).
    func changeSource(to ssrc: UInt32) { sender.changeSource(to: ssrc) }

    /// What an RTCP sender report says of this path (RFC 3550 section 6.4.1); `nil` before a packet was sent.
    var senderInfo: SenderInfo? { sender.senderInfo(timestamp: clockUnits) }

    /// RTP clock units since the start; follows the captured samples, also where nothing is sent.
    private var clockUnits: UInt32 {
        UInt32(truncatingIfNeeded: samplesSent * Int64(sender.clockRate) / Int64(encoder.sampleRate))
    }

    /// RMS level of what is sent, in dBov; `nil` before a frame was.
    var levelDBov: Double? { samplesSent == 0 ? nil : meter.levelDBov }
    /// Level of the voice over the whole call, pauses left out, in dBov.
    var activeLevelDBov: Double? { meter.activeLevelDBov }
    /// RTP packets and payload octets sent.
    var packetsSent: Int { sender.packetsSent }
}
