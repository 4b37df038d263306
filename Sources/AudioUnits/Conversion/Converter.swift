import Realtime

/// Converts any linear PCM format to any other: sample type, layout, rate (SpeexDSP's resampler) and channels.
///
/// - Sample types meet in Float32: 24 bits of precision, saturating at full scale; what is not a number becomes 0.
/// - Channels: as many as before, unchanged. Fewer (n to m): output j is the average of the inputs i with i mod m = j.
///   One to more: the first two outputs carry it. Some to more: input i goes to output i. Other outputs are silent.
/// - When nothing has to change it is a plain copy, bit for bit.
///
/// Default formats: 48,000 Hz, Float32, mono on both scopes of element 0. Calls to `convert` must not overlap.
public final class Converter: AudioUnit {
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

    private struct Control: @unchecked Sendable {
        var state = UnitState.uninitialized
        var input = StreamFormat(sampleRate: 48_000)
        var output = StreamFormat(sampleRate: 48_000)
        var maximumSlice = 1024
        var quality = 5
        var core: ConverterCore?
    }

    private let control = Lock(Control())

    public init() {}

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

    public var component: AudioComponentDescription { .converter }
    public var state: UnitState { control.withLock { $0.state } }
    public var maximumFramesPerSlice: Int { control.withLock { $0.maximumSlice } }

    public func setMaximumFramesPerSlice(_ frames: Int) throws(AudioUnitError) {
        guard (1...65_536).contains(frames) else {
            throw .outOfRange(setting: "maximum frames per slice", allowed: "1 to 65536")
        }
        try configure("maximum frames per slice") { $0.maximumSlice = frames }
    }

    /// Quality of the resampler, 0 (fast) ... 10 (best), 5 by default; before `initialize()`.
    public func setQuality(_ quality: Int) throws(AudioUnitError) {
        guard (0...10).contains(quality) else { throw .outOfRange(setting: "quality", allowed: "0 to 10") }
        try configure("quality") { $0.quality = quality }
    }

    public func setFormat(_ format: StreamFormat, scope: Scope, element: Int) throws(AudioUnitError) {
        guard element == 0 else { throw .noSuchElement(element) }
        try format.validate()
        try configure("stream format") {
            if scope == .input { $0.input = format } else { $0.output = format }
        }
    }

    public func format(scope: Scope, element: Int) throws(AudioUnitError) -> StreamFormat {
        guard element == 0 else { throw .noSuchElement(element) }
        guard state != .disposed else { throw .disposed }
        return control.withLock { scope == .input ? $0.input : $0.output }
    }

    /// Delay of the resampler, in frames of the output; 0 before `initialize()` and at equal rates.
    public var latencyFrames: Int { control.withLock { $0.core?.latencyFrames ?? 0 } }

    public func initialize() throws(AudioUnitError) {
        let failure: AudioUnitError? = control.withLock { control in
            switch control.state {
            case .disposed: return .disposed
            case .initialized, .running: return .initialized(setting: "initialize")
            case .uninitialized: break
            }
            do throws(AudioUnitError) {
                control.core = try ConverterCore(
                    from: control.input, to: control.output, maximumFrames: control.maximumSlice,
                    quality: control.quality)
            } catch {
                return error
            }
            control.state = .initialized
            return nil
        }
        if let failure { throw failure }
    }

    /// Converts `frames` frames of `input` into as many as `output` has room for.
    ///
    /// Channels that are not interleaved follow each other: in `input` `frames` samples each, in `output` as many as
    /// its size holds a channel. All input is taken unless the output is full.
    public func convert(
        _ input: UnsafeRawBufferPointer, frames: Int, into output: UnsafeMutableRawBufferPointer
    ) throws(AudioUnitError) -> Progress {
        let result: Result<Progress, AudioUnitError> = control.withLock { control in
            guard control.state != .disposed else { return .failure(.disposed) }
            guard let core = control.core else { return .failure(.notInitialized) }
            guard (0...control.maximumSlice).contains(frames) else {
                return .failure(.tooManyFrames(asked: frames, maximum: control.maximumSlice))
            }
            let needed = control.input.byteCount(frames: frames)
            guard input.count >= needed else {
                return .failure(.bufferTooSmall(bytes: input.count, needed: needed))
            }
            let capacity = output.count / control.output.byteCount(frames: 1)
            guard frames > 0, capacity > 0, let source = input.baseAddress, let target = output.baseAddress else {
                return .success(Progress(consumed: 0, produced: 0))
            }
            let (consumed, produced) = core.convert(source, frames: frames, into: target, capacity: capacity)
            return .success(Progress(consumed: consumed, produced: produced))
        }
        return try result.get()
    }

    /// Forgets the audio inside, as after a jump in the input.
    public func reset() { control.withLock { $0.core?.reset() } }

    public func uninitialize() {
        control.withLock { control in
            control.core = nil
            if control.state != .disposed { control.state = .uninitialized }
        }
    }

    public func dispose() {
        control.withLock { control in
            control.core = nil
            control.state = .disposed
        }
    }

    private func configure(_ setting: String, _ change: (inout Control) -> Void) throws(AudioUnitError) {
        let failure: AudioUnitError? = control.withLock { control in
            switch control.state {
            case .disposed: return .disposed
            case .initialized, .running: return .initialized(setting: setting)
            case .uninitialized: break
            }
            change(&control)
            return nil
        }
        if let failure { throw failure }
    }
}
