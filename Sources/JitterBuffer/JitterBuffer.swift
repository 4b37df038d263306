import Codecs
import Realtime

/// Adaptive play-out buffer of one received stream.
///
/// Sans-I/O: packets go in with their arrival time, samples are pulled at times that the caller gives. One thread owns
/// it; after warm-up neither `insert` nor `pull` allocates. Here is what happens to packets and the stream's state;
/// `Playout.swift` makes the sound.
///
///     insert -> SequenceMemory -> ArrivalHistory -> TargetDelay
///           \-> PacketBuffer -> decode / FEC / Concealment -> Merge, Accelerate, Decelerate -> PlayoutQueue -> pull
public final class JitterBuffer {
    public let configuration: JitterBufferConfiguration
    public internal(set) var statistics = JitterBufferStatistics()

    // The codec and what depends on its rate; replaced together.
    var decoder: any AudioDecoder
    var clockRate: Int
    var workspace: Workspace

    // The network.
    var history = ArrivalHistory()
    var target: TargetDelay
    var drift = DriftEstimator()
    var sequences = SequenceMemory()

    // The stream: where its sound lies, and how far it has been played.
    var axis: StreamAxis?
    var hostEpoch: HostTime?
    var newest: StoredPacket?
    var isPlaying = false
    /// First sample not yet decoded, or given up.
    var nextPosition: Int64 = 0
    var lastSequence: Int64 = 0
    var lastDuration: Int64 = 0
    /// Whether the last packet said that silence follows (an Opus DTX frame has at most two bytes).
    var lastWasSilence = false
    var gap = Gap()
    var pauses = PauseDetector()
    var noise: ComfortNoise
    /// How the samples in the queue were made.
    var lastSound = PlayoutReason.normal
    /// Names the reset in the next pull's outcome.
    var pendingReset: ResetReason?

    // The player.
    var clock = PullClock()
    /// Samples pulled since the first call.
    var pulled: Int64 = 0

    /// Sound invented since the stream broke off, in samples.
    struct Gap {
        var concealed: Int64 = 0
        var emptied: Int64 = 0
        /// Whether it is among the concealments: silence invented in a pause alone is none.
        var isCounted = false
        /// Whether it went beyond a short gap.
        var isLong = false
        /// Whether the next sound does not continue the last sample by sample.
        var needsMerge = false
        /// Samples by which the delay grows when the stream resumes.
        var shift: Int64 = 0
        var isOpen: Bool { concealed > 0 }
    }

    /// - Parameters:
    ///   - decoder: the codec; its sample rate is that of the pulled sound.
    ///   - clockRate: RTP clock units per second, which may differ from the sample rate; clamped to 1000...1000000.
    public init(
        decoder: any AudioDecoder, clockRate: Int,
        configuration: JitterBufferConfiguration = JitterBufferConfiguration()
    ) {
        self.configuration = configuration
        self.decoder = decoder
        self.clockRate = min(max(clockRate, 1000), 1_000_000)
        workspace = Workspace(decoder: decoder)
        target = TargetDelay(configuration: configuration)
        noise = ComfortNoise(seed: configuration.seed)
    }

    /// Sample rate of the pulled sound.
    public var sampleRate: Int { decoder.sampleRate }

    /// Stores a packet. Any bytes and any numbers are accepted; what cannot be played is dropped and counted.
    @discardableResult
    public func insert(_ packet: BufferedPacket) -> InsertOutcome {
        if packet.isCopy { return insertCopy(packet) }
        statistics.inserted += 1
        // Beyond these no sum of two numbers overflows, and no real stream reaches them.
        let limit: Int64 = 1 << 60
        guard packet.payload.count <= workspace.packets.slotBytes, packet.extendedSequence.magnitude < limit,
            packet.extendedTimestamp.magnitude < limit,
            let duration = decoder.duration(of: packet.payload), duration > 0, duration <= decoder.maximumFrames
        else {
            statistics.malformed += 1
            return .malformed
        }
        let epoch = hostEpoch ?? packet.arrival
        hostEpoch = epoch
        var outcome = InsertOutcome.accepted
        if axis != nil, let jump = jump(of: packet, duration: Int64(duration)) {
            reset(jump)
            outcome = .acceptedAfterReset(jump)
        }
        if axis == nil { begin(with: packet, hostEpoch: epoch) }
        guard let axis, let position = axis.position(of: packet.extendedTimestamp) else { return .malformed }

        let stored = StoredPacket(
            sequence: packet.extendedSequence, position: position, duration: Int64(duration), slot: 0, payloadLength: 0,
            carriesFEC: decoder.carriesFEC(packet.payload), isSilence: packet.payload.count <= 2,
            arrival: axis.hostMilliseconds(packet.arrival))
        if sequences.hasSeen(stored.sequence) {
            statistics.duplicate += 1
            return .duplicate
        }
        learn(from: stored, axis: axis)
        if isPlaying, stored.end <= nextPosition {
            statistics.late += 1
            return .late
        }
        return store(stored, payload: packet.payload, outcome: outcome)
    }

