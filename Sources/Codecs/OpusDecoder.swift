import COpus

/// Opus (RFC 6716) to mono samples, packets of 2.5 ... 120 ms; stereo packets are mixed down by libopus.
public final class OpusDecoder: AudioDecoder {
    /// Rates libopus decodes to, whatever the packets were made from.
    static let sampleRates = [8_000, 12_000, 16_000, 24_000, 48_000]

    public let sampleRate: Int
    public var maximumFrames: Int { sampleRate * 3 / 25 }

    /// Concealment and redundancy come in steps of 2.5 ms.
    private var step: Int { sampleRate / 400 }

    private var active: State
    private var kept: State

    /// A decoder is one piece of memory without pointers into itself (opus.h: a shallow copy copies it).
    private struct State {
        let memory: UnsafeMutableRawPointer
        var clip: Float = 0
        var decoder: OpaquePointer { OpaquePointer(memory) }
    }

    private static var stateBytes: Int { Int(opus_decoder_get_size(1)) }

    /// - Parameter sampleRate: 8 000, 12 000, 16 000, 24 000 or 48 000.
    /// - Throws: `invalidSetting`, `library` when libopus cannot start the decoder.
    public init(sampleRate: Int = 48_000) throws(CodecError) {
        guard Self.sampleRates.contains(sampleRate) else {
            throw .invalidSetting("Opus decodes to \(Self.sampleRates) Hz, not \(sampleRate)")
        }
        let first = State(memory: .allocate(byteCount: Self.stateBytes, alignment: 16))
        let status = opus_decoder_init(first.decoder, Int32(sampleRate), 1)
        guard status == OPUS_OK else {
            first.memory.deallocate()
            throw .library(code: status)
        }
        self.sampleRate = sampleRate
        active = first
        kept = State(memory: .allocate(byteCount: Self.stateBytes, alignment: 16))
        kept.memory.copyMemory(from: first.memory, byteCount: Self.stateBytes)
    }

    deinit {
        active.memory.deallocate()
        kept.memory.deallocate()
    }

    public func duration(of payload: UnsafeRawBufferPointer) -> Int? {
        OpusPacket(payload).map { $0.duration * sampleRate / 48_000 }
    }

    public func decode(
        _ payload: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Float>
    ) throws(CodecError) -> Int {
        // libopus takes an empty payload for a lost one; here it is malformed like any other.
        guard let frames = duration(of: payload) else { throw .malformedPayload }
        return try run(payload, frames: frames, redundancy: false, into: samples)
    }

    public func carriesFEC(_ payload: UnsafeRawBufferPointer) -> Bool {
        OpusPacket(payload)?.carriesRedundancy ?? false
    }

    public func decodeFEC(
        _ payload: UnsafeRawBufferPointer, frames: Int, into samples: UnsafeMutableBufferPointer<Float>
    ) throws(CodecError) -> Int {
        guard carriesFEC(payload) else { throw .malformedPayload }
        guard isWhole(frames) else { throw .wrongFrameLength(expected: step) }
        return try run(payload, frames: frames, redundancy: true, into: samples)
    }

    public let concealsItself = true

    public func conceal(frames: Int, into samples: UnsafeMutableBufferPointer<Float>) -> Bool {
        guard isWhole(frames) else { return false }
        let lost = UnsafeRawBufferPointer(start: nil, count: 0)
        return (try? run(lost, frames: frames, redundancy: false, into: samples)) == frames
    }

    public func keepState() {
        kept.memory.copyMemory(from: active.memory, byteCount: Self.stateBytes)
        kept.clip = active.clip
    }

    public func exchangeState() { swap(&active, &kept) }

    public func reset() {
        _ = copus_decoder_reset(active.decoder)
        active.clip = 0
    }

    private func isWhole(_ frames: Int) -> Bool { frames > 0 && frames <= maximumFrames && frames % step == 0 }

    private func run(
        _ payload: UnsafeRawBufferPointer, frames: Int, redundancy: Bool,
        into samples: UnsafeMutableBufferPointer<Float>
    ) throws(CodecError) -> Int {
        guard let output = samples.baseAddress, samples.count >= frames else { throw .outputTooSmall(needed: frames) }
        let bytes = payload.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let written = opus_decode_float(
            active.decoder, bytes, Int32(payload.count), output, Int32(frames), redundancy ? 1 : 0)
        guard written >= 0 else { throw written == OPUS_INVALID_PACKET ? .malformedPayload : .library(code: written) }
        // Coded peaks may overshoot full scale; libopus's own soft clipping bends them back without a click.
        opus_pcm_soft_clip(output, written, 1, &active.clip)
        return Int(written)
    }
}
