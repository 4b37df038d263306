import COpus

/// Opus (RFC 6716) to mono samples at 48 kHz, packets of 2.5 ... 120 ms; stereo packets are mixed down by libopus.
public final class OpusDecoder: AudioDecoder {
    public let sampleRate = 48_000
    public let maximumFrames = 5_760

    /// Concealment and redundancy come in steps of 2.5 ms.
    private static let step = 120

    private let decoder: OpaquePointer
    private var clipState: Float = 0

    /// - Throws: `library` when libopus cannot allocate the decoder.
    public init() throws(CodecError) {
        var status: Int32 = 0
        guard let decoder = opus_decoder_create(48_000, 1, &status) else { throw .library(code: status) }
        self.decoder = decoder
    }

    deinit { opus_decoder_destroy(decoder) }

    public func duration(of payload: UnsafeRawBufferPointer) -> Int? { OpusPacket(payload)?.duration }

    public func decode(
        _ payload: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Float>
    ) throws(CodecError) -> Int {
        // libopus takes an empty payload for a lost one; here it is malformed like any other.
        guard let packet = OpusPacket(payload) else { throw .malformedPayload }
        return try run(payload, frames: packet.duration, redundancy: false, into: samples)
    }

    public func carriesFEC(_ payload: UnsafeRawBufferPointer) -> Bool {
        OpusPacket(payload)?.carriesRedundancy ?? false
    }

    public func decodeFEC(
        _ payload: UnsafeRawBufferPointer, frames: Int, into samples: UnsafeMutableBufferPointer<Float>
    ) throws(CodecError) -> Int {
        guard carriesFEC(payload) else { throw .malformedPayload }
        guard Self.isWhole(frames) else { throw .wrongFrameLength(expected: Self.step) }
        return try run(payload, frames: frames, redundancy: true, into: samples)
    }

    public func conceal(frames: Int, into samples: UnsafeMutableBufferPointer<Float>) -> Bool {
        guard Self.isWhole(frames) else { return false }
        let lost = UnsafeRawBufferPointer(start: nil, count: 0)
        return (try? run(lost, frames: frames, redundancy: false, into: samples)) == frames
    }

    public func reset() {
        _ = copus_decoder_reset(decoder)
        clipState = 0
    }

    private static func isWhole(_ frames: Int) -> Bool { frames > 0 && frames <= 5_760 && frames % step == 0 }

    private func run(
        _ payload: UnsafeRawBufferPointer, frames: Int, redundancy: Bool,
        into samples: UnsafeMutableBufferPointer<Float>
    ) throws(CodecError) -> Int {
        guard let output = samples.baseAddress, samples.count >= frames else { throw .outputTooSmall(needed: frames) }
        let bytes = payload.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let written = opus_decode_float(
            decoder, bytes, Int32(payload.count), output, Int32(frames), redundancy ? 1 : 0)
        guard written >= 0 else { throw written == OPUS_INVALID_PACKET ? .malformedPayload : .library(code: written) }
        // Coded peaks may overshoot full scale; libopus's own soft clipping bends them back without a click.
        opus_pcm_soft_clip(output, written, 1, &clipState)
        return Int(written)
    }
}
