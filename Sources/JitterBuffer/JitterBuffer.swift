import Codecs
import Realtime

/// Adaptive play-out buffer of one received stream.
///
/// Sans-I/O: packets go in with their arrival time, samples are pulled at times that the caller gives. One thread owns
/// it; after warm-up neither `insert` nor `pull` allocates. It owns the parts, each a value with inputs and outputs of its
/// own, and carries packets and sound between them:
///
///     insert -> ReceivedStream -> DelayManager ------> DecisionLogic
///           \-> PacketBuffer ------------------> Player <-´ -> pull
public final class JitterBuffer {
    /// What it was made with.
    public let configuration: JitterBufferConfiguration
    // Confined to one thread, and no method hands one of these on while it calls another: the check at run time, several for
    // each pull, would cost more than the pull itself.
    @exclusivity(unchecked) private var delays: DelayManager
    @exclusivity(unchecked) private var clock: PullClock
    @exclusivity(unchecked) private var player: Player
    @exclusivity(unchecked) private var packets: PacketBuffer
    private let record = PlayoutRecord()
    /// Nil before the first packet and after a reset.
    @exclusivity(unchecked) private var stream: ReceivedStream?
    @exclusivity(unchecked) private var decoder: any AudioDecoder
    private var clockRate: Int
    /// Time 0 of host times.
    @exclusivity(unchecked) private var hostEpoch: HostTime?
    /// When the first packet came: media time 0 (`PullOutcome.mediaMilliseconds`); nil before, whatever was pulled by then.
    @exclusivity(unchecked) package private(set) var firstArrival: HostTime?
    /// When this machine last stood still.
    @exclusivity(unchecked) private var stop: MachineStop?
    /// The latest turn of this machine's that was late, but no stop.
    @exclusivity(unchecked) private var lateTurn: MachineStop?
    /// For how long the player stood still, and when it went on, while packets may come that it missed; milliseconds.
    @exclusivity(unchecked) private var stall: (milliseconds: Double, end: Double)?
    /// Names the reset in the next pull's outcome.
    @exclusivity(unchecked) private var pendingReset: ResetReason?

    /// - `decoder`: the codec; its sample rate is that of the pulled sound.
    /// - `clockRate`: RTP clock units per second, which may differ from the sample rate; clamped to 1000...1000000.
    public init(
        decoder: any AudioDecoder, clockRate: Int,
        configuration: JitterBufferConfiguration = JitterBufferConfiguration()
    ) {
        self.configuration = configuration
        self.decoder = decoder
        self.clockRate = Self.clamped(clockRate)
        delays = DelayManager(configuration: configuration)
        clock = PullClock(tuning: configuration.tuning.clock)
        player = Player(
            codec: decoder, seed: configuration.seed, tuning: configuration.tuning, decisions: configuration.decisions)
        packets = PacketBuffer(decoder: decoder)
    }

    /// A buffer for what follows in another codec, from the same sender over the same line: it begins with what `other` learnt
    /// of the network, so that both have one delay.
    public init(continuing other: JitterBuffer, decoder: any AudioDecoder, clockRate: Int) {
        configuration = other.configuration
        self.decoder = decoder
        self.clockRate = Self.clamped(clockRate)
        hostEpoch = other.hostEpoch
        firstArrival = other.firstArrival
        delays = DelayManager(continuing: other.delays)
        clock = PullClock(tuning: configuration.tuning.clock)
        player = Player(
            codec: decoder, seed: configuration.seed, tuning: configuration.tuning, decisions: configuration.decisions)
        packets = PacketBuffer(decoder: decoder)
    }

    private static func clamped(_ clockRate: Int) -> Int { min(max(clockRate, 1000), 1_000_000) }

    /// Sample rate of the pulled sound.
    public var sampleRate: Int { decoder.sampleRate }

    /// Running totals since the buffer was made.
    public var statistics: JitterBufferStatistics { record.statistics }

    /// The latest stretches of sound that were not plain audio, oldest first; allocates.
    public var incidents: [Incident] { record.log.incidents }

    /// What every sample was, and every shift of the delay: both add up exactly.
    package var ledger: PlayoutLedger { record.ledger }

    /// Drops what is stored and starts anew with the next packet, keeping what was learnt of the network.
    public func reset(_ reason: ResetReason) {
        record.statistics.resets += 1
        record.forgetDiscarded()
        pendingReset = reason
        packets.removeAll()
        player.reset()
        delays.endStream()
        stream = nil
    }

