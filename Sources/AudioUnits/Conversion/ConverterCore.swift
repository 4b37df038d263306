/// A converter's memory and work between two formats.
///
/// Sendable: only its converter uses it, under a lock.
final class ConverterCore: @unchecked Sendable {
    let input: StreamFormat
    let output: StreamFormat
    /// The most input frames of one call.
    let maximumFrames: Int
    private let storage: PlanarConverterStorage
    private let converter: PlanarConverter
    private let inputPlanes: Planes
    private let outputPlanes: Planes
    private let isCopy: Bool

    init(
        from input: StreamFormat, to output: StreamFormat, maximumFrames: Int, quality: Int
    ) throws(AudioUnitError) {
        self.input = input
        self.output = output
        self.maximumFrames = maximumFrames
        // With one channel the layout makes no difference.
        isCopy =
            input.sampleRate == output.sampleRate && input.channels == output.channels
            && input.sampleType == output.sampleType
            && (input.interleaved == output.interleaved || input.channels == 1)
        let capacity = Int(Double(maximumFrames) * output.sampleRate / input.sampleRate) + 16
        storage = try PlanarConverterStorage(
            inputChannels: input.channels, inputRate: input.sampleRate, outputChannels: output.channels,
            outputRate: output.sampleRate, maximumFrames: max(maximumFrames, capacity), quality: quality)
        converter = storage.converter
        inputPlanes = Planes(channels: input.channels, stride: maximumFrames)
        outputPlanes = Planes(channels: output.channels, stride: capacity)
    }

    deinit {
        inputPlanes.free()
        outputPlanes.free()
    }

    var latencyFrames: Int { converter.latencyFrames }
    var latencySeconds: Double { converter.latencySeconds }

    func reset() { storage.reset() }

    /// `frames` is at most the maximum; `capacity` is the room of `target` in frames.
    func convert(
        _ source: UnsafeRawPointer, frames: Int, into target: UnsafeMutableRawPointer, capacity: Int
    ) -> (consumed: Int, produced: Int) {
        let sourceStride = frames &* input.sampleType.bytes
        let targetStride = capacity &* output.sampleType.bytes
        if isCopy {
            let count = min(frames, capacity)
            if output.interleaved || output.channels == 1 {
                target.copyMemory(from: source, byteCount: output.byteCount(frames: count))
            } else {
                for channel in 0..<output.channels {
                    (target + channel &* targetStride).copyMemory(
                        from: source + channel &* sourceStride, byteCount: count &* output.sampleType.bytes)
                }
            }
            return (count, count)
        }
        SampleCoder.unpack(
            source, format: input, channelByteStride: sourceStride, frames: frames, into: inputPlanes.base,
            stride: inputPlanes.stride)
        let result = converter.process(
            inputPlanes.base, stride: inputPlanes.stride, frames: frames, into: outputPlanes.base,
            stride: outputPlanes.stride, capacity: min(capacity, outputPlanes.stride))
        SampleCoder.pack(
            outputPlanes.base, stride: outputPlanes.stride, frames: result.produced, into: target, format: output,
            channelByteStride: targetStride)
        return result
    }
}
