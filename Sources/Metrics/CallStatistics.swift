/// Everything one endpoint knows about its call, live (`stats`) or at its end (`report`).
///
/// Unknown is `nil` and left out of the JSON; nothing here has a pretty default. Names in JSON are those of
/// `docs/commands.md` and stay the same; `CallStatisticsFields.swift` holds them.
public struct CallStatistics: Sendable, Equatable {
    // Delay
    /// From the peer's microphone to our loudspeaker, ms; `nil` when the peer does not tell its part.
    public var mouthToEarMilliseconds: Double?
    /// Our own part alone: microphone to socket plus socket to loudspeaker, ms.
    public var localDelayMilliseconds: Double?
    /// The same delay as found in the audio itself, ms; only a loopback test can know it.
    public var measuredMouthToEarMilliseconds: Double?
    /// Stage by stage.
    public var ledger = DelayLedgerFigures()

    // Network
    /// Interarrival jitter (RFC 3550 appendix A.8), ms.
    public var jitterMilliseconds: Double?
    /// Round trip by RTCP (RFC 3550 section 6.4.1), ms.
    public var roundTripMilliseconds: Double?
    public var packetsSent: Int?
    public var packetsReceived: Int?
    /// Packets that never came.
    public var packetsLost: Int?
    /// Packets that came after their time to be played.
    public var packetsLate: Int?
    public var packetsDuplicate: Int?
    /// Packets that came after a later one, also too late.
    public var packetsReordered: Int?
    /// Packets refused or thrown away, for the reasons in `drops`.
    public var packetsDiscarded: Int?
    /// Reason to count, of `packetsDiscarded`; and faults that threw no packet away: `bad_header_extension`, `encoder_failed`.
    public var drops: [String: Int] = [:]
    /// Lost of expected, 0…1.
    public var lostRatio: Double?
    /// Late of expected, 0…1.
    public var lateRatio: Double?

    // Jitter buffer
    /// Concealed of played samples, 0…1.
    public var concealedRatio: Double?
    /// Gaps of at most 60 ms that were concealed.
    public var concealedShort: Int?
    /// Longer ones.
    public var concealedLong: Int?
    /// Times the loudspeaker got silence because the play-out ring had run dry.
    public var playoutGaps: Int?
    /// How long those were together, ms.
    public var playoutGapMilliseconds: Double?
    /// All gaps by who caused them, the loudspeaker's too once `bookPlayoutGaps` was called; a cause that only the sender's next
    /// report tells is booked with that.
    public var gapsByCause: GapFigures?
    /// Reason to milliseconds concealed for it.
    public var concealedByReason: [String: Double] = [:]
    /// Play-out shortened by that much in all, ms.
    public var acceleratedMilliseconds: Double?
    /// Play-out stretched by that much in all, ms.
    public var deceleratedMilliseconds: Double?
    /// Frames taken from forward error correction.
    public var fecUsed: Int?
    /// Frames taken from redundant payloads (RFC 2198).
    public var redundancyUsed: Int?
    public var bufferTargetMilliseconds: Double?
    public var bufferLevelMilliseconds: Double?
    /// Whose doing the target is: `network`, or `sender` while its machine stands still now and then.
    public var bufferTargetReason: String?

    // Quality
    /// Transmission rating (ITU-T G.107), 0…100.
    public var rFactor: Double?
    /// Listening quality (ITU-T P.800.1), 1…5; `nil` before there was audio.
    public var mosLQ: Double?
    /// Conversational quality (ITU-T P.800.1), 1…5.
    public var mosCQ: Double?
    /// RMS of what is sent, dBov (RFC 6465).
    public var levelSentDecibels: Double?
    /// RMS of what is heard, dBov.
    public var levelHeardDecibels: Double?
    public var echo: EchoFigures?

    // Machine
    public var xruns = XrunFigures()
    /// The sender's clock against ours, parts in a million.
    public var driftPPM: Double?
    /// Process time for each minute of call, s.
    public var cpuSecondsPerMinute: Double?
    /// Largest resident set, MiB.
    public var peakRSSMebibytes: Double?
    public var render = RenderFigures()
    /// How this machine stands still, and what that costs; `nil` where no device tells.
    public var machine: MachineFigures?
    /// Of an encrypted call; `nil` where the media are not encrypted.
    public var srtp: SRTPFigures?
    /// Of a call whose way had to be found, or whose keys to be agreed on.
    public var setup: SetupFigures?

    // Whose figures
    /// What we measured.
    public var local: SideFigures?
    /// What the peer reported.
    public var remote: SideFigures?

    public init() {}
}