    /// Puts another decoder in place (payload type change). Stored packets of the old one are dropped; the pulled
    /// sound's rate changes to the new decoder's at once.
    public func replaceDecoder(_ decoder: any AudioDecoder, clockRate: Int) {
        reset(.codecChange)
        var next = Player(
            codec: decoder, seed: configuration.seed, tuning: configuration.tuning, decisions: configuration.decisions)
        next.takeOver(player)
        player = next
        self.decoder = decoder
        self.clockRate = Self.clamped(clockRate)
        packets = PacketBuffer(decoder: decoder)
        record.ledger = PlayoutLedger()
    }

    // MARK: Delay

    /// Milliseconds from a packet's arrival until its first sample is due in the pulled stream, on average;
    /// nil before playing. The sample at offset k of a pulled block counts as due k samples after the pull, so a
    /// device ring behind it counts its fill *before* the block is written.
    public var currentDelayMilliseconds: Double? { delays.mean.flatMap { waiting(afterDelay: $0) } }

    /// As `currentDelayMilliseconds`, but of the fastest packets of the last 10 s: what the buffer adds to the
    /// network's own delay. A packet that jitter held up waits the less, so this counts jitter once; nil before
    /// playing.
    public var delayOfFastestMilliseconds: Double? {
        guard let usual = delays.mean, let floor = delays.floor else { return nil }
        return waiting(afterDelay: min(usual, floor))
    }

    /// By how much what is pulled next is older than the target of the delay asks, in milliseconds; negative: it falls short of it; nil
    /// before playing.
    package var spareMilliseconds: Double? {
        guard player.isPlaying, let start = clock.earliest, let axis = stream?.axis, let floor = delays.floor
        else { return nil }
        let delay = start + axis.milliseconds(player.endOfQueue) - axis.mediaMilliseconds(player.mediaPosition)
        return delay - floor - delays.target.aboveFloor
    }

    /// Milliseconds that a packet waits which came with this relative delay: 0 when it comes too late; nil before playing.
    private func waiting(afterDelay delay: Double) -> Double? {
        guard player.isPlaying, let start = clock.mean, let axis = stream?.axis else { return nil }
        let end = axis.milliseconds(player.endOfQueue)
        return max(0, start + end - axis.mediaMilliseconds(player.mediaPosition) - delay)
    }

    /// The sender's clock against this host's in parts per million, positive when the sender's runs fast; nil until
    /// 20 s have been heard.
    public var driftPPM: Double? { delays.driftPPM }

    /// Whose doing the target of the delay is.
    public var targetReason: TargetReason { delays.targetReason }

    /// Whether every pulled or waiting sample and every shift of the delay is accounted for, to the sample.
    package var isBalanced: Bool {
        record.ledger.isBalanced(
            pending: Int64(player.pending), media: player.isPlaying ? player.mediaPosition : nil)
    }

    /// Length of the stream's newest packet in milliseconds; nil before the first.
    public var packetMilliseconds: Double? {
        stream?.newest.map { Double($0.duration) * 1000 / Double(sampleRate) }
    }

    /// Whether the stream has started to play.
    public var isPlaying: Bool { player.isPlaying }

    /// Samples that are made and not yet pulled, once no packet waits; nil while one does.
    public var samplesLeft: Int? { packets.first == nil ? player.pending : nil }

    // MARK: Packets

    /// Stores a packet. Any bytes and any numbers are accepted; what cannot be played is dropped and counted.
    @discardableResult
    public func insert(_ packet: BufferedPacket) -> InsertOutcome {
        if packet.isCopy { return insertCopy(packet) }
        record.statistics.inserted += 1
        guard let duration = duration(of: packet) else {
            record.statistics.malformed += 1
            return .malformed
        }
        let heldUp = heldUp(at: packet.arrival)
        let jump = stream?.jump(
            of: packet, duration: duration, floor: delays.floor, overdue: player.overdue, heldUp: heldUp)
        let origin = origin(of: packet, after: jump)
        if let jump {
            reset(jump)
            if jump == .delayJump { delays.forgetDelays() }
        }
        let axis = stream?.axis ?? begin(with: packet, mediaOrigin: origin)
        guard let position = axis.position(of: packet.extendedTimestamp) else { return .malformed }

        let stored = StoredPacket(
            sequence: packet.extendedSequence, position: position, duration: duration,
            kind: packet.isComfortNoise ? .comfortNoise : .audio,
            carriesFEC: !packet.isComfortNoise && decoder.carriesFEC(packet.payload),
            isSilence: packet.isComfortNoise || packet.payload.count <= 2, isAmongStops: isAmongStops(at: packet.arrival),
            arrival: axis.hostMilliseconds(packet.arrival))
        if delays.hasSeen(stored.sequence) {
            record.statistics.duplicate += 1
            return .duplicate
        }
        delays.learn(from: stored, axis: axis, concealsItself: decoder.concealsItself, heldUp: heldUp)
        stream?.note(stored)
        if player.isPlaying, stored.end <= player.cursor.position {
            record.statistics.late += 1
            player.noteLate(arrival: stored.arrival)
            return .late
        }
        return store(stored, payload: packet.payload, accepted: jump.map { .acceptedAfterReset($0) } ?? .accepted)
    }

