import DSP

extension Codec {
    /// 16-bit linear PCM in network byte order (RFC 3551 section 4.5.11), mono. Nobody has published constants of the
    /// E-model for it.
    public static let l16 = Codec(
        name: "l16", encodingName: "L16", clock: .sampleRate, sampleRate: 16_000,
        // Multiples of 100 Hz keep every 10 ms frame a whole number of samples.
        sampleRates: .range(8_000...48_000, step: 100), payloadType: .dynamic(112), bitrate: .bitsPerSample(16),
        impairment: nil,
        encoder: { (settings, rate) throws(CodecError) in
            L16Encoder(sampleRate: rate, frameLength: rate * settings.frameMilliseconds / 1000)
        },
        decoder: { (rate) throws(CodecError) in L16Decoder(sampleRate: rate) })
}

/// L16 (RFC 3551 section 4.5.11) from mono samples: 16 bits in network byte order.
public final class L16Encoder: AudioEncoder {
    public let sampleRate: Int
    public let frameLength: Int
    public let lookaheadSamples = 0
    public var maximumPayloadBytes: Int { 2 * frameLength }
    public var hasMemory: Bool { false }

    /// - `frameLength`: samples a packet.
    public init(sampleRate: Int, frameLength: Int) {
        self.sampleRate = sampleRate
        self.frameLength = frameLength
    }

    public func encode(
        _ frame: UnsafeBufferPointer<Float>, into payload: UnsafeMutableRawBufferPointer
    ) throws(CodecError) -> Int {
        guard frame.count == frameLength else { throw .wrongFrameLength(expected: frameLength) }
        guard payload.count >= maximumPayloadBytes else { throw .outputTooSmall(needed: maximumPayloadBytes) }
        for index in 0..<frameLength {
            let value = SampleConversion.toInt16(frame[index])
            payload.storeBytes(of: value.bigEndian, toByteOffset: 2 * index, as: Int16.self)
        }
        return maximumPayloadBytes
    }
}

/// L16 to mono samples; any whole number of samples up to 200 ms. Above 16 kHz a datagram holds less: at 48 kHz some 66 ms.
public final class L16Decoder: AudioDecoder {
    public let sampleRate: Int
    public var maximumFrames: Int { sampleRate / 5 }

    public init(sampleRate: Int) { self.sampleRate = sampleRate }

    public func duration(of payload: UnsafeRawBufferPointer) -> Int? {
        guard payload.count % 2 == 0, (1...maximumFrames).contains(payload.count / 2) else { return nil }
        return payload.count / 2
    }

    public func decode(
        _ payload: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Float>
    ) throws(CodecError) -> Int {
        guard let frames = duration(of: payload) else { throw .malformedPayload }
        guard samples.count >= frames else { throw .outputTooSmall(needed: frames) }
        for index in 0..<frames {
            let value = payload.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self)
            samples[index] = SampleConversion.toFloat(Int16(bigEndian: value))
        }
        return frames
    }
}
