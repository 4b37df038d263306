import DSP

extension Codec {
    /// G.711 mu-law (RFC 3551 section 4.5.14).
    public static let pcmu = g711(.mu, name: "pcmu", payloadType: 0)
    /// G.711 A-law (RFC 3551 section 4.5.14).
    public static let pcma = g711(.a, name: "pcma", payloadType: 8)

    private static func g711(_ law: G711.Law, name: String, payloadType: UInt8) -> Codec {
        Codec(
            name: name, encodingName: name.uppercased(), clock: .fixed(8_000), sampleRate: 8_000,
            payloadType: .static(payloadType), bitrate: .bitsPerSample(8),
            // With loss concealment: G.113 Appendix I.
            impairment: Impairment(equipment: 0, lossRobustness: 25.1),
            encoder: { (settings, rate) throws(CodecError) in
                G711Encoder(law, frameLength: rate / 1000 * settings.frameMilliseconds)
            },
            decoder: { (_) throws(CodecError) in G711Decoder(law) })
    }
}

/// PCMU or PCMA from mono samples at 8 kHz.
public final class G711Encoder: AudioEncoder {
    public let sampleRate = 8_000
    public let frameLength: Int
    public let lookaheadSamples = 0
    public var maximumPayloadBytes: Int { frameLength }
    public var hasMemory: Bool { false }

    private let codes: UnsafePointer<UInt8>

    /// - `frameLength`: samples a packet, at 8 kHz.
    public init(_ law: G711.Law, frameLength: Int) {
        self.frameLength = frameLength
        codes = G711Tables.of(law).codes
    }

    public func encode(
        _ frame: UnsafeBufferPointer<Float>, into payload: UnsafeMutableRawBufferPointer
    ) throws(CodecError) -> Int {
        guard frame.count == frameLength else { throw .wrongFrameLength(expected: frameLength) }
        guard payload.count >= frameLength else { throw .outputTooSmall(needed: frameLength) }
        guard let input = frame.baseAddress, let output = payload.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
            return 0
        }
        var index = 0
        while index + 8 <= frameLength {
            encodeEight(UnsafeRawPointer(input + index), into: output + index)
            index += 8
        }
        while index < frameLength {
            output[index] = codes[Int(SampleConversion.toInt16(input[index])) >> 2 &+ 8_192]
            index += 1
        }
        return frameLength
    }

    /// As `SampleConversion.toInt16`, eight at once; the table's place is the upper 14 bits of the sample above the least one.
    private func encodeEight(_ input: UnsafeRawPointer, into output: UnsafeMutablePointer<UInt8>) {
        let scaled = input.loadUnaligned(as: SIMD8<Float>.self) * 32_768
        let raised = scaled.replacing(with: -32_768, where: scaled .< -32_768)
        let clipped = raised.replacing(with: 32_767, where: raised .> 32_767)
        let bits = unsafeBitCast(clipped + 12_582_912, to: SIMD8<UInt32>.self)
        let places = ((bits & 0xffff) ^ 0x8000) &>> 2
        for lane in 0..<8 { output[lane] = codes[Int(places[lane])] }
    }
}

/// PCMU or PCMA to mono samples at 8 kHz; any length up to 200 ms. G.711 has no state and no concealment of its own.
public final class G711Decoder: AudioDecoder {
    public let sampleRate = 8_000
    public let maximumFrames = 1_600
    public var longestPayloadBytes: Int? { maximumFrames }

    private let samplesOfCode: UnsafePointer<Float>

    public init(_ law: G711.Law) {
        samplesOfCode = G711Tables.of(law).samples
    }

    public func duration(of payload: UnsafeRawBufferPointer) -> Int? {
        (1...maximumFrames).contains(payload.count) ? payload.count : nil
    }

    public func decode(
        _ payload: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Float>
    ) throws(CodecError) -> Int {
        guard let frames = duration(of: payload) else { throw .malformedPayload }
        guard samples.count >= frames else { throw .outputTooSmall(needed: frames) }
        guard let input = payload.baseAddress, let output = samples.baseAddress else { return 0 }
        for index in 0..<frames {
            output[index] = samplesOfCode[Int(input.load(fromByteOffset: index, as: UInt8.self))]
        }
        return frames
    }
}

/// What all coders of one law look up: laid out at the first, and never let go.
///
/// Sendable: the tables are written before anybody has their addresses, then only read.
private struct G711Tables: @unchecked Sendable {
    /// The code of each 16-bit sample without its last two bits, from the least on: a quarter of the range's resolution (mu-law)
    /// or a sixteenth (A-law) decides the code, so that 16 384 entries serve both laws.
    let codes: UnsafePointer<UInt8>
    /// The sample of each code.
    let samples: UnsafePointer<Float>

    private init(_ law: G711.Law) {
        let codes = UnsafeMutablePointer<UInt8>.allocate(capacity: 16_384)
        for index in 0..<16_384 { (codes + index).initialize(to: G711.compress(Int16((index - 8_192) << 2), law)) }
        let samples = UnsafeMutablePointer<Float>.allocate(capacity: 256)
        for code in 0..<256 {
            (samples + code).initialize(to: SampleConversion.toFloat(G711.expand(UInt8(code), law)))
        }
        self.codes = UnsafePointer(codes)
        self.samples = UnsafePointer(samples)
    }

    private static let mu = G711Tables(.mu)
    private static let a = G711Tables(.a)

    static func of(_ law: G711.Law) -> G711Tables {
        switch law {
        case .mu: mu
        case .a: a
        }
    }
}
