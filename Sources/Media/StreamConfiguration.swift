import Codecs
import JitterBuffer
import RTP

/// What the media of one stream are made of; settled before it starts.
public struct StreamConfiguration: Sendable {
    /// Codec of both directions; either may change while the stream runs.
    public var codec: Codec
    /// Rate of the audio in Hz, for codecs that have a choice; `nil` is the codec's own.
    public var sampleRate: Int?
    /// How this side encodes.
    public var encoder: EncoderSettings
    /// RTP payload type of the audio, 0...127.
    public var payloadType: UInt8
    /// RTP payload type of telephone events, 0...127.
    public var telephoneEventPayloadType: UInt8
    /// Clock of their durations in Hz, where another one than the audio's was agreed on; `nil`: the audio's.
    public var telephoneEventClockRate: Int?
    /// RTP payload type of comfort noise (RFC 3389), 0...127.
    public var comfortNoisePayloadType: UInt8
    /// What comes to begin with, where its numbers are others than those of what is sent: each side chooses its own (RFC 3264
    /// section 5.1). The codec is the same; `nil`: so are the numbers.
    public var receivedFormat: MediaFormat?
    /// Other formats that the other side may send, and change to while the stream runs. A codec may stand there again with
    /// other numbers beside it: they are taken too.
    public var alsoReceives: [MediaFormat] = []
    /// Whether what is sent follows what is heard into another codec: where nothing is negotiated, and `alsoReceives` names more
    /// than one.
    public var followsCodec = false
    /// RTP payload type of redundant audio (RFC 2198), when the other side agreed to it; `nil` sends none and takes none.
    public var redundancyPayloadType: UInt8?
    /// Other payload types by which redundant audio comes.
    public var alsoReceivesRedundancy: [UInt8] = []
    /// Bit rate of the payload never exceeded, copies included, bit/s; `nil` is 64 000, or the encoder's if that is more.
    public var maximumBitrate: Int?
    /// Least mean time between RTCP reports in seconds: 5 (RFC 3550 section 6.2); 1 where the other side allows the timing
    /// of RFC 4585.
    public var reportIntervalSeconds = RTCPSession.usualInterval
    /// What RTCP of both sides together may take, in bit/s, as the other side wants it (RFC 3556); 0: none is sent; `nil`: 5 % of two
    /// voices (RFC 3550 section 6.2).
    public var rtcpBandwidth: Double?
    /// How the jitter buffer weighs delay against loss.
    public var jitterBuffer: JitterBufferConfiguration
    /// RTCP canonical name (RFC 3550 section 6.5.1): does not name the person or the machine.
    public var canonicalName: String
    /// Seed of everything random in the stream: SSRC, first sequence number and time stamp, RTCP timer.
    public var seed: UInt64
    /// Number of the first packet; `nil`: as the seed has it. Media of a call that begin anew, under another SSRC, count on: a
    /// telephone that has heard little of the former ones takes smaller numbers for packets that are late (baresip 1.0).
    public var firstSequence: UInt16?
    /// Audio sent in place of the microphone until it ends, at `audioRate`; empty sends the microphone.
    public var announcement: [Float] = []
    /// What is sent after `announcement`, at `audioRate` too: of one stream alone; `nil`: the microphone.
    public var announcementStream: (any SampleStream)?
    /// Numbers of levels in header extensions, as both sides agreed on them.
    public var levels = LevelNumbers()
    /// Whether anybody listens: what nobody hears is counted and not decoded.
    public var isHeard = true
    /// Whether what is sent is what is heard: our RTCP tells the other side (docs/rtcp-delay-app.md).
    public var echoes = false

    /// A stream with `codec` and every other value at its default.
    public init(codec: Codec, seed: UInt64) {
        self.codec = codec
        self.seed = seed
        encoder = EncoderSettings(frameMilliseconds: codec.defaultFrameMilliseconds)
        payloadType = codec.defaultPayloadType
        telephoneEventPayloadType = codec.telephoneEventPayloadType
        comfortNoisePayloadType = codec.comfortNoisePayloadType
        jitterBuffer = JitterBufferConfiguration()
        canonicalName = "yodel-" + String(seed & 0xffff_ffff, radix: 36)
    }

    /// Takes every codec by its usual payload type, and sends in the one that is heard.
    public mutating func takeAnyCodec() {
        alsoReceives = Codec.allCases.filter { $0 != codec }.map { MediaFormat($0) }
        followsCodec = true
    }

    /// The format that is sent to begin with, and where `receivedFormat` says no other one received.
    public var format: MediaFormat {
        var format = MediaFormat(codec, payloadType: payloadType, sampleRate: sampleRate)
        format.telephoneEventPayloadType = telephoneEventPayloadType
        format.telephoneEventClockRate = telephoneEventClockRate
        format.comfortNoisePayloadType = comfortNoisePayloadType
        return format
    }

    /// Every format that may come.
    public var receivedFormats: [MediaFormat] { [receivedFormat ?? format] + alsoReceives }

    /// Every payload type by which redundant audio may come.
    package var redundancyPayloadTypes: [UInt8] {
        redundancyPayloadType.map { [$0] + alsoReceivesRedundancy } ?? []
    }

    /// Number of the first packet.
    public var sequence: UInt16 { RTPIdentity(self).firstSequence }

    /// Number of the first packet of a stream that follows another one in the same call.
    /// - Parameters:
    ///   - first: of the other one's first packet.
    ///   - packets: that the other one has sent.
    /// - Returns: the next number; `nil`: it is too high for a stream to begin with, and any will do.
    public static func sequence(after first: UInt16, packets: Int) -> UInt16? {
        let next = Int(first) + packets
        return next <= Int(RTPIdentity.highestFirstSequence) ? UInt16(next) : nil
    }

    /// Rate of the audio that goes in and out of the stream, in Hz, as long as it runs: the codec's; where several are to be
    /// expected the highest, so that a change to a better one is heard.
    public var audioRate: Int {
        alsoReceives.reduce(max(format.audioRate, receivedFormat?.audioRate ?? 0)) { max($0, $1.audioRate) }
    }

    /// Bit rate that is never exceeded unless someone says otherwise.
    static let usualMaximumBitrate = 64_000

    /// What the redundancy ladder works with.
    func redundancy(of sending: SendingFormat) -> RedundancyLadder.Configuration {
        let (format, encoder) = (sending.format, sending.encoder)
        let fixed = format.codec.fixedBitrate(sampleRate: format.sampleRate)
        return RedundancyLadder.Configuration(
            bitrate: fixed ?? encoder.bitrate, isAdjustable: fixed == nil,
            usesFEC: format.codec.hasInbandFEC && encoder.inbandFEC && encoder.application == .voip,
            maximumBitrate: maximumBitrate ?? max(Self.usualMaximumBitrate, encoder.bitrate),
            packetMilliseconds: Double(encoder.frameMilliseconds), allowsCopies: redundancyPayloadType != nil)
    }
}
