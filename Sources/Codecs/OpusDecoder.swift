import COpus

/// Opus (RFC 6716), packets of 2.5 ... 120 ms, to mono samples: libopus mixes stereo packets down to the mean of both
/// sides. Whoever asks for two channels gets them interleaved, and mono packets on both.
public final class OpusDecoder: AudioDecoder {
    /// Rates libopus decodes to, whatever the packets were made from.
    static let sampleRates = [8_000, 12_000, 16_000, 24_000, 48_000]

    public let sampleRate: Int
    public let channels: Int
    public var maximumFrames: Int { sampleRate * 3 / 25 }

    /// Concealment and redundancy come in steps of 2.5 ms.
    private var step: Int { sampleRate / 400 }

    private var active: State
    private var kept: State
    /// Its memory becomes resident when it is first needed: many calls never conceal anything.
    private var hasKept = false

    /// A decoder is one piece of memory without pointers into itself (opus.h: a shallow copy copies it).
    private struct State {
        let memory: UnsafeMutableRawPointer
        /// Of the soft clipping, for each channel.
        var clip = InlineArray<2, Float>(repeating: 0)
        var decoder: OpaquePointer { OpaquePointer(memory) }
    }

    private let stateBytes: Int

    /// - Parameters:
    ///   - sampleRate: 8 000, 12 000, 16 000, 24 000 or 48 000.
    ///   - channels: 1 or 2, whatever the packets have.
    /// - Throws: `invalidSetting`, `library` when libopus cannot start the decoder.
    public init(sampleRate: Int = 48_000, channels: Int = 1) throws(CodecError) {
        guard Self.sampleRates.contains(sampleRate) else {
            throw .invalidSetting("Opus decodes to \(Self.sampleRates) Hz, not \(sampleRate)")
        }
        guard (1...2).contains(channels) else { throw .invalidSetting("Opus decodes to 1 or 2 channels, not \(channels)") }
        stateBytes = Int(opus_decoder_get_size(Int32(channels)))
        let first = State(memory: .allocate(byteCount: stateBytes, alignment: 16))
        let status = opus_decoder_init(first.decoder, Int32(sampleRate), Int32(channels))
        guard status == OPUS_OK else {
            first.memory.deallocate()
            throw .library(code: status)
        }
        self.sampleRate = sampleRate
        self.channels = channels
        active = first
        kept = State(memory: .allocate(byteCount: stateBytes, alignment: 16))
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
        kept.memory.copyMemory(from: active.memory, byteCount: stateBytes)
        kept.clip = active.clip
        hasKept = true
    }

    public func exchangeState() {
        // What is remembered without having been told is the state at the start.
        if !hasKept { start(kept) }
        hasKept = true
        swap(&active, &kept)
    }

    private func start(_ state: State) { _ = opus_decoder_init(state.decoder, Int32(sampleRate), Int32(channels)) }

    public func reset() {
        _ = copus_decoder_reset(active.decoder)
        active.clip = InlineArray(repeating: 0)
    }

    private func isWhole(_ frames: Int) -> Bool { frames > 0 && frames <= maximumFrames && frames % step == 0 }

    private func run(
        _ payload: UnsafeRawBufferPointer, frames: Int, redundancy: Bool,
        into samples: UnsafeMutableBufferPointer<Float>
    ) throws(CodecError) -> Int {
        guard let output = samples.baseAddress, samples.count >= frames * channels else {
            throw .outputTooSmall(needed: frames * channels)
        }
        let bytes = payload.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let written = opus_decode_float(
            active.decoder, bytes, Int32(payload.count), output, Int32(frames), redundancy ? 1 : 0)
        guard written >= 0 else { throw written == OPUS_INVALID_PACKET ? .malformedPayload : .library(code: written) }
        bendPeaks(UnsafeMutableBufferPointer(rebasing: samples[..<(Int(written) * channels)]))
        return Int(written)
    }

    /// Coded peaks may overshoot full scale; libopus's own soft clipping bends them back without a click. It leaves alone what lies within,
    /// where it bends nothing of before to its end: that is nearly always so, and a look at the greatest sample costs less.
    private func bendPeaks(_ samples: UnsafeMutableBufferPointer<Float>) {
        guard active.clip[0] != 0 || active.clip[1] != 0 || !Self.isWithinFullScale(samples) else { return }
        withUnsafeMutablePointer(to: &active.clip) {
            $0.withMemoryRebound(to: Float.self, capacity: 2) {
                opus_pcm_soft_clip(samples.baseAddress, Int32(samples.count / channels), Int32(channels), $0)
            }
        }
    }

    /// Bits without the sign grow with the magnitude, and their greatest is found with vectors; of what is no number they are greater.
    private static func isWithinFullScale(_ samples: UnsafeMutableBufferPointer<Float>) -> Bool {
        var greatest: UInt32 = 0
        for sample in samples { greatest = max(greatest, sample.bitPattern & 0x7fff_ffff) }
        return greatest <= Float(1).bitPattern
    }
}
