/// Why the stream was started anew.
public enum ResetReason: Sendable, Hashable {
    /// Another source (SSRC) took over.
    case newSource
    /// The sender's timestamps jumped although its packets went on, or stood still while it paused.
    case timestampJump
    /// The sequence numbers jumped further than loss explains.
    case sequenceJump
    /// All that came for a second came too late: the sender stood still, or the route became much longer.
    case delayJump
    /// Another payload type: the decoder was replaced.
    case codecChange
    /// The application asked for it (hold, route change).
    case requested

    /// In tables and reports.
    public var name: String {
        switch self {
        case .newSource: "new_source"
        case .timestampJump: "timestamp_jump"
        case .sequenceJump: "sequence_jump"
        case .delayJump: "delay_jump"
        case .codecChange: "codec_change"
        case .requested: "requested"
        }
    }
}

/// What the buffer did to produce a piece of sound. The order is that of notability: when one pull needed several
/// operations, the outcome names the most notable.
public enum PlayoutReason: Sendable, Hashable {
    /// Nothing has been received yet, or the start delay runs: digital silence.
    case waiting
    /// A packet decoded in its turn.
    case normal
    /// A packet came after its sound was due, and was dropped.
    case discardLate
    /// The buffer was full, the oldest packet was dropped.
    case discardOverflow
    /// Sound was lengthened, to raise the delay.
    case decelerate
    /// Sound was shortened, to lower the delay.
    case accelerate
    /// Low noise in a pause of the sender (DTX).
    case comfortNoise
    /// A lost packet recovered from the copy in the next one (RFC 6716 section 2.1.7).
    case fec
    /// A lost packet replaced by its copy in a later one (RFC 2198).
    case redundancy
    /// Sound invented for a gap that has lasted up to 60 ms.
    case concealShort
    /// The same for a longer gap: it fades.
    case concealLong
    /// The stream was started anew.
    case reset(ResetReason)

    /// In tables and reports.
    public var name: String {
        switch self {
        case .waiting: "waiting"
        case .normal: "normal"
        case .discardLate: "discard_late"
        case .discardOverflow: "discard_overflow"
        case .decelerate: "decelerate"
        case .accelerate: "accelerate"
        case .comfortNoise: "comfort_noise"
        case .fec: "fec"
        case .redundancy: "redundancy"
        case .concealShort: "conceal_short"
        case .concealLong: "conceal_long"
        case .reset(let reason): "reset{\(reason.name)}"
        }
    }

    /// Place in the order of notability; the reasons of resets share one.
    var notability: Int {
        switch self {
        case .waiting: 0
        case .normal: 1
        case .discardLate: 2
        case .discardOverflow: 3
        case .decelerate: 4
        case .accelerate: 5
        case .comfortNoise: 6
        case .fec: 7
        case .redundancy: 8
        case .concealShort: 9
        case .concealLong: 10
        case .reset: 11
        }
    }
}

/// Milliseconds of pulled sound by reason.
public struct ReasonDurations: Sendable, Equatable {
    private var values = InlineArray<12, Double>(repeating: 0)

    public init() {}

    /// Pulled under this reason; resets of all kinds are one.
    public subscript(reason: PlayoutReason) -> Double { values[reason.notability] }

    mutating func add(_ milliseconds: Double, to reason: PlayoutReason) { values[reason.notability] += milliseconds }

    mutating func add(_ other: ReasonDurations) {
        for index in 0..<12 { values[index] += other.values[index] }
    }

    public static func == (left: Self, right: Self) -> Bool {
        for index in 0..<12 where left.values[index] != right.values[index] { return false }
        return true
    }
}
