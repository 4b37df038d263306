import Codecs
import JitterBuffer
import RTP

/// What one call is made of; settled before it starts.
public struct CallConfiguration: Sendable {
    /// Codec of both directions.
    public var codec: CodecKind
    /// Rate of the audio in Hz, for codecs that have a choice; `nil` is the codec's own.
    public var sampleRate: Int?
    /// How this side encodes.
    public var encoder: EncoderSettings
    /// RTP payload type of the audio, 0...127.
    public var payloadType: UInt8
    /// RTP payload type of telephone events, 0...127.
    public var telephoneEventPayloadType: UInt8
    /// How the jitter buffer weighs delay against loss.
    public var jitterBuffer: JitterBufferConfiguration
    /// RTCP canonical name (RFC 3550 section 6.5.1): does not name the person or the machine.
    public var canonicalName: String
    /// Seed of everything random in the call: SSRC, first sequence number and time stamp, RTCP timer.
    public var seed: UInt64
    /// Silence on RTP and RTCP that ends the call, in milliseconds.
    public var mediaTimeoutMilliseconds = 30_000.0
    /// Whoever listens waits for the first media without an end.
    public var waitsForCaller = false
    /// Audio sent in place of the microphone until it ends, at the codec's rate; empty sends the microphone.
    public var announcement: [Float] = []
    /// Sends back what is heard in place of the microphone.
    public var echoes = false
    /// Digits sent as telephone events once media has started.
    public var digits = ""

    /// A call with `codec` and every other value at its default.
    public init(codec: CodecKind, seed: UInt64) {
        self.codec = codec
        self.seed = seed
        encoder = EncoderSettings()
        payloadType = codec.defaultPayloadType
        telephoneEventPayloadType = codec == .opus ? PayloadType.telephoneEvent48k : PayloadType.telephoneEvent
        jitterBuffer = JitterBufferConfiguration()
        canonicalName = "yodel-" + String(seed & 0xffff_ffff, radix: 36)
    }
}
