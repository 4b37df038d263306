/// Stands for the decoder of a stream that nobody listens to: knows how long each packet lasts, and makes silence of it.
package final class UnheardDecoder: AudioDecoder {
    private let codec: any AudioDecoder

    /// - Parameter codec: whose packets they are; it never decodes one.
    package init(of codec: any AudioDecoder) { self.codec = codec }

    package var sampleRate: Int { codec.sampleRate }
    package var channels: Int { codec.channels }
    package var maximumFrames: Int { codec.maximumFrames }
    package var longestPayloadBytes: Int? { codec.longestPayloadBytes }

    package func duration(of payload: UnsafeRawBufferPointer) -> Int? { codec.duration(of: payload) }

    package func decode(
        _ payload: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Float>
    ) throws(CodecError) -> Int {
        guard let frames = codec.duration(of: payload) else { throw .malformedPayload }
        guard samples.count >= frames * channels else { throw .outputTooSmall(needed: frames * channels) }
        samples[..<(frames * channels)].update(repeating: 0)
        return frames
    }
}
