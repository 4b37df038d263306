import COpus

/// Opus (RFC 6716) from mono samples. Variable bit rate; encoding works on the stack only.
public final class OpusEncoder: AudioEncoder {
    public let sampleRate: Int
    public let frameLength: Int
    public let lookaheadSamples: Int
    /// A frame never exceeds 1275 bytes (RFC 6716 section 3.2.1); 60 ms are up to three frames and their framing.
    public let maximumPayloadBytes = 3 * 1275 + 8

    private let encoder: OpaquePointer
    private var complexity: Int
    private let dtx: Bool
    private var isPausing = false
    /// Without DTX, which has packets of its own for silence.
    private var resting = RestingPacket()
    private var bitrate: Int
    private var expectedLossPercent: Int

    /// - `sampleRate`: 8 000, 12 000, 16 000, 24 000 or 48 000.
    /// - Throws: `invalidSetting` for a value out of range, `library` when libopus cannot allocate the encoder.
    public init(settings: EncoderSettings, sampleRate: Int = 48_000) throws(CodecError) {
        try Self.check(settings, sampleRate: sampleRate)
        let application =
            switch settings.application {
            case .voip: OPUS_APPLICATION_VOIP
            case .lowDelay: OPUS_APPLICATION_RESTRICTED_LOWDELAY
            case .audio: OPUS_APPLICATION_AUDIO
            }
        var status: Int32 = 0
        guard let encoder = opus_encoder_create(Int32(sampleRate), 1, application, &status) else {
            throw .library(code: status)
        }
        var lookahead: Int32 = 0
        var failure: Int32?
        let hint = Self.lossHint(
            settings.expectedLossPercent, bitrate: settings.bitrate, complexity: settings.complexity,
            sampleRate: sampleRate)
        for (request, value) in [
            (OPUS_SET_BITRATE_REQUEST, settings.bitrate), (OPUS_SET_COMPLEXITY_REQUEST, settings.complexity),
            (OPUS_SET_INBAND_FEC_REQUEST, settings.inbandFEC ? 1 : 0),
            (OPUS_SET_PACKET_LOSS_PERC_REQUEST, hint),
            (OPUS_SET_DTX_REQUEST, settings.dtx ? 1 : 0),
        ] where failure == nil {
            let code = copus_encoder_set(encoder, request, Int32(value))
            if code != OPUS_OK { failure = code }
        }
        let code = copus_encoder_get(encoder, OPUS_GET_LOOKAHEAD_REQUEST, &lookahead)
        if let code = failure ?? (code == OPUS_OK ? nil : code) {
            opus_encoder_destroy(encoder)
            throw .library(code: code)
        }
        self.encoder = encoder
        complexity = settings.complexity
        dtx = settings.dtx
        bitrate = settings.bitrate
        expectedLossPercent = settings.expectedLossPercent
        self.sampleRate = sampleRate
        lookaheadSamples = Int(lookahead)
        frameLength = sampleRate / 1000 * settings.frameMilliseconds
    }

    deinit { opus_encoder_destroy(encoder) }

    public func encode(
        _ frame: UnsafeBufferPointer<Float>, into payload: UnsafeMutableRawBufferPointer
    ) throws(CodecError) -> Int {
        guard frame.count == frameLength, let samples = frame.baseAddress else {
            throw .wrongFrameLength(expected: frameLength)
        }
        guard let bytes = payload.baseAddress?.assumingMemoryBound(to: UInt8.self), !payload.isEmpty else {
            throw .outputTooSmall(needed: maximumPayloadBytes)
        }
        let isSilent = !dtx && RestingPacket.isSilent(frame)
        if isSilent, let length = resting.copy(into: payload) { return length }
        // libopus takes the room it is given as a cap on the packet's size.
        let room = Int32(min(payload.count, maximumPayloadBytes))
        let length = opus_encode_float(encoder, samples, Int32(frameLength), bytes, room)
        if length > 0 {
            if isSilent { resting.note(UnsafeRawBufferPointer(rebasing: payload[..<Int(length)])) } else { resting.removeAll() }
            return isSuperfluous(bytes: Int(length)) ? 0 : Int(length)
        }
        throw length == OPUS_BUFFER_TOO_SMALL ? .outputTooSmall(needed: maximumPayloadBytes) : .library(code: length)
    }

