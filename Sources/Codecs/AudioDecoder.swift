/// Turns RTP payloads into samples. Owned by one thread; decoding does not allocate.
///
/// Payloads come from the network: any bytes are accepted, and those that make no sense give an error, never a trap.
public protocol AudioDecoder: AnyObject {
    /// Samples per second of the output.
    var sampleRate: Int { get }
    /// Channels of the output, interleaved where there are two; a call's receive path takes one.
    var channels: Int { get }
    /// Samples (of each channel, here and below) of the longest packet that is accepted: a buffer of this length is always enough.
    var maximumFrames: Int { get }

    /// Bytes of the longest payload that is accepted, where the codec has so little; nil: it depends.
    var longestPayloadBytes: Int? { get }

    /// Samples that `payload` decodes to, or nil when it is malformed.
    func duration(of payload: UnsafeRawBufferPointer) -> Int?

    /// Decodes one packet into the start of `samples` and returns the number of samples written.
    /// - Throws: `malformedPayload`, `outputTooSmall`, `library`.
    func decode(_ payload: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Float>) throws(CodecError)
        -> Int

    /// Whether `payload` really carries a copy of the audio before it. Asking first matters: decoding a copy that is
    /// not there silently gives concealment.
    func carriesFEC(_ payload: UnsafeRawBufferPointer) -> Bool

    /// Decodes the copy inside `payload`, the packet after the lost one, into `frames` samples: the stretch that ends
    /// where `payload` itself begins. Call it before `decode` of the same payload. The part of the stretch that the
    /// copy does not reach is concealed (an Opus packet of 40 or 60 ms may hold frames of 20 ms, and copies one frame).
    /// - Throws: `malformedPayload` (also when there is no copy), `wrongFrameLength`, `outputTooSmall`, `library`.
    func decodeFEC(
        _ payload: UnsafeRawBufferPointer, frames: Int, into samples: UnsafeMutableBufferPointer<Float>
    ) throws(CodecError) -> Int

    /// Whether the codec has a concealment of its own.
    var concealsItself: Bool { get }

    /// Fills `frames` samples in place of a packet that will not come, with the codec's own concealment.
    /// - Returns: false when the codec has none or cannot fill that length (Opus: whole multiples of 2.5 ms, at most
    ///   120 ms); the buffer is then untouched and the caller conceals.
    func conceal(frames: Int, into samples: UnsafeMutableBufferPointer<Float>) -> Bool

    /// Remembers the state as it is, in place of the one remembered before: what concealment does to it can then be
    /// taken back. Codecs without a state do nothing.
    func keepState()

    /// Goes on from the remembered state, and remembers the present one in its place.
    func exchangeState()

    /// Forgets the past, as for a new stream.
    func reset()
}

extension AudioDecoder {
    public var channels: Int { 1 }

    public var longestPayloadBytes: Int? { nil }

    public var concealsItself: Bool { false }

    public func carriesFEC(_ payload: UnsafeRawBufferPointer) -> Bool { false }

    public func decodeFEC(
        _ payload: UnsafeRawBufferPointer, frames: Int, into samples: UnsafeMutableBufferPointer<Float>
    ) throws(CodecError) -> Int {
        throw .malformedPayload
    }

    public func conceal(frames: Int, into samples: UnsafeMutableBufferPointer<Float>) -> Bool { false }

    public func keepState() {}
    public func exchangeState() {}

    public func reset() {}
}