    /// A copy says nothing of the stream; it is only a second chance for its media.
    private func insertCopy(_ packet: BufferedPacket) -> InsertOutcome {
        guard let stream, let duration = duration(of: packet), let place = stream.place(ofCopy: packet)
        else { return .unneeded }
        let stored = StoredPacket(
            sequence: place.sequence, position: place.position, duration: duration, kind: .redundant,
            carriesFEC: decoder.carriesFEC(packet.payload), isSilence: packet.payload.count <= 2,
            arrival: stream.axis.hostMilliseconds(packet.arrival))
        delays.learn(
            from: stored, axis: stream.axis, concealsItself: decoder.concealsItself, heldUp: heldUp(at: packet.arrival))
        guard !player.isPlaying || stored.end > player.cursor.position, !packets.isFull else { return .unneeded }
        guard case .stored = packets.insert(stored, payload: packet.payload) else { return .unneeded }
        return .accepted
    }

    /// A packet came that has no sound, but stands in its place (RFC 4733): it is not lost, and until the sound goes on nothing is missing.
    package func noteEvent(_ sequence: Int64) {
        guard stream != nil else { return }
        delays.note(sequence)
        player.noteEvent(sequence)
    }

    /// The sender need not send: until its next packet nothing is missing.
    package func noteSilence() {
        guard let newest = stream?.newest else { return }
        player.noteSilence(after: newest.sequence)
    }

    /// Nothing comes any more, and the sender did not say that it stops: what was taken for its pause since its last packet
    /// is missing.
    package func noteBrokenOff() { player.noteBrokenOff(record) }

    /// Hands out the numbers of packets that came and were not played since the last time, as far as they are kept.
    package func takeDiscarded(_ body: (Int64) -> Void) { record.takeDiscarded(body) }

    /// This machine stood still, or was late: packets that seem to have come at the end may have come any time before, and how late they
    /// are says nothing of the network.
    package func excuse(_ stop: MachineStop) {
        guard stop.isStop else {
            lateTurn = stop
            return
        }
        self.stop = stop
        delays.standStill(milliseconds: stop.milliseconds)
    }

    /// The player asks so many milliseconds later from now on, or earlier where negative: it gave up sound that it held, or has its turns
    /// at other times. What that leaves here is too much, or too little.
    package func movePulls(by milliseconds: Double) { clock.move(by: milliseconds) }

    /// The sender told when its machine stood still, which made its packets late, whatever the network does.
    /// - Parameters:
    ///   - stops: since its report before, on our clock; none: it did not.
    ///   - arrival: when the report came.
    package func senderStood(_ stops: [MachineStop], toldAt arrival: HostTime) {
        guard hostEpoch != nil else { return }
        delays.told(stops.map { (milliseconds($0.end), $0.milliseconds) }, at: milliseconds(arrival))
    }

    /// Milliseconds for which this machine may have held up a packet that it saw at `arrival`. What waited for the end of a long stop
    /// waited for all of it, whenever it came: it is of the time before, of which nothing holds.
    private func heldUp(at arrival: HostTime) -> Double {
        max(heldUp(by: stop, at: arrival), heldUp(by: lateTurn, at: arrival))
    }

    private func heldUp(by stop: MachineStop?, at arrival: HostTime) -> Double {
        guard let stop, arrival.milliseconds(since: stop.end) <= configuration.tuning.clock.afterStop else { return 0 }
        if stop.milliseconds > DelayManager.longestHold { return stop.milliseconds }
        return max(0, arrival.milliseconds(since: stop.begin))
    }

    /// Whether a machine stood still shortly before `arrival`, so that it may again: ours, or the sender's, which tells of its stops.
    private func isAmongStops(at arrival: HostTime) -> Bool {
        if delays.targetReason == .sender { return true }
        guard let stop else { return false }
        return arrival.milliseconds(since: stop.end) <= configuration.tuning.clock.amongStops
    }

    private func store(
        _ packet: StoredPacket, payload: UnsafeRawBufferPointer, accepted: InsertOutcome
    ) -> InsertOutcome {
        let isFull = packets.isFull
        if isFull {
            if let first = packets.first { record.noteDiscarded(first) }
            packets.removeFirst()
            record.statistics.overflow += 1
        }
        switch packets.insert(packet, payload: payload) {
        case .stored(let reordered):
            if reordered { record.statistics.reordered += 1 }
            return isFull ? .acceptedWithOverflow : accepted
        case .duplicate, .full:
            record.statistics.duplicate += 1
            return .duplicate
        }
    }

