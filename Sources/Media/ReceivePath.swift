import Codecs
import DSP
import JitterBuffer
import RTP
import Realtime

/// The way of the other side's voice, from the network to the mixer.
///
/// ```
///  media thread                                                                         playback thread
///  UDP -> RTPReceiver -> JitterBuffer <-> Decoder -> volume -> Mixer -> playoutRing -> PlayoutOutlet -> unit.output
///              `-> TelephoneEventReceiver -> digits
/// ```
/// Where the other side changes its codec there is a jitter buffer for each (`ReceiveLanes`).
/// `receive` takes what the network pushes, `pull` gives what the device's clock asks for; the jitter buffer stands
/// between the two clocks and owns the delay.
final class ReceivePath {
    /// Linear gain of what is heard.
    var volume: Float = 1
    /// Off: packets are taken and counted, nothing is heard.
    var isPlaying = true
    /// Off: nothing that does not come is missing.
    var expectsMedia = true

    /// What a datagram turned out to be.
    enum Arrival {
        case media
        case event
        case dropped(RTPDropReason)
    }

    // Confined to one thread; see SendPath.
    @exclusivity(unchecked) private var lanes: ReceiveLanes
    private let redundancyPayloadTypes: [UInt8]
    /// Whether what comes is decoded; `nil`: always.
    let decoding: DecodingSwitch?
    @exclusivity(unchecked) private(set) var receiver: RTPReceiver
    @exclusivity(unchecked) private var meter: LevelMeter
    private(set) var lastOutcome: PullOutcome?
    /// Who caused the gaps in what is heard.
    @exclusivity(unchecked) private(set) var gaps = GapBook()

    init(configuration: StreamConfiguration, localSSRC: UInt32) throws(CodecError) {
        let formats = configuration.receivedFormats
        decoding = configuration.levels.received == nil ? nil : DecodingSwitch()
        lanes = try ReceiveLanes(
            formats, streamRate: configuration.audioRate, configuration: configuration.jitterBuffer,
            isHeard: configuration.isHeard, decoding: decoding)
        redundancyPayloadTypes = configuration.redundancyPayloadTypes
        receiver = RTPReceiver(
            payloadTypes: PayloadTypeTable(
                formats, redundancy: redundancyPayloadTypes, usualClock: formats[0].clockRate),
            clockRate: formats[0].clockRate, localSSRC: localSSRC)
        receiver.levelNumber = configuration.levels.received
        meter = LevelMeter(sampleRate: configuration.audioRate)
    }

    /// The jitter buffer of what is heard now.
    var buffer: JitterBuffer { lanes.playing.buffer }
    /// The format of what is heard now.
    var format: MediaFormat { lanes.playing.format }
    /// What all jitter buffers of the stream counted.
    var bufferStatistics: JitterBufferStatistics { lanes.statistics }
    /// What the conversion of the heard codec to the stream's rate adds, in milliseconds.
    var conversionMilliseconds: Double { lanes.playing.conversionMilliseconds }

    /// Linear gain in force.
    var gain: Float { isPlaying ? volume : 0 }
    /// Formats that may come.
    var formats: [MediaFormat] { lanes.formats }

    /// Takes other formats from now on; at least one.
    func take(formats: [MediaFormat]) {
        guard !formats.isEmpty else { return }
        lanes.formats = formats
        receiver.payloadTypes = PayloadTypeTable(
            formats, redundancy: redundancyPayloadTypes, usualClock: receiver.usualClockRate)
    }

    /// The heard source said goodbye.
    func sourceLeft() { receiver.sourceLeft() }

    /// This machine stood still, or was late.
    func excuse(_ stop: MachineStop) {
        lanes.excuse(stop)
        if stop.isStop { gaps.note(stop) }
    }

    /// The sender's machine stood still, as it told at `arrival`.
    func senderStood(_ stops: [MachineStop], toldAt arrival: HostTime) {
        lanes.senderStood(stops, toldAt: arrival)
        gaps.told(stops, at: arrival)
    }

