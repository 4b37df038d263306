import Realtime

/// A unit that an `AudioGraph` connects: it renders when the unit behind it asks, and asks those before it.
///
/// Subclass it for a unit of your own: pass a shape to `init`, and make a kernel in `makeKernel`. Settings that may change
/// while it renders reach the kernel through atomics or a `TripleBuffer`, never through a lock.
///
/// Default formats: 48,000 Hz, Float32, one run a channel; the maximum frames per slice is 1024.
///
/// Sendable: settings are behind a lock, counters are atomics; a subclass keeps to the same.
open class ProcessingUnit: AudioUnit, @unchecked Sendable {
    private struct Control {
        var state = UnitState.uninitialized
        var inputs: [StreamFormat]
        var output: StreamFormat
        var maximumSlice = 1024
        var quality = 5
        var observers: [RenderObserver] = []
        var node: RenderNode?
        var owner: ObjectIdentifier?
    }

    /// What is fixed about this kind of unit.
    public let shape: UnitShape
    private let control: Lock<Control>
    /// One thread's at a time from a call of the life cycle or of a setting until the hook after it has returned. Taken before
    /// `control`; never by render threads.
    private let turn = Lock(())
    private let meters = UnitMetersBox()

    public init(shape: UnitShape) {
        self.shape = shape
        let format = StreamFormat(sampleRate: 48_000, channels: shape.defaultChannels)
        control = Lock(
            Control(inputs: Array(repeating: format, count: shape.inputElements.lowerBound), output: format))
    }

    /// Makes what renders; called by `initialize()` with the formats settled. All that rendering needs is allocated here.
    ///
    /// This and the other hooks come one at a time, in the order of the calls they follow. They may ask the unit for anything,
    /// and must neither set its formats and inputs nor initialize, uninitialize or dispose of it.
    open func makeKernel(_ layout: UnitLayout) throws(AudioUnitError) -> RenderKernel {
        preconditionFailure("\(type(of: self)) makes no kernel")
    }

    /// Called after `uninitialize()` and `dispose()`: what the unit itself keeps of its kernel may go.
    open func kernelEnded() {}

    /// Called after the number of input elements changed, before `initialize()`.
    open func inputElementsChanged(to count: Int) {}

    public final var component: AudioComponentDescription { shape.component }
    public final var state: UnitState { control.withLock { $0.state } }
    public final var maximumFramesPerSlice: Int { control.withLock { $0.maximumSlice } }
    /// Counters since instantiation; `outputFrames` are those rendered.
    public final var statistics: UnitStatistics { meters.pointer.pointee.statistics }
    /// How much later than its input the output is, in seconds; 0 before `initialize()`.
    public final var latencySeconds: Double { control.withLock { $0.node?.latencySeconds ?? 0 } }
    /// Input elements there are.
    public final var inputElements: Int { control.withLock { $0.inputs.count } }

    /// Chooses how many input elements there are; before `initialize()`. A graph where one that goes is connected refuses to
    /// initialize until it is disconnected.
    public final func setInputElements(_ count: Int) throws(AudioUnitError) {
        guard shape.inputElements.contains(count) else {
            let range = shape.inputElements
            throw .outOfRange(setting: "input elements", allowed: "\(range.lowerBound) to \(range.upperBound)")
        }
        try configure("input elements") { control in
            let format = StreamFormat(sampleRate: 48_000, channels: shape.defaultChannels)
            let more = max(0, count - control.inputs.count)
            control.inputs = Array(control.inputs.prefix(count)) + Array(repeating: format, count: more)
            return nil
        } then: {
            inputElementsChanged(to: count)
        }
    }

    public final func setMaximumFramesPerSlice(_ frames: Int) throws(AudioUnitError) {
        guard (1...65_536).contains(frames) else {
            throw .outOfRange(setting: "maximum frames per slice", allowed: "1 to 65536")
        }
        try configure("maximum frames per slice") {
            $0.maximumSlice = frames
            return nil
        }
    }

    /// Quality of the conversion between a source and this unit, 0 (fast) ... 10 (best), 5 by default; before
    /// `initialize()`.
    public final func setConversionQuality(_ quality: Int) throws(AudioUnitError) {
        guard (0...10).contains(quality) else { throw .outOfRange(setting: "quality", allowed: "0 to 10") }
        try configure("quality") {
            $0.quality = quality
            return nil
        }
    }

