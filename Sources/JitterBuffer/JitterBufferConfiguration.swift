/// How much delay the buffer pays to avoid loss: one knob, from conversation to reception.
public enum LatencyProfile: String, Sendable, CaseIterable {
    /// Least delay; short network stalls are heard.
    case low
    /// The measured optimum of delay against quality.
    case balanced
    /// Rides out stalls of some hundred milliseconds when they recur.
    case robust

    /// Milliseconds of delay that one percent of late packets is worth.
    var millisecondsPerPercentLate: Double {
        switch self {
        case .low: 30
        case .balanced: 60
        case .robust: 130
        }
    }

    /// Delay of the first packet before anything is known of the network, in milliseconds.
    var startDelayMilliseconds: Double {
        switch self {
        // 20 ms bought nothing that was heard, and stayed until the first pause.
        case .low, .balanced: 10
        case .robust: 40
        }
    }
}

/// What a jitter buffer is told once.
public struct JitterBufferConfiguration: Sendable {
    /// The trade between delay and loss.
    public var latency: LatencyProfile
    /// Lower bound of the target above the fastest packets, in milliseconds; 0 leaves it to the statistics.
    public var minimumDelayMs: Double
    /// Upper bound of the target above the fastest packets, in milliseconds; clamped to 20...1000.
    public var maximumDelayMs: Double { didSet { maximumDelayMs = Self.clamped(maximumDelayMs) } }
    /// Seed of the comfort noise, so that a run can be repeated bit for bit.
    public var seed: UInt64
    /// The numbers inside, found by measurement; for sweeps.
    package var tuning = JitterBufferTuning()
    /// Notes what the sound decides, or decides in its place; `nil`: the sound decides.
    public var decisions: SoundDecisions?

    public init(
        latency: LatencyProfile = .balanced, minimumDelayMs: Double = 0, maximumDelayMs: Double = 500, seed: UInt64 = 1
    ) {
        self.latency = latency
        let ceiling = Self.clamped(maximumDelayMs)
        self.maximumDelayMs = ceiling
        self.minimumDelayMs = minimumDelayMs.isFinite ? min(max(minimumDelayMs, 0), ceiling) : 0
        self.seed = seed
    }

    private static func clamped(_ maximumDelayMs: Double) -> Double {
        maximumDelayMs.isFinite ? min(max(maximumDelayMs, 20), 1000) : 500
    }
}