    /// Drops what is stored and starts anew with the next packet, keeping what was learnt of the network.
    public func reset(_ reason: ResetReason) {
        statistics.resets += 1
        pendingReset = reason
        workspace.packets.removeAll()
        decoder.reset()
        sequences = SequenceMemory()
        drift.removeAll()
        axis = nil
        newest = nil
        isPlaying = false
        lastWasSilence = false
        gap = Gap()
    }

    /// Puts another decoder in place (payload type change). Stored packets of the old one are dropped; the pulled
    /// sound's rate changes to the new decoder's at once.
    public func replaceDecoder(_ decoder: any AudioDecoder, clockRate: Int) {
        let milliseconds = Double(pulled) * 1000 / Double(sampleRate)
        reset(.codecChange)
        self.decoder = decoder
        self.clockRate = min(max(clockRate, 1000), 1_000_000)
        workspace = Workspace(decoder: decoder)
        pulled = Int64(milliseconds * Double(decoder.sampleRate) / 1000)
    }

    /// Milliseconds from a packet's arrival until its first sample is due in the pulled stream, now and on average;
    /// nil before playing. The sample at offset k of a pulled block counts as due k samples after the pull, so a
    /// device ring behind it counts its fill *before* the block is written.
    public var currentDelayMilliseconds: Double? {
        guard isPlaying, let start = clock.mean, let usual = history.mean, let axis else { return nil }
        return max(0, start + endOfQueue(axis) - axis.mediaMilliseconds(nextPosition + gap.concealed) - usual)
    }

    /// As `currentDelayMilliseconds`, but of the fastest packets of the last 10 s: what the buffer adds to the
    /// network's own delay. A packet that jitter held up waits the less, so this counts jitter once; nil before
    /// playing.
    public var delayOfFastestMilliseconds: Double? {
        guard let mean = currentDelayMilliseconds, let usual = history.mean, let floor = history.floor
        else { return nil }
        return mean + max(0, usual - floor)
    }

    /// The sender's clock against this host's in parts per million, positive when the sender's runs fast; nil until
    /// 20 s have been heard.
    public var driftPPM: Double? { drift.partsPerMillion }

    /// Milliseconds of the pulled stream up to the end of the queue.
    func endOfQueue(_ axis: StreamAxis) -> Double { axis.milliseconds(pulled + Int64(workspace.queue.pending)) }

    private func begin(with packet: BufferedPacket, hostEpoch: HostTime) {
        // A new stream comes over the same line: its first packet counts as one of the usual delay.
        let usual = history.mean ?? 0
        if history.events > 0 { history.forgetFloor() }
        axis = StreamAxis(
            clockRate: clockRate, sampleRate: sampleRate, hostEpoch: hostEpoch, timestamp: packet.extendedTimestamp,
            arrival: packet.arrival, delay: usual)
    }

    /// Why the packet cannot belong to the stream so far, if it cannot.
    private func jump(of packet: BufferedPacket, duration: Int64) -> ResetReason? {
        guard let axis, let newest else { return nil }
        let ahead = packet.extendedSequence - newest.sequence
        // RFC 3550 appendix A.1: MAX_DROPOUT.
        if abs(ahead) > 3000 { return .sequenceJump }
        guard let position = axis.position(of: packet.extendedTimestamp) else { return .timestampJump }
        guard ahead > 0 else { return nil }
        if position < newest.position { return .timestampJump }
        // A pause takes its time; a jump ahead arrives before it could have been spoken.
        let longest = ahead * 2 * max(duration, newest.duration)
        guard position - newest.position > longest, let floor = history.floor else { return nil }
        let delay = axis.hostMilliseconds(packet.arrival) - axis.mediaMilliseconds(position)
        return delay < floor - 250 ? .timestampJump : nil
    }

    private func learn(from packet: StoredPacket, axis: StreamAxis) {
        let delay = packet.arrival - axis.mediaMilliseconds(packet.position)
        drift.add(delay: delay, at: packet.arrival)
        history.driftPPM = min(max(drift.partsPerMillion ?? 0, -1000), 1000)
        // Nearly all of a packet's worth is there already when its copy came before it.
        let weight = sequences.hasCopy(packet.sequence) ? 0.3 : 1
        history.add(delay: delay, weight: weight, at: packet.arrival)
        sequences.note(packet.sequence)
        let before = packet.sequence - 1
        if packet.carriesFEC, sequences.newest == packet.sequence, !sequences.hasSeen(before), newest != nil {
            sequences.noteCopy(of: before)
            history.add(
                delay: delay + axis.milliseconds(packet.duration), weight: 0.7, at: packet.arrival)
        }
        target.update(&history, lossRatio: sequences.lossRatio, at: packet.arrival)
        if newest.map({ packet.sequence > $0.sequence }) ?? true { newest = packet }
    }

    private func store(
        _ packet: StoredPacket, payload: UnsafeRawBufferPointer, outcome: InsertOutcome
    ) -> InsertOutcome {
        var outcome = outcome
        if workspace.packets.isFull {
            workspace.packets.removeFirst()
            statistics.overflow += 1
            outcome = .acceptedWithOverflow
        }
        switch workspace.packets.insert(packet, payload: payload) {
        case .stored(let reordered):
            if reordered { statistics.reordered += 1 }
            return outcome
        case .duplicate, .full:
            statistics.duplicate += 1
            return .duplicate
        }
    }
}
