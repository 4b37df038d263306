import Realtime

/// Turns datagrams into validated media, one audible source at a time: RFC 3550 sections 5.1, 6.4, 8.2, appendix A.
///
/// The first source is heard from its first packet (unless asked otherwise). Another source takes over when two of
/// its packets come in sequence while the present one is silent; so two sources at once never alternate.
public struct RTPReceiver {
    /// What became of a datagram.
    public enum Outcome {
        /// Audio for the jitter buffer.
        case media(MediaPacket)
        /// RFC 3389 comfort noise: level and spectrum of the pause, not audio.
        case comfortNoise(MediaPacket)
        /// Part of a telephone event; completed digits come from `nextTelephoneEvent(now:)`.
        case telephoneEvent
        /// From a source not valid yet, or after a jump; kept for `deliverHeldPacket`.
        case probation
        /// Counted under the reason.
        case dropped(RTPDropReason)
    }

    /// Payload types accepted; may change in mid-call.
    public var payloadTypes: PayloadTypeTable
    /// RTP clock of the newest audio in Hz.
    public private(set) var clockRate: Int
    /// Our own SSRC, whose packets are a loop.
    public var localSSRC: UInt32?

    /// Number under which the other side says how loud its packets are (RFC 6464); nil: it was not agreed on.
    public var levelNumber: UInt8?
    /// How loud the source that is heard says that its newest packet is; nil: it does not say.
    public private(set) var level: AudioLevel?

    /// Sources heard so far; grows by one with the packet that begins another one, whatever that packet carries.
    public private(set) var sourcesHeard = 0

    /// RTP clock in Hz of payload types for which the table names none.
    public let usualClockRate: Int

    /// Number of the newest packet that was part of a telephone event, extended as those of media are.
    public private(set) var eventSequence: Int64?

    private let requiresProbation: Bool
    /// The present source said goodbye.
    private var hasSourceLeft = false
    private var source: RTPSource?
    private var candidates = SourceCandidates()
    private var held = HeldPacket()
    private var lastTimestamp: UInt32 = 0
    private var extendedTimestamp: Int64 = 0
    private var telephoneEvents: TelephoneEventReceiver
    private var totals = ReceptionStatistics()
    private var losses = LossHistory()

    /// - `requiresProbation`: also the call's first source must show two packets in sequence.
    public init(
        payloadTypes: PayloadTypeTable, clockRate: Int, localSSRC: UInt32? = nil, requiresProbation: Bool = false
    ) {
        self.payloadTypes = payloadTypes
        usualClockRate = max(1, clockRate)
        self.clockRate = usualClockRate
        self.localSSRC = localSSRC
        self.requiresProbation = requiresProbation
        telephoneEvents = TelephoneEventReceiver(clockRate: self.clockRate)
    }

    /// Takes one datagram.
    public mutating func receive(_ datagram: UnsafeRawBufferPointer, arrival: HostTime) -> Outcome {
        let packet: RTPPacket
        do {
            packet = try RTPPacket(parsing: datagram)
        } catch {
            return drop(RTPDropReason(error))
        }
        if packet.header.ssrc == localSSRC { return drop(.ownSource) }
        let kind = payloadTypes[packet.header.payloadType]
        switch place(packet, kind: kind) {
        case .inOrder(let extended), .reordered(let extended):
            return deliver(packet, kind: kind, extended: extended, isNewSource: false, arrival: arrival)
        case .started(let extended):
            return deliver(packet, kind: kind, extended: extended, isNewSource: true, arrival: arrival)
        case .duplicate:
            return drop(.duplicate)
        case .probation, .jump:
            guard let kind else { return drop(.unknownPayloadType) }
            held.keep(packet, kind: kind, arrival: arrival)
            totals.probation += 1
            return .probation
        case nil:
            return drop(.unknownPayloadType)
        }
    }

