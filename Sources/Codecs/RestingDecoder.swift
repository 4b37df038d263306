/// Whether the decoders of a stream work or rest. One thread's.
package final class DecodingSwitch {
    /// Off: packets become silence of their length.
    package var isOn = true

    package init() {}
}

/// A decoder that rests while its stream is not heard, and goes on where it was.
package final class RestingDecoder: AudioDecoder {
    private let codec: any AudioDecoder
    private let unheard: UnheardDecoder
    private let decoding: DecodingSwitch

    /// - Parameters:
    ///   - codec: what decodes.
    ///   - decoding: whether it does.
    package init(_ codec: any AudioDecoder, _ decoding: DecodingSwitch) {
        (self.codec, self.decoding) = (codec, decoding)
        unheard = UnheardDecoder(of: codec)
    }

    package var sampleRate: Int { codec.sampleRate }
    package var channels: Int { codec.channels }
    package var maximumFrames: Int { codec.maximumFrames }
    package var longestPayloadBytes: Int? { codec.longestPayloadBytes }
    package var concealsItself: Bool { codec.concealsItself }

    package func duration(of payload: UnsafeRawBufferPointer) -> Int? { codec.duration(of: payload) }

    package func decode(
        _ payload: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Float>
    ) throws(CodecError) -> Int {
        try decoding.isOn ? codec.decode(payload, into: samples) : unheard.decode(payload, into: samples)
    }

    package func carriesFEC(_ payload: UnsafeRawBufferPointer) -> Bool { decoding.isOn && codec.carriesFEC(payload) }

    package func decodeFEC(
        _ payload: UnsafeRawBufferPointer, frames: Int, into samples: UnsafeMutableBufferPointer<Float>
    ) throws(CodecError) -> Int {
        try decoding.isOn
            ? codec.decodeFEC(payload, frames: frames, into: samples)
            : unheard.decodeFEC(payload, frames: frames, into: samples)
    }

    package func conceal(frames: Int, into samples: UnsafeMutableBufferPointer<Float>) -> Bool {
        decoding.isOn ? codec.conceal(frames: frames, into: samples) : false
    }

    package func keepState() { codec.keepState() }
    package func exchangeState() { codec.exchangeState() }
    package func reset() { codec.reset() }
}
