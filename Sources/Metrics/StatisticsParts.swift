/// What the echo canceller says of itself.
public struct EchoFigures: Sendable, Equatable {
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
}

/// Over- and underruns of the audio device.
public struct XrunFigures: Sendable, Equatable {
    /// Overruns of the microphone's side.
    public var capture: Int?
    /// Underruns of the loudspeaker's side.
    public var playback: Int?
    /// How long the loudspeaker had nothing from us because of its underruns, ms.
    public var silentMilliseconds: Double?

    public init(capture: Int? = nil, playback: Int? = nil, silentMilliseconds: Double? = nil) {
        self.capture = capture
        self.playback = playback
        self.silentMilliseconds = silentMilliseconds
    }
}

/// How the machine stands still: what is due meanwhile is done later.
public struct MachineFigures: Sendable, Equatable {
    /// Times that something was done 3 ms later than it was due, or more.
    public var stops: Int
    /// The longest delay of those, ms.
    public var longestMilliseconds: Double
    /// How late 99 of 100 turns were at most, ms.
    public var lateP99Milliseconds: Double
    /// Delay that is there because of the stops, ms.
    public var reserveMilliseconds: Double

    public init(stops: Int, longestMilliseconds: Double, lateP99Milliseconds: Double, reserveMilliseconds: Double) {
        self.stops = stops
        self.longestMilliseconds = longestMilliseconds
        self.lateP99Milliseconds = lateP99Milliseconds
        self.reserveMilliseconds = reserveMilliseconds
    }
}

/// How the render threads kept their contract. Printed as `null` where nothing was counted, never as 0.
public struct RenderFigures: Sendable, Equatable {
    /// Heap allocations inside the render scope; only test builds count them.
    public var allocations: Int?
    /// Locks taken inside the render scope; only test builds count them.
    public var locks: Int?
    /// The longest render turn, microseconds.
    public var maximumMicroseconds: Double?
    /// The time one turn has, microseconds.
    public var periodMicroseconds: Double?

    public init() {}
}

/// One side's view of the stream it receives: `local` is ours of what we hear, `remote` is what the peer reported by
/// RTCP of what we send. They are never merged, because they describe opposite directions.
public struct SideFigures: Sendable, Equatable {
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
    /// Times this side's machine stood still, and the longest time, ms: its packets are late by that.
    public var machineStops: Int?
    public var machineLongestMilliseconds: Double?
    /// How long this side's machine stood still in all, from one thing that it did to the next, ms.
    public var machineStoppedMilliseconds: Double?
    /// This side's jitter buffer for packets that come in time (RFC 3611 section 4.7.7), ms.
    public var jitterBufferMilliseconds: Double?
    /// Transmission rating (ITU-T G.107) of what this side hears, 0…100.
    public var rFactor: Double?
    /// Listening quality (ITU-T P.800.1), 1…5.
    public var mosLQ: Double?
    /// Conversational quality (ITU-T P.800.1), 1…5.
    public var mosCQ: Double?

    public init() {}
}