    /// Who pulls asks so many milliseconds later from now on; negative: earlier.
    func movePulls(by milliseconds: Double) { lanes.movePulls(by: milliseconds) }

    /// By how much what is pulled next is older than it need be, in milliseconds; nil before anything is heard.
    var spareMilliseconds: Double? { buffer.spareMilliseconds }

    /// Whether less than `samples` of the sound that plays are left and no packet waits.
    func isShort(of samples: Int) -> Bool { buffer.isPlaying && lanes.playing.samplesLeft.map { $0 < samples } ?? false }

    /// Takes one RTP datagram that came at `arrival`.
    func receive(_ datagram: UnsafeRawBufferPointer, arrival: HostTime) -> Arrival {
        let sources = receiver.sourcesHeard
        let outcome = receiver.receive(datagram, arrival: arrival)
        if receiver.sourcesHeard != sources {
            if case .media(let packet) = outcome {
                lanes.beginSource(payloadType: packet.payloadType)
            } else {
                lanes.beginSource(payloadType: nil)
            }
            receiver.deliverHeldPacket { _ = lanes.insert($0) }
        }
        switch outcome {
        case .media(let packet):
            if lanes.insert(packet) == .late { receiver.noteDiscarded(packet.extendedSequence) }
            packet.forEachCopy { _ = lanes.insert($0, isCopy: true) }
            return .media
        case .comfortNoise(let packet):
            lanes.insert(comfortNoise: packet)
            return .event
        case .telephoneEvent:
            // It stands in the voice's place.
            if let sequence = receiver.eventSequence { lanes.noteEvent(sequence) }
            return .event
        case .probation:
            return .event
        case .dropped(let reason):
            return .dropped(reason)
        }
    }

    /// The next key the other side pressed and let go, if there is one.
    func nextDigit(now: HostTime) -> TelephoneEvent? { receiver.nextTelephoneEvent(now: now) }

    /// Produces the next `block.count` samples for the mixer, at the stream's rate.
    /// - Parameter now: when the block is asked for.
    func pull(into block: UnsafeMutableBufferPointer<Float>, now: HostTime) -> PullOutcome {
        if !expectsMedia { lanes.noteSilence() }
        let outcome = lanes.pull(into: block, now: now)
        lastOutcome = outcome
        lanes.takeDiscarded { receiver.noteDiscarded($0) }
        gaps.pulled(lanes.statistics, at: now)
        let gain = gain
        if gain != 1 { for i in block.indices { block[i] *= gain } }
        meter.add(UnsafeBufferPointer(block))
        return outcome
    }

    /// Nothing comes any more, and the other side did not say that it stops.
    func noteBrokenOff(at now: HostTime) {
        lanes.noteBrokenOff()
        gaps.pulled(lanes.statistics, at: now)
    }

    /// Our SSRC changed: packets that bear it are a loop.
    func setLocalSSRC(_ ssrc: UInt32) { receiver.localSSRC = ssrc }

    /// What RTCP XR says of the reception since the last report (RFC 3611); `nil` before the first packet.
    func makeExtendedReport() -> ReceptionReportExtension? { receiver.makeExtendedReport() }

    /// What RTCP reports of the reception since the last report (RFC 3550 section 6.4.1).
    func makeReportBlocks() -> [ReportBlock] { receiver.makeReportBlocks() }

    /// RMS level of what is heard, in dBov; `nil` before anything was.
    var levelDBov: Double? { lanes.statistics.playedMs > 0 ? meter.levelDBov : nil }
    /// Level of the voice over the whole call, pauses left out, in dBov.
    var activeLevelDBov: Double? { meter.activeLevelDBov }
}

extension BufferedPacket {
    init(_ packet: MediaPacket, isCopy: Bool = false, isComfortNoise: Bool = false) {
        self.init(
            extendedSequence: packet.extendedSequence, extendedTimestamp: packet.extendedTimestamp, isCopy: isCopy,
            marker: packet.marker, arrival: packet.arrival, payload: packet.payload, isComfortNoise: isComfortNoise)
    }
}