    /// The packet's place in its source; nil when a packet of unknown type would start a source.
    private mutating func place(_ packet: RTPPacket, kind: PayloadKind?) -> SequenceVerdict? {
        let header = packet.header
        if source?.ssrc == header.ssrc {
            let before = source
            let verdict = source?.update(header.sequence)
            if case .started = verdict, let before { retire(before) }
            hasSourceLeft = false
            // The present source is alive: whoever else was heard must show two packets in a row again.
            if verdict != .jump { candidates.removeAll() }
            return verdict
        }
        guard kind != nil else { return nil }
        if source == nil, !requiresProbation {
            begin(RTPSource(ssrc: header.ssrc, sequence: header.sequence, probation: 0))
            return source?.update(header.sequence)
        }
        let isProven = candidates.follows(ssrc: header.ssrc, sequence: header.sequence, salt: localSSRC ?? 0)
        guard isProven || hasSourceLeft else { return .probation }
        hasSourceLeft = false
        if let source { retire(source) }
        candidates.removeAll()
        guard isProven else {
            begin(RTPSource(ssrc: header.ssrc, sequence: header.sequence, probation: 0))
            return source?.update(header.sequence)
        }
        var started = RTPSource(ssrc: header.ssrc, sequence: header.sequence &- 1)
        _ = started.update(header.sequence &- 1)
        let verdict = started.update(header.sequence)
        begin(started)
        return verdict
    }

    private mutating func begin(_ new: RTPSource) {
        source = new
        ssrc = new.ssrc
    }

    private mutating func deliver(
        _ packet: RTPPacket, kind: PayloadKind?, extended: Int64, isNewSource: Bool, arrival: HostTime
    ) -> Outcome {
        if isNewSource {
            sourcesHeard += 1
            level = nil
            losses.removeAll()
            extendedTimestamp = Int64(packet.header.timestamp)
            telephoneEvents.sourceChanged()
            held.follow(packet.header, extended: extended, extendedTimestamp: extendedTimestamp)
            if held.isReady, held.kind == .telephoneEvent {
                let (types, usual) = (payloadTypes, usualClockRate)
                held.take { packet in
                    telephoneEvents.durationClockRate = types.clockRate(of: packet.payloadType) ?? usual
                    _ = telephoneEvents.receive(packet)
                }
            }
        } else {
            extendedTimestamp += Int64(Int32(bitPattern: packet.header.timestamp &- lastTimestamp))
            held.discard()
        }
        lastTimestamp = packet.header.timestamp
        losses.note(extended)
        if let levelNumber, extended == source?.maxExtended { readLevel(levelNumber, of: packet, kind) }
        guard var kind else { return drop(.unknownPayloadType) }
        guard packet.payload.count > 0 else { return drop(.emptyPayload) }
        var media = MediaPacket(
            payloadType: packet.header.payloadType, marker: packet.header.marker, extendedSequence: extended,
            extendedTimestamp: extendedTimestamp, ssrc: packet.header.ssrc, isNewSource: isNewSource,
            arrival: arrival, payload: packet.payload)
        if kind == .redundancy {
            guard let primary = media.unpacked(), let primaryKind = payloadTypes[primary.payloadType],
                primaryKind != .redundancy
            else { return drop(.badRedundancy) }
            guard primary.payload.count > 0 else { return drop(.emptyPayload) }
            (media, kind) = (primary, primaryKind)
        }
        let rate = payloadTypes.clockRate(of: media.payloadType) ?? usualClockRate
        switch kind {
        case .audio:
            // A packet of the codec before says nothing of the present one's clock.
            if rate != clockRate, let newest = source?.maxExtended, extended == newest { changeClock(to: rate) }
            if rate == clockRate {
                let units = clockUnits(arrival)
                source?.updateJitter(timestamp: packet.header.timestamp, arrival: units)
            }
            totals.octets += packet.payload.count
            return .media(media)
        case .comfortNoise:
            return .comfortNoise(media)
        case .telephoneEvent:
            // All packets of an event share one time stamp, so they say nothing about jitter.
            // Its time stamp is of the stream that the audio makes; its duration is by the clock of its own number.
            (telephoneEvents.clockRate, telephoneEvents.durationClockRate) = (clockRate, rate)
            let isEvent = telephoneEvents.receive(media)
            if isEvent { eventSequence = extended }
            return isEvent ? .telephoneEvent : drop(.badTelephoneEvent)
        case .redundancy:
            return drop(.badRedundancy)
        }
    }

