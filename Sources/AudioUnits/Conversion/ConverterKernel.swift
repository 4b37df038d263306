/// A converter in a graph: its input slot has brought rate and channels to the output's; what is left is sample type and
/// layout.
struct ConverterKernel: ~Copyable {
    private let planes: Planes
    private let isPlain: Bool

    init(_ layout: UnitLayout) {
        let output = layout.output
        isPlain = output.sampleType.isFloat && (!output.interleaved || output.channels == 1)
        planes = Planes(channels: output.channels, stride: isPlain ? 1 : layout.maximumFrames)
    }

    deinit { planes.free() }

    @_noLocks
    func render(_ slice: inout RenderSlice, _ inputs: UnitInputs) {
        let stride = slice.channelByteStride / MemoryLayout<Float>.stride
        let sounds = inputs.pull(
            0, into: isPlain ? slice.buffer : planes.base, channelStride: isPlain ? stride : planes.stride,
            frames: slice.frames, time: slice.time)
        guard sounds else {
            slice.outputIsSilence = true
            return
        }
        guard !isPlain else { return }
        SampleCoder.pack(
            planes.base, stride: planes.stride, frames: slice.frames, into: slice.data, format: slice.format,
            channelByteStride: slice.channelByteStride)
    }
}
