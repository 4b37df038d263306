import Codecs
import DSP

/// The codec of a send path, and what converts the stream's audio to its rate.
///
/// ```
/// frame at the stream's rate -> [FixedRatio] -> frame at the codec's rate -> Encoder
/// ```
/// Where both rates agree there is no converter, and a frame passes as it is.
struct SendCodec {
    let sending: SendingFormat
    let encoder: any AudioEncoder
    /// Samples of a frame at the stream's rate.
    let frameLength: Int
    private let converter: FixedRatio?
    private var converted: [Float] = []
    private var frame: [Float]

    /// - Parameter streamRate: of the frames that come, Hz.
    init(_ sending: SendingFormat, streamRate: Int) throws(CodecError) {
        self.sending = sending
        encoder = try makeEncoder(sending.format.codec, settings: sending.encoder, sampleRate: sending.format.sampleRate)
        do { converter = try FixedRatio(from: streamRate, to: encoder.sampleRate) } catch {
            throw .invalidSetting(
                "\(sending.format.codec.name) at \(encoder.sampleRate) Hz cannot be converted from \(streamRate) Hz")
        }
        frameLength =
            converter == nil ? encoder.frameLength : streamRate * sending.encoder.frameMilliseconds / 1000
        frame = [Float](repeating: 0, count: encoder.frameLength)
    }

    /// What the voice waits in encoder and converter, in milliseconds.
    var delayMilliseconds: Double {
        Double(encoder.lookaheadSamples) * 1000 / Double(encoder.sampleRate) + (converter?.delayMilliseconds ?? 0)
    }

    /// Has the encoder go on where the one of `other` is, whose packets the same decoder hears.
    /// - Returns: false where it cannot, or encodes in another way than by another packet length, bit rate or effort; then nothing has
    ///   changed.
    func goOn(from other: SendCodec) -> Bool {
        let (mine, former) = (sending.encoder, other.sending.encoder)
        guard mine.application == former.application, mine.inbandFEC == former.inbandFEC, mine.dtx == former.dtx else {
            return false
        }
        return encoder.goOn(from: other.encoder)
    }

    /// Hears what was said before, so that what follows goes on from there instead of from silence.
    ///
    /// - Parameter goesOn: whether the other side's decoder goes on too. One that begins anew must have an encoder that does: both
    ///   adapt by what was said before (G.722's quantizer, Opus's long-term prediction).
    mutating func prime(with samples: [Float], goesOn: Bool) {
        samples.withUnsafeBufferPointer { samples in
            if let converter { converter.process(samples, into: &converted) } else { converted += samples }
        }
        // The newest of it, behind silence where it is too short.
        let heard = converted.suffix(frame.count)
        let primer = [Float](repeating: 0, count: frame.count - heard.count) + heard
        converted.removeAll(keepingCapacity: true)
        guard goesOn else { return }
        var payload = [UInt8](repeating: 0, count: encoder.maximumPayloadBytes)
        primer.withUnsafeBufferPointer { samples in
            payload.withUnsafeMutableBytes { _ = try? encoder.encode(samples, into: $0) }
        }
    }

    /// Whether a frame reaches the encoder as it is.
    var isPlain: Bool { converter == nil }

    /// Hands out a frame of the stream at the codec's rate.
    /// - Returns: nil where the converter has too little for one, which ratios of whole numbers do not let happen.
    mutating func convert<Result>(_ samples: [Float], _ body: (UnsafeBufferPointer<Float>) -> Result) -> Result? {
        guard let converter else { return samples.withUnsafeBufferPointer(body) }
        samples.withUnsafeBufferPointer { converter.process($0, into: &converted) }
        guard converted.count >= frame.count else { return nil }
        for index in frame.indices { frame[index] = converted[index] }
        converted.removeFirst(frame.count)
        return frame.withUnsafeBufferPointer(body)
    }
}