    /// Audio without it takes back what was said before; a telephone event says nothing of the voice.
    private mutating func readLevel(_ number: UInt8, of packet: RTPPacket, _ kind: PayloadKind?) {
        switch HeaderExtensionItem(number, in: packet) {
        case .absent: if kind == .audio || kind == .redundancy { level = nil }
        case .malformed: totals.badExtensions += 1
        case .found(let data):
            if let said = AudioLevel(data) { level = said } else { totals.badExtensions += 1 }
        }
    }

    /// Hands out the packet that came before a packet with `isNewSource`, if one was held. Call it after clearing the
    /// buffers and before using the packet itself, so that no audio is lost to validation.
    public mutating func deliverHeldPacket(_ body: (MediaPacket) -> Void) {
        guard held.isReady else { return }
        if held.kind == .audio { held.take(body) }
        guard held.kind == .redundancy else { return }
        let types = payloadTypes
        held.take { packet in
            guard let primary = packet.unpacked(), types[primary.payloadType] == .audio, primary.payload.count > 0
            else { return }
            body(primary)
        }
    }

    /// The present source said goodbye (RFC 3550 section 6.6): who follows is heard from the first packet. What still comes of
    /// the present one takes that back.
    public mutating func sourceLeft() { hasSourceLeft = source != nil }

    /// The jitter buffer could not use the packet `extendedSequence` of the present source: it came too late.
    public mutating func noteDiscarded(_ extendedSequence: Int64) { losses.noteDiscarded(extendedSequence) }

    /// The next completed digit, each exactly once. Call until nil, after datagrams and at least every 100 ms.
    public mutating func nextTelephoneEvent(now: HostTime) -> TelephoneEvent? { telephoneEvents.next(now: now) }

    /// The source that is heard; nil before the first packet.
    public private(set) var ssrc: UInt32?

    /// Counters up to now.
    public var statistics: ReceptionStatistics {
        var result = totals
        if let source {
            add(source, to: &result)
            result.ssrc = source.ssrc
            result.jitter = source.jitter
            result.jitterMilliseconds = 1000 * source.jitter / Double(clockRate)
        }
        return result
    }

    /// A report block on the present source, empty before the first packet. Each call starts a new loss interval, so
    /// call it only when the report is sent.
    public mutating func makeReportBlocks() -> [ReportBlock] {
        guard source != nil, let block = source?.makeReportBlock() else { return [] }
        return [block]
    }

    /// How losses and late packets of the present source cluster, RFC 3611 sections 4.7.2 and 4.1.
    public var lossPattern: LossPattern { losses.pattern }

    /// What RTCP XR says of the present source besides its report block; nil before the first packet. Each call starts
    /// a new interval, so call it only when the report is sent.
    public mutating func makeExtendedReport() -> ReceptionReportExtension? {
        guard let ssrc = source?.ssrc, let interval = losses.takeInterval() else { return nil }
        return ReceptionReportExtension(
            ssrc: ssrc, interval: interval, duplicates: source?.takeDuplicates() ?? 0,
            jitter: source?.takeJitterSummary())
    }

    private mutating func retire(_ source: RTPSource) {
        add(source, to: &totals)
        totals.sourceChanges += 1
    }

    private func add(_ source: RTPSource, to result: inout ReceptionStatistics) {
        result.received += source.received - source.duplicates
        result.expected += Int(source.expected)
        result.reordered += source.reordered
        result.duplicates += source.duplicates
    }

    private mutating func drop(_ reason: RTPDropReason) -> Outcome {
        totals.drops[reason] += 1
        return .dropped(reason)
    }

    /// The audio goes on with another clock (RFC 7160 section 4.3): jitter stays as long in time.
    private mutating func changeClock(to rate: Int) {
        source?.changeClock(from: clockRate, to: rate)
        clockRate = rate
    }

    /// `time` in clock units modulo 2^32; seconds and rest apart, as their product overflows after two days.
    private func clockUnits(_ time: HostTime) -> UInt32 {
        let billion: Int64 = 1_000_000_000
        let rate = Int64(clockRate)
        let units = (time.nanoseconds / billion) &* rate &+ (time.nanoseconds % billion) &* rate / billion
        return UInt32(truncatingIfNeeded: units)
    }
}
