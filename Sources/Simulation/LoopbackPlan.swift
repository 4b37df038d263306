import AudioDevices
import AudioUnits
import Codecs
import JitterBuffer
import Media
import RTP

/// What a loopback call is made of: the same for a live one over real sockets and one in virtual time.
public struct LoopbackPlan: Sendable {
    /// Length of the call in seconds.
    public var seconds = 20.0
    /// Codec of both directions.
    public var codec = Codec.opus
    /// Encoder settings of both sides.
    public var encoder = EncoderSettings()
    /// Payload type of redundant audio; `nil` sends none.
    public var redundancyPayloadType: UInt8?
    /// Bit rate that is never exceeded, copies included, bit/s; `nil` is the usual one.
    public var maximumBitrate: Int?
    /// Least mean time between RTCP reports, s.
    public var reportIntervalSeconds = RTCPSession.usualInterval
    /// Jitter buffer settings of both sides.
    public var jitterBuffer = JitterBufferConfiguration()
    /// The room each side sits in.
    public var room = RoomSpecification(response: .builtIn(.small), noiseDecibels: -65, echoDecibels: -10)
    /// Hardware rate of the simulated devices in Hz; `nil` is the codec's.
    public var deviceRate: Int?
    /// Period of the simulated devices in milliseconds.
    public var periodMilliseconds = 10.0
    /// Echo cancellation and what belongs to it, or the bare device.
    public var voiceProcessing = true
    /// Which echo canceller, at which quality.
    public var voice = VoiceProcessingConfiguration()
    /// What the network does in both directions.
    public var network = NetworkConditions()
    /// The network as the person wrote it; `nil` when clean.
    public var scenario: String?
    /// How the machine stands still, in virtual time only; `nil`: never, and its devices have no buffers to bridge that.
    public var machine: MachineConditions?
    /// Whether the media are encrypted: live by DTLS-SRTP with its whole handshake, in virtual time by SRTP whose keys come of the
    /// seed.
    public var encrypts = false
    /// Seed of everything random.
    public var seed: UInt64 = 1
    /// Where internal signals go, a folder for each side below it.
    public var dumpFolder: String?
    /// Ask for real-time priority (live only).
    public var realtime = true

    /// Each side's seed of both keys, in place of `seed`: a side with another's hears nothing.
    package var keySeed: (@Sendable (_ side: Int) -> UInt64)?
    /// Puts something between each device and its unit, such as an audit of the render contract.
    package var wrapDevice: @Sendable (any HardwareDevice) -> any HardwareDevice = { $0 }
    /// Changes a side's configuration beyond what the plan knows: digits, announcement, time-out.
    package var adjust: @Sendable (_ side: Int, inout CallConfiguration) -> Void = { _, _ in }
    /// What the person on a side says, by side and sampling rate, in place of the talkers; looped.
    package var speech: (@Sendable (_ side: Int, _ sampleRate: Int) -> [Float])?

    public init() {}

    /// The configuration of side `side`, 0 or 1.
    public func configuration(side: Int) -> CallConfiguration {
        var configuration = CallConfiguration(codec: codec, seed: seed &* 2 &+ UInt64(side) &+ 1)
        configuration.encoder = encoder
        configuration.jitterBuffer = jitterBuffer
        configuration.redundancyPayloadType = redundancyPayloadType
        configuration.maximumBitrate = maximumBitrate
        configuration.reportIntervalSeconds = reportIntervalSeconds
        adjust(side, &configuration)
        return configuration
    }

    /// When the machine of side `side` stands still: both are one, unless one is named. `nil` without `machine`.
    package func stops(side: Int) -> MachineStops? {
        machine.map { machine in
            let isStanding = machine.place == .both || machine.place == (side == 0 ? .a : .b)
            return MachineStops(isStanding ? machine : MachineConditions(), seconds: seconds, seed: seed)
        }
    }

    /// Seconds one person speaks before the other does.
    static let turnSeconds = 4.0
    /// After that they say the same again: a whole number of turns of both.
    static let longestSpeechSeconds = 64.0

    /// What the person on side `side` says: A is a man and begins, B a woman; they take turns.
    public func talker(side: Int, sampleRate: Int) -> [Float] {
        if let speech { return speech(side, sampleRate) }
        var talker = SyntheticTalker(
            sampleRate: sampleRate, pitch: side == 0 ? 110 : 200, seed: seed &+ UInt64(side) &* 1000)
        return talker.converse(
            seconds: min(seconds, Self.longestSpeechSeconds), turnSeconds: Self.turnSeconds, startsSilent: side == 1)
    }
}
