import Codecs

/// What one RTP payload type of a stream carries: a codec at a rate, and the numbers of what is sent beside it.
public struct MediaFormat: Sendable, Hashable {
    /// The codec.
    public var codec: Codec
    /// Rate of its audio in Hz, for codecs that have a choice; `nil` is the codec's own.
    public var sampleRate: Int?
    /// RTP payload type of the audio, 0...127.
    public var payloadType: UInt8
    /// RTP payload type of telephone events, 0...127.
    public var telephoneEventPayloadType: UInt8
    /// Clock of their durations in Hz, where another one than the audio's was agreed on; `nil`: the audio's (RFC 4733
    /// section 2.1). Their time stamps are the audio's either way: both are one stream.
    public var telephoneEventClockRate: Int?
    /// RTP payload type of comfort noise with the audio's clock (RFC 3389), 0...127.
    public var comfortNoisePayloadType: UInt8

    /// `codec` with every other value at its default.
    public init(_ codec: Codec, payloadType: UInt8? = nil, sampleRate: Int? = nil) {
        self.codec = codec
        self.sampleRate = sampleRate
        self.payloadType = payloadType ?? codec.defaultPayloadType
        telephoneEventPayloadType = codec.telephoneEventPayloadType
        comfortNoisePayloadType = codec.comfortNoisePayloadType
    }

    /// Rate of the audio in Hz.
    public var audioRate: Int { sampleRate ?? codec.sampleRate }
    /// RTP clock in Hz.
    public var clockRate: Int { codec.rtpClockRate(sampleRate: sampleRate) }

    /// Whether one decoder serves both: they differ in their numbers only.
    func sharesDecoder(with other: MediaFormat) -> Bool {
        codec == other.codec && audioRate == other.audioRate && clockRate == other.clockRate
    }
}

/// What a stream sends: a format, and how it is encoded (packet length among it).
public struct SendingFormat: Sendable, Equatable {
    /// Codec and payload types.
    public var format: MediaFormat
    /// How the codec encodes.
    public var encoder: EncoderSettings

    /// - `encoder`: `nil` is the default of the format's codec.
    public init(_ format: MediaFormat, encoder: EncoderSettings? = nil) {
        self.format = format
        self.encoder = encoder ?? EncoderSettings(frameMilliseconds: format.codec.defaultFrameMilliseconds)
    }
}
