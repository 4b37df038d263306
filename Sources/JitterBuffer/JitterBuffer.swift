import Codecs
import Realtime

/// Adaptive play-out buffer of one received stream.
///
/// Sans-I/O: packets go in with their arrival time, samples are pulled at times that the caller gives. One thread owns
/// it; after warm-up neither `insert` nor `pull` allocates. Here is the stream's state; `Arrival.swift` takes packets,
/// `Playout.swift` makes the sound.
///
///     insert -> SequenceMemory -> ArrivalHistory -> TargetDelay
///           \-> PacketBuffer -> decode / copy / FEC / conceal -> Merge, Accelerate, Decelerate -> PlayoutQueue -> pull
public final class JitterBuffer {
    public let configuration: JitterBufferConfiguration
    public internal(set) var statistics = JitterBufferStatistics()
    /// What every sample was, and every shift of the delay: both add up exactly.
    package internal(set) var ledger = PlayoutLedger()

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
    /// Media time at which the axis begins, in milliseconds since the stream's first packet.
    var mediaOrigin = 0.0
    var hostEpoch: HostTime?
    var newest: StoredPacket?
    var isPlaying = false
    /// First sample not yet decoded, or given up.
    var nextPosition: Int64 = 0
    var lastSequence: Int64 = 0
    var lastDuration: Int64 = 0
    /// Whether the sender fell silent: its last packet said so (Opus DTX: at most two bytes; RFC 3389), or its time stamps
    /// went on without packets.
    var lastWasSilence = false
    var overdue = OverdueStream()
    var gap = Gap()
    var pauses = PauseDetector()
    /// Whether the delay is being moved in sound, for want of pauses: once begun it goes on to the target.
    var movesInSound = false
    /// Whether a steady tone was found when it was last looked for, and the milliseconds since.
    var isTone = false
    var sinceToneSearch = Double.infinity
    var noise: ComfortNoise
    /// How the samples in the queue were made.
    var lastSound = PlayoutReason.normal
    /// Names the reset in the next pull's outcome.
    var pendingReset: ResetReason?

    // The player.
    var clock = PullClock()
    /// Samples pulled since the first call.
    var pulled: Int64 = 0
    var log = IncidentLog()

    /// - `decoder`: the codec; its sample rate is that of the pulled sound.
    /// - `clockRate`: RTP clock units per second, which may differ from the sample rate; clamped to 1000...1000000.
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

    /// The latest stretches of sound that were not plain audio, oldest first; allocates.
    public var incidents: [Incident] { log.incidents }

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
        overdue = OverdueStream()
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
        noise = ComfortNoise(seed: configuration.seed)
        pulled = Int64(milliseconds * Double(decoder.sampleRate) / 1000)
        ledger = PlayoutLedger()
    }

    /// Milliseconds from a packet's arrival until its first sample is due in the pulled stream, now and on average;
    /// nil before playing. The sample at offset k of a pulled block counts as due k samples after the pull, so a
    /// device ring behind it counts its fill *before* the block is written.
    public var currentDelayMilliseconds: Double? {
        guard isPlaying, let start = clock.mean, let usual = history.mean, let axis else { return nil }
        return max(0, start + endOfQueue(axis) - axis.mediaMilliseconds(endOfContent) - usual)
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
    public var driftPPM: Double? { drift.isSettled ? drift.partsPerMillion : nil }

    /// The content that the end of the queue stands for: decoded, or invented in its place.
    var endOfContent: Int64 { nextPosition + gap.concealed }

    /// Milliseconds of the pulled stream up to the end of the queue.
    func endOfQueue(_ axis: StreamAxis) -> Double { axis.milliseconds(pulled + Int64(workspace.queue.pending)) }

    /// The target on the axis of relative delays.
    var absoluteTarget: Double { (history.floor ?? 0) + target.aboveFloor }

    /// Whether every pulled or waiting sample and every shift of the delay is accounted for, to the sample.
    package var isBalanced: Bool {
        ledger.isBalanced(pending: Int64(workspace.queue.pending), content: isPlaying ? endOfContent : nil)
    }
}
