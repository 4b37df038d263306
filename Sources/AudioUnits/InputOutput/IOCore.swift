import Realtime
import Synchronization

/// What `RemoteIO` and `VoiceProcessingIO` share: device, life cycle, formats, and the two paths.
///
/// Control calls are serialised by a mutex; render threads never take it, nor do the readers of figures, so that a
/// callback or an event handler may ask for them while another thread waits in `stop`.
final class IOCore: Sendable {
    let device: any HardwareDevice
    /// Lives as long as the core; read from any thread.
    nonisolated(unsafe) let meters: UnsafeMutablePointer<UnitMeters>
    /// The microphone's side as a source in a graph.
    let inputLine = InputLine()
    private let control: Lock<IOControl>
    private let stateNumber = Atomic<Int>(0)

    /// The stages that voice processing puts into the paths; the core takes over their memory.
    struct VoiceStages {
        let processor: UnsafeMutablePointer<VoiceProcessor>?
        let reference: UnsafeMutablePointer<ReferenceWriter>?
    }

    init(device: any HardwareDevice) {
        self.device = device
        meters = .allocate(capacity: 1)
        meters.initialize(to: UnitMeters())
        control = Lock(IOControl())
    }

    deinit {
        dispose()
        meters.deinitialize(count: 1)
        meters.deallocate()
    }

    var state: UnitState {
        switch stateNumber.load(ordering: .acquiring) {
        case 0: .uninitialized
        case 1: .initialized
        case 2: .running
        default: .disposed
        }
    }

    /// Changes a setting; refused once initialized.
    func configure(_ setting: String, _ change: (inout IOControl) -> AudioUnitError?) throws(AudioUnitError) {
        let state = self.state
        let failure = control.withLock { control, leaving in
            leaving.take(control.callback)
            leaving.take(control.handler)
            return switch state == .disposed ? state : control.state {
            case .disposed: AudioUnitError.disposed
            case .initialized, .running: AudioUnitError.initialized(setting: setting)
            case .uninitialized: change(&control)
            }
        }
        if let failure { throw failure }
    }

    func setFormat(_ format: StreamFormat, scope: Scope, element: Int) throws(AudioUnitError) {
        try format.validate()
        try configure("stream format") { control in
            switch (element, scope) {
            case (Element.output, .input): control.outputFormat = format
            case (Element.input, .output): control.inputFormat = format
            case (Element.output, _), (Element.input, _):
                return .imposedByHardware(scope: scope, element: element)
            default: return .noSuchElement(element)
            }
            return nil
        }
    }

    func format(scope: Scope, element: Int) throws(AudioUnitError) -> StreamFormat {
        let result: Result<StreamFormat, AudioUnitError> = control.withLock { control in
            if control.state == .disposed { return .failure(.disposed) }
            switch (element, scope) {
            case (Element.output, .input): return .success(control.outputFormat)
            case (Element.input, .output): return .success(control.inputFormat)
            case (Element.output, _):
                return Self.hardware(meters.pointee.playbackFormat.value, isGranted: control.grant?.playback != nil)
            case (Element.input, _):
                return Self.hardware(meters.pointee.captureFormat.value, isGranted: control.grant?.capture != nil)
            default: return .failure(.noSuchElement(element))
            }
        }
        return try result.get()
    }

    /// The meters keep the format of a device that was given back.
    private static func hardware(_ format: StreamFormat?, isGranted: Bool) -> Result<StreamFormat, AudioUnitError> {
        guard isGranted, let format else { return .failure(.notInitialized) }
        return .success(format)
    }

    /// Whether this is the render callback that was set, by its context.
    func has(_ callback: RenderCallback) -> Bool { control.withLock { $0.callback?.context == callback.context } }

    /// Whether the microphone's side is on.
    var enablesInput: Bool { control.withLock { $0.enablesInput } }

    func addRenderObserver(_ observer: RenderObserver, element: Int) throws(AudioUnitError) {
        try configure("render observer") { control in
            switch element {
            case Element.output: control.outputObservers.append(observer)
            case Element.input: control.inputObservers.append(observer)
            default: return .noSuchElement(element)
            }
            return nil
        }
    }

    var maximumFramesPerSlice: Int { control.withLock(\.longestSlice) }

    func setMaximumFramesPerSlice(_ frames: Int) throws(AudioUnitError) {
        try configure("maximum frames per slice") { control in
            guard (1...65_536).contains(frames) else {
                return .outOfRange(setting: "maximum frames per slice", allowed: "1 to 65536")
            }
            control.maximumSlice = frames
            return nil
        }
    }

    /// Opens the device and builds the paths; `stages` makes what voice processing adds once the formats are settled.
    func initialize(
        stages: (IOControl) throws(AudioUnitError) -> VoiceStages = { _ in VoiceStages(processor: nil, reference: nil) }
    ) throws(AudioUnitError) {
        let failure: AudioUnitError? = control.withLock { control in
            do throws(AudioUnitError) {
                switch control.state {
                case .disposed: throw .disposed
                case .initialized, .running: throw .initialized(setting: "initialize")
                case .uninitialized: break
                }
                try control.build(device: device, line: inputLine, meters: meters, stages: stages)
                move(&control, to: .initialized)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    func start() throws(AudioUnitError) {
        let failure: AudioUnitError? = control.withLock { control in
            switch control.state {
            case .disposed: return .disposed
            case .uninitialized: return .notInitialized
            case .running: return nil
            case .initialized: break
            }
            guard let context = control.context else { return .notInitialized }
            do throws(DeviceError) {
                try device.start(DeviceEntry.callbacks(context))
            } catch {
                return .device(error)
            }
            move(&control, to: .running)
            return nil
        }
        if let failure { throw failure }
    }

    func stop() { control.withLock { halt(&$0) } }

    func uninitialize() {
        control.withLock { control in
            halt(&control)
            guard control.state == .initialized else { return }
            device.close()
            control.tearDown(inputLine)
            meters.pointee.forgetLatency()
            move(&control, to: .uninitialized)
        }
    }

    func dispose() {
        uninitialize()
        control.withLock { control, leaving in
            leaving.take(control.handler)
            leaving.take(control.callback)
            leaving.take(control.outputObservers)
            leaving.take(control.inputObservers)
            control.handler = nil
            control.callback = nil
            control.outputObservers = []
            control.inputObservers = []
            move(&control, to: .disposed)
        }
    }

    private func halt(_ control: inout IOControl) {
        guard control.state == .running else { return }
        device.stop()
        move(&control, to: .initialized)
    }

    private func move(_ control: inout IOControl, to state: UnitState) {
        control.state = state
        let number =
            switch state {
            case .uninitialized: 0
            case .initialized: 1
            case .running: 2
            case .disposed: 3
            }
        stateNumber.store(number, ordering: .releasing)
    }
}