    /// A packet of one or two bytes says that a pause goes on (opus_encoder.h); the first tells the decoder that it begins.
    private func isSuperfluous(bytes: Int) -> Bool {
        let wasPausing = isPausing
        isPausing = dtx && bytes <= 2
        return wasPausing && isPausing
    }

    public func setExpectedLoss(percent: Int) {
        let hint = Self.lossHint(percent, bitrate: bitrate, complexity: complexity, sampleRate: sampleRate)
        _ = copus_encoder_set(encoder, OPUS_SET_PACKET_LOSS_PERC_REQUEST, Int32(hint))
        expectedLossPercent = percent
        resting.removeAll()
    }

    /// What libopus is told. Up to 5 % it drops redundancy rather than give up audio bandwidth for it, where the bit rate
    /// does not pay for both; a caller who expects any loss wants the copies.
    ///
    /// libopus (`decide_fec`) compares the bit rate, less what the complexity and the redundancy itself take from it, with
    /// what redundancy costs at an audio bandwidth; here the widest that the sample rate has, as if redundancy were off.
    private static func lossHint(_ percent: Int, bitrate: Int, complexity: Int, sampleRate: Int) -> Int {
        guard (1...5).contains(percent) else { return min(max(percent, 0), 100) }
        let loss = Double(percent)
        let left = Double(bitrate) * Double(90 + complexity) / 100 * (1 - loss / (6 * loss + 10))
        let threshold = sampleRate > 24_000 ? 23_000.0 : sampleRate > 16_000 ? 21_000 : 17_000
        return left > threshold * (125 - loss) / 100 ? percent : 6
    }

    public func setBitrate(_ bitsPerSecond: Int) {
        bitrate = min(max(bitsPerSecond, 6_000), 510_000)
        _ = copus_encoder_set(encoder, OPUS_SET_BITRATE_REQUEST, Int32(bitrate))
        setExpectedLoss(percent: expectedLossPercent)
    }

    public func setComplexity(_ complexity: Int) {
        self.complexity = min(max(complexity, 0), 10)
        _ = copus_encoder_set(encoder, OPUS_SET_COMPLEXITY_REQUEST, Int32(self.complexity))
        setExpectedLoss(percent: expectedLossPercent)
    }

    /// libopus keeps all that an encoder is in one piece of memory that may be copied (opus.h).
    public func goOn(from other: any AudioEncoder) -> Bool {
        guard let other = other as? OpusEncoder, other !== self, other.sampleRate == sampleRate else { return false }
        let size = Int(opus_encoder_get_size(1))
        UnsafeMutableRawPointer(encoder).copyMemory(from: UnsafeRawPointer(other.encoder), byteCount: size)
        (isPausing, bitrate, complexity) = (other.isPausing, other.bitrate, other.complexity)
        expectedLossPercent = other.expectedLossPercent
        resting = other.resting
        return true
    }

    private static func check(_ settings: EncoderSettings, sampleRate: Int) throws(CodecError) {
        guard OpusDecoder.sampleRates.contains(sampleRate) else {
            throw .invalidSetting("Opus encodes from \(OpusDecoder.sampleRates) Hz, not \(sampleRate)")
        }
        guard Codec.opus.sendableFrameMilliseconds.contains(settings.frameMilliseconds) else {
            throw .invalidSetting("Opus packets are 10, 20, 40 or 60 ms, not \(settings.frameMilliseconds)")
        }
        guard (6_000...510_000).contains(settings.bitrate) else {
            throw .invalidSetting("Opus's bit rate is 6000 to 510000 bit/s, not \(settings.bitrate)")
        }
        guard (0...10).contains(settings.complexity) else {
            throw .invalidSetting("Opus's complexity is 0 to 10, not \(settings.complexity)")
        }
        guard (0...100).contains(settings.expectedLossPercent) else {
            throw .invalidSetting("the expected loss is 0 to 100 percent, not \(settings.expectedLossPercent)")
        }
    }
}
