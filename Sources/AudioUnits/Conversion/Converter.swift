import Realtime

/// Converts any linear PCM format to any other: sample type, layout, rate (SpeexDSP's resampler) and channels.
///
/// - Sample types meet in Float32: 24 bits of precision, saturating at full scale; what is not a number becomes 0.
/// - Channels: as many as before, unchanged. Fewer (n to m): output j is the average of the inputs i with i mod m = j.
///   One to more: the first two outputs carry it. Some to more: input i goes to output i. Other outputs are silent.
/// - When nothing has to change it is a plain copy, bit for bit.
///
/// In a graph it converts what feeds it to its output format, whatever that is; on its own `convert` does so on buffers of
/// the application's. Default formats: 48,000 Hz, Float32, mono on both scopes of element 0. Calls to `convert` must not
/// overlap.
///
/// Sendable: its core is behind a lock.
public final class Converter: ProcessingUnit, @unchecked Sendable {
    /// Frames of each side that one call used.
    public struct Progress: Sendable, Equatable {
        /// Input frames taken; give the rest again.
        public var consumed: Int
        /// Output frames written.
        public var produced: Int

        public init(consumed: Int, produced: Int) {
            self.consumed = consumed
            self.produced = produced
        }
    }

    private let core = Lock<ConverterCore?>(nil)

    public init() {
        super.init(shape: UnitShape(component: .converter, formats: .convertsToOutput, fillsAnyType: true))
    }

    /// A converter ready for use.
    public convenience init(
        from input: StreamFormat, to output: StreamFormat, quality: Int = 5, maximumFramesPerSlice: Int = 1024
    ) throws(AudioUnitError) {
        self.init()
        try setFormat(input, scope: .input, element: 0)
        try setFormat(output, scope: .output, element: 0)
        try setQuality(quality)
        try setMaximumFramesPerSlice(maximumFramesPerSlice)
        try initialize()
    }

    /// Quality of the resampler, 0 (fast) ... 10 (best), 5 by default; before `initialize()`.
    public func setQuality(_ quality: Int) throws(AudioUnitError) { try setConversionQuality(quality) }

    /// Delay of the resampler, in frames of the output; 0 before `initialize()` and at equal rates.
    public var latencyFrames: Int { core.withLock { $0?.latencyFrames ?? 0 } }

    /// Converts `frames` frames of `input` into as many as `output` has room for.
    ///
    /// Channels that are not interleaved follow each other: in `input` `frames` samples each, in `output` as many as
    /// its size holds a channel. All input is taken unless the output is full.
    public func convert(
        _ input: UnsafeRawBufferPointer, frames: Int, into output: UnsafeMutableRawBufferPointer
    ) throws(AudioUnitError) -> Progress {
        guard state != .disposed else { throw .disposed }
        let result: Result<Progress, AudioUnitError> = core.withLock { core in
            guard let core else { return .failure(.notInitialized) }
            guard (0...core.maximumFrames).contains(frames) else {
                return .failure(.tooManyFrames(asked: frames, maximum: core.maximumFrames))
            }
            let needed = core.input.byteCount(frames: frames)
            guard input.count >= needed else {
                return .failure(.bufferTooSmall(bytes: input.count, needed: needed))
            }
            let capacity = output.count / core.output.byteCount(frames: 1)
            guard frames > 0, capacity > 0, let source = input.baseAddress, let target = output.baseAddress else {
                return .success(Progress(consumed: 0, produced: 0))
            }
            let (consumed, produced) = core.convert(source, frames: frames, into: target, capacity: capacity)
            return .success(Progress(consumed: consumed, produced: produced))
        }
        return try result.get()
    }

    /// Forgets the audio inside, as after a jump in the input.
    public func reset() { core.withLock { $0?.reset() } }

    public override func makeKernel(_ layout: UnitLayout) throws(AudioUnitError) -> RenderKernel {
        let made = try ConverterCore(
            from: layout.sources[0], to: layout.output, maximumFrames: layout.maximumFrames, quality: layout.quality)
        core.withLock { $0 = made }
        // The input slot's resampler has the same rates and quality, and so the same delay.
        return RenderKernel(ConverterKernel(layout), latencySeconds: made.latencySeconds) { context, slice, inputs in
            context.assumingMemoryBound(to: ConverterKernel.self).pointee.render(
                &slice.assumingMemoryBound(to: RenderSlice.self).pointee,
                inputs.assumingMemoryBound(to: UnitInputs.self).pointee)
        }
    }

    public override func kernelEnded() { core.withLock { $0 = nil } }
}
