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

    /// A quarter of the 16-bit range's resolution (mu-law) or a sixteenth (A-law) decides the code, so that 16 384
    /// entries serve both laws.
    private let codes: [UInt8]

    /// - `frameLength`: samples a packet, at 8 kHz.
    public init(_ law: G711.Law, frameLength: Int) {
        self.frameLength = frameLength
        codes = (0..<16_384).map { G711.compress(Int16(($0 - 8_192) << 2), law) }
    }

    public func encode(
        _ frame: UnsafeBufferPointer<Float>, into payload: UnsafeMutableRawBufferPointer
    ) throws(CodecError) -> Int {
        guard frame.count == frameLength else { throw .wrongFrameLength(expected: frameLength) }
        guard payload.count >= frameLength else { throw .outputTooSmall(needed: frameLength) }
        for index in 0..<frameLength {
            let sample = SampleConversion.toInt16(frame[index])
            payload[index] = codes[Int(sample) >> 2 &+ 8_192]
        }
        return frameLength
    }
}

/// PCMU or PCMA to mono samples at 8 kHz; any length up to 200 ms. G.711 has no state and no concealment of its own.
public final class G711Decoder: AudioDecoder {
    public let sampleRate = 8_000
    public let maximumFrames = 1_600

    private let samplesOfCode: [Float]

    public init(_ law: G711.Law) {
        samplesOfCode = (0...255).map { SampleConversion.toFloat(G711.expand(UInt8($0), law)) }
    }

    public func duration(of payload: UnsafeRawBufferPointer) -> Int? {
        (1...maximumFrames).contains(payload.count) ? payload.count : nil
    }

    public func decode(
        _ payload: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Float>
    ) throws(CodecError) -> Int {
        guard let frames = duration(of: payload) else { throw .malformedPayload }
        guard samples.count >= frames else { throw .outputTooSmall(needed: frames) }
        for index in 0..<frames { samples[index] = samplesOfCode[Int(payload[index])] }
        return frames
    }
}