    /// Samples of the packet, nil when it cannot be played.
    private func duration(of packet: BufferedPacket) -> Int64? {
        // Beyond these no sum of two numbers overflows, and no real stream reaches them.
        let limit: Int64 = 1 << 60
        guard packet.payload.count <= packets.slotBytes, packet.extendedSequence.magnitude < limit,
            packet.extendedTimestamp.magnitude < limit
        else { return nil }
        if packet.isComfortNoise {
            // It has no end of its own: until the next packet, or for as long as those before it.
            guard NoiseSpectrum(payload: packet.payload) != nil else { return nil }
            return player.cursor.duration > 0 ? player.cursor.duration : Int64(player.frame)
        }
        guard let duration = decoder.duration(of: packet.payload), duration > 0, duration <= decoder.maximumFrames
        else { return nil }
        return Int64(duration)
    }

    /// Media time at which a stream begins with this packet, in milliseconds since the first stream's first packet.
    ///
    /// What begins anew is taken to have been as long on the way as the first packet was. But a stream that is late for good
    /// is the same stream still: its media time goes on.
    private func origin(of packet: BufferedPacket, after jump: ResetReason?) -> Double {
        if jump == .delayJump, let axis = stream?.axis, let position = axis.position(of: packet.extendedTimestamp) {
            return axis.streamMilliseconds(position)
        }
        let first = firstArrival ?? packet.arrival
        firstArrival = first
        return packet.arrival.milliseconds(since: first)
    }

    private func begin(with packet: BufferedPacket, mediaOrigin: Double) -> StreamAxis {
        let epoch = hostEpoch ?? packet.arrival
        hostEpoch = epoch
        let axis = StreamAxis(
            clockRate: clockRate, sampleRate: sampleRate, hostEpoch: epoch,
            timestamp: packet.extendedTimestamp, arrival: packet.arrival, delay: delays.beginStream(),
            mediaOrigin: mediaOrigin)
        stream = ReceivedStream(axis: axis, tuning: configuration.tuning.stream)
        return axis
    }

    /// Milliseconds since the first time that was told.
    private func milliseconds(_ time: HostTime) -> Double {
        let epoch = hostEpoch ?? time
        hostEpoch = epoch
        return time.milliseconds(since: epoch)
    }

    // MARK: Sound

    /// Fills the whole of `samples` with the sound due at `now`. Any length works, 5...20 ms is sensible.
    public func pull(into samples: UnsafeMutableBufferPointer<Float>, now: HostTime) -> PullOutcome {
        var pull = Pull(wanted: samples.count, start: player.pulled, packets: packets, record: record)
        if let reset = pendingReset {
            pull.note(.reset(reset))
            pendingReset = nil
        }
        let time = milliseconds(now)
        let stood = clock.add(time: time, pulledMilliseconds: Double(player.pulled) * 1000 / Double(sampleRate))
        if stood > 0 { stall = (stood, time) }
        if let axis = stream?.axis {
            let logic = DecisionLogic(
                axis: axis, start: clock.earliest, delays: delays, pull: pull, tuning: configuration.tuning.decision)
            if let stall, catchUp(stall, at: time, logic, &pull) { self.stall = nil }
            player.pull(into: samples, logic, &pull)
        } else {
            player.drain(into: samples, &pull)
        }
        if samples.baseAddress != nil { pull.account(sampleRate: sampleRate, isPlaying: player.isPlaying) }
        return outcome(of: pull)
    }

    /// What the player missed while it stood still may come a little later than it goes on: a sender on the same machine stood still as
    /// well.
    /// - Returns: whether nothing more of it is to come.
    private func catchUp(
        _ stall: (milliseconds: Double, end: Double), at time: Double, _ logic: borrowing DecisionLogic, _ pull: inout Pull
    ) -> Bool {
        guard player.isPlaying, time - stall.end <= configuration.tuning.clock.afterStall else { return true }
        return player.catchUp(stall.milliseconds, logic, &pull)
    }

    private func outcome(of pull: borrowing Pull) -> PullOutcome {
        var level = Int64(player.pending)
        if player.isPlaying { level += packets.contiguousSamples(from: player.cursor.position) }
        let media = player.mediaPosition - Int64(player.pending)
        return PullOutcome(
            reason: pull.reason, targetMs: delays.target.aboveFloor,
            levelMs: Double(level) * 1000 / Double(sampleRate),
            mediaMilliseconds: player.isPlaying ? stream?.axis.streamMilliseconds(media) : nil, samples: pull.wanted)
    }
}
