/// What the echo canceller says of itself.
public struct EchoFigures: ReportObject, Equatable {
    /// Whether it has found the room and removes the echo; `nil` while the other side has not spoken.
    public var converged: Bool?
    /// Echo return loss enhancement (ITU-T G.168 clause 3), dB.
    public var erleDecibels: Double?
    /// From the loudspeaker's signal to its echo at the microphone, ms.
    public var delayMilliseconds: Double?
    /// Capture clock against playback clock, parts in a million.
    public var driftPPM: Double?
    /// How often the reference had to be aligned anew.
    public var realignCount: Int?
    /// Whether both sides are speaking now.
    public var doubleTalk: Bool?
    /// Whether nothing at all is being played.
    public var referenceSilent: Bool?
    /// Whether the microphone gives nothing but zeros.
    public var microphoneSilent: Bool?
    /// Whether the microphone is overdriven.
    public var microphoneClipping: Bool?
    /// Whether the other side's voice leaves no echo here: a headset, or a loudspeaker that is off.
    public var noEchoPath: Bool?
    /// Whether the other side hears its own voice.
    public var echoAudible: Bool?

    public init() {}

    public static let fields: [ReportField<EchoFigures>] = [
        .flag("converged") { $0.converged },
        .number("erle_db", decimals: 1) { $0.erleDecibels },
        .number("delay_ms", decimals: 1) { $0.delayMilliseconds },
        .number("drift_ppm", decimals: 1) { $0.driftPPM },
        .count("realign_count") { $0.realignCount },
        .flag("double_talk") { $0.doubleTalk },
        .flag("reference_silent") { $0.referenceSilent },
        .flag("microphone_silent") { $0.microphoneSilent },
        .flag("microphone_clipping") { $0.microphoneClipping },
        .flag("no_echo_path") { $0.noEchoPath },
        .flag("echo_audible") { $0.echoAudible },
    ]
}

/// Over- and underruns of the audio device.
public struct XrunFigures: ReportObject, Equatable {
    /// Overruns of the microphone's side.
    public var capture: Int?
    /// Underruns of the loudspeaker's side.
    public var playback: Int?

    public init(capture: Int? = nil, playback: Int? = nil) {
        self.capture = capture
        self.playback = playback
    }

    public static let fields: [ReportField<XrunFigures>] = [
        .count("capture") { $0.capture },
        .count("playback") { $0.playback },
    ]
}

/// How the render threads kept their contract. Printed as `null` where nothing was counted, never as 0.
public struct RenderFigures: ReportObject, Equatable {
    /// Heap allocations inside the render scope; only test builds count them.
    public var allocations: Int?
    /// Locks taken inside the render scope; only test builds count them.
    public var locks: Int?
    /// The longest render turn, microseconds.
    public var maximumMicroseconds: Double?
    /// The time one turn has, microseconds.
    public var periodMicroseconds: Double?

    public init() {}

    public static let fields: [ReportField<RenderFigures>] = [
        .count("allocations", orNull: true) { $0.allocations },
        .count("locks", orNull: true) { $0.locks },
        .number("max_us", decimals: 0, orNull: true) { $0.maximumMicroseconds },
        .number("period_us", decimals: 0, orNull: true) { $0.periodMicroseconds },
    ]
}

/// One side's view of the stream it receives: `local` is ours of what we hear, `remote` is what the peer reported by
/// RTCP of what we send. They are never merged, because they describe opposite directions.
public struct SideFigures: ReportObject, Equatable {
    /// Packets that should have come and did not (RFC 3550 section 6.4.1).
    public var packetsLost: Int?
    /// Lost of expected, 0…1.
    public var lostRatio: Double?
    /// Came too late to be played, of expected, 0…1 (RFC 3611 section 4.7.1).
    public var lateRatio: Double?
    /// Interarrival jitter (RFC 3550 appendix A.8), ms.
    public var jitterMilliseconds: Double?
    /// Round trip that this side's report allowed to compute, ms.
    public var roundTripMilliseconds: Double?
    /// This side's delay from its microphone to its socket, ms.
    public var sendDelayMilliseconds: Double?
    /// This side's delay from its socket to its loudspeaker, ms.
    public var receiveDelayMilliseconds: Double?
    /// Transmission rating (ITU-T G.107) of what this side hears, 0…100.
    public var rFactor: Double?
    /// Listening quality (ITU-T P.800.1), 1…5.
    public var mosLQ: Double?
    /// Conversational quality (ITU-T P.800.1), 1…5.
    public var mosCQ: Double?

    public init() {}

    public static let fields: [ReportField<SideFigures>] = [
        .count("packets_lost") { $0.packetsLost },
        .number("lost_ratio", decimals: 5) { $0.lostRatio },
        .number("late_ratio", decimals: 5) { $0.lateRatio },
        .number("jitter_ms", decimals: 2) { $0.jitterMilliseconds },
        .number("round_trip_ms", decimals: 2) { $0.roundTripMilliseconds },
        .number("send_delay_ms", decimals: 2) { $0.sendDelayMilliseconds },
        .number("receive_delay_ms", decimals: 2) { $0.receiveDelayMilliseconds },
        .number("r_factor", decimals: 1) { $0.rFactor },
        .number("mos_lq", decimals: 2) { $0.mosLQ },
        .number("mos_cq", decimals: 2) { $0.mosCQ },
    ]
}
