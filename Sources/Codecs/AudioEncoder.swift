/// Turns frames of mono samples into RTP payloads. Owned by one thread; encoding does not allocate.
public protocol AudioEncoder: AnyObject {
    /// Samples per second of the frames.
    var sampleRate: Int { get }
    /// Samples in a frame; every packet carries exactly one.
    var frameLength: Int { get }
    /// Samples by which the decoded signal trails the frames: the encoder's look-ahead.
    var lookaheadSamples: Int { get }
    /// Room in bytes that is enough for any packet of this encoder.
    var maximumPayloadBytes: Int { get }

    /// Encodes one frame of `frameLength` samples in -1 ..< 1; louder ones are clipped.
    /// - Returns: the payload's length in bytes; 0 in a pause of which nothing need be sent (`EncoderSettings.dtx`).
    /// - Throws: `wrongFrameLength`, `outputTooSmall`, `library`.
    func encode(
        _ frame: UnsafeBufferPointer<Float>, into payload: UnsafeMutableRawBufferPointer
    ) throws(CodecError) -> Int

    /// Tells the encoder what loss to expect from now on, in percent (clamped to 0 ... 100). Codecs without protection
    /// of their own ignore it.
    func setExpectedLoss(percent: Int)

    /// Changes the bit rate in bits per second from the next frame on (clamped to 6 000 ... 510 000). Codecs with a
    /// fixed rate ignore it.
    func setBitrate(_ bitsPerSecond: Int)

    /// Changes how much work goes into a packet, 0 ... 10, from the next frame on. Codecs without a choice ignore it.
    func setComplexity(_ complexity: Int)

    /// Whether a packet depends on the frames before it.
    var hasMemory: Bool { get }

    /// Goes on where another encoder of the same codec and settings is: whoever has decoded that one's packets hears no seam.
    /// - Returns: false where this cannot be done; then nothing has changed.
    func goOn(from other: any AudioEncoder) -> Bool

    /// Whether two that have heard the same for some seconds say nearly the same, whatever each heard before.
    var forgets: Bool { get }
}

extension AudioEncoder {
    public func setExpectedLoss(percent: Int) {}
    public func setBitrate(_ bitsPerSecond: Int) {}
    public func setComplexity(_ complexity: Int) {}
    public var hasMemory: Bool { true }
    public var forgets: Bool { true }
    public func goOn(from other: any AudioEncoder) -> Bool { !hasMemory }
}