    /// Sets a format before `initialize()`: an input's counts for a render callback that is connected without one, other
    /// connections bring their own.
    public final func setFormat(_ format: StreamFormat, scope: Scope, element: Int) throws(AudioUnitError) {
        try format.validate()
        if scope == .output, let reason = refusal(ofOutput: format) {
            throw .formatUnsupported(format, reason: reason)
        }
        try configure("stream format") { control in
            if scope == .output {
                guard element == 0 else { return .noSuchElement(element) }
                control.output = format
            } else {
                guard control.inputs.indices.contains(element) else { return .noSuchElement(element) }
                control.inputs[element] = format
                if shape.formats == .effect {
                    control.output = StreamFormat(sampleRate: format.sampleRate, channels: format.channels)
                }
            }
            return nil
        }
    }

    private func refusal(ofOutput format: StreamFormat) -> String? {
        if shape.formats == .effect { return "an effect hands on its input's format: set the input's" }
        if !shape.outputChannels.contains(format.channels) {
            return "the output has \(shape.outputChannels.lowerBound) to \(shape.outputChannels.upperBound) channels"
        }
        let plain = format.sampleType == .float32 && (!format.interleaved || format.channels == 1)
        return plain || shape.fillsAnyType ? nil : "the output is Float32, not interleaved"
    }

    public final func format(scope: Scope, element: Int) throws(AudioUnitError) -> StreamFormat {
        let result: Result<StreamFormat, AudioUnitError> = control.withLock { control in
            if control.state == .disposed { return .failure(.disposed) }
            if scope == .output { return element == 0 ? .success(control.output) : .failure(.noSuchElement(element)) }
            return control.inputs.indices.contains(element)
                ? .success(control.inputs[element]) : .failure(.noSuchElement(element))
        }
        return try result.get()
    }

    /// Has `observer` see every slice this unit renders, besides those added before; before `initialize()`.
    public final func addRenderObserver(_ observer: RenderObserver) throws(AudioUnitError) {
        try configure("render observer") {
            $0.observers.append(observer)
            return nil
        }
    }

    public final func initialize() throws(AudioUnitError) {
        try turn.withLock { _ throws(AudioUnitError) in
            let settings = control.withLock { $0 }
            switch settings.state {
            case .disposed: throw .disposed
            case .initialized, .running: throw .initialized(setting: "initialize")
            case .uninitialized: break
            }
            let output = settings.output
            guard shape.outputChannels.contains(output.channels) else {
                let range = shape.outputChannels
                throw .formatUnsupported(
                    output, reason: "\(component) has \(range.lowerBound) to \(range.upperBound) channels")
            }
            let layout = UnitLayout(
                inputs: settings.inputs.map { shape.kernelFormat(of: $0, output: output) }, sources: settings.inputs,
                output: output, maximumFrames: settings.maximumSlice, quality: settings.quality)
            let node = RenderNode(
                layout: layout, kernel: try makeKernel(layout), observers: settings.observers, meters: meters)
            control.withLock { control in
                control.node = node
                control.state = .initialized
            }
        }
    }

    /// Frees what `initialize()` took, as soon as no render thread uses it. The graph does this for its units.
    public final func uninitialize() {
        turn.withLock { _, leaving in
            control.withLock { control in
                leaving.take(control.node)
                control.node = nil
                if control.state != .disposed { control.state = .uninitialized }
            }
            kernelEnded()
        }
    }

    public final func dispose() {
        turn.withLock { _, leaving in
            control.withLock { control in
                leaving.take(control.node)
                leaving.take(control.observers)
                control.node = nil
                control.observers = []
                control.state = .disposed
            }
            kernelEnded()
        }
    }

    /// What renders, while initialized.
    final var node: RenderNode? { control.withLock { $0.node } }

    /// The quality its inputs are converted with.
    final var conversionQuality: Int { control.withLock { $0.quality } }

    /// Gives the unit to a graph; false when another has it.
    final func claim(_ graph: ObjectIdentifier) -> Bool {
        control.withLock { control in
            guard control.owner == nil || control.owner == graph else { return false }
            control.owner = graph
            return true
        }
    }

    /// Gives the unit back.
    final func release(_ graph: ObjectIdentifier) {
        control.withLock { control in
            if control.owner == graph { control.owner = nil }
        }
    }

    private func configure(
        _ setting: String, _ change: (inout Control) -> AudioUnitError?, then hook: () -> Void = {}
    ) throws(AudioUnitError) {
        let failure: AudioUnitError? = turn.withLock { _ in
            let failure: AudioUnitError? = control.withLock { control in
                switch control.state {
                case .disposed: return .disposed
                case .initialized, .running: return .initialized(setting: setting)
                case .uninitialized: return change(&control)
                }
            }
            if failure == nil { hook() }
            return failure
        }
        if let failure { throw failure }
    }
}
