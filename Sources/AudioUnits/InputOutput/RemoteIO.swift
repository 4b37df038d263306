import Metrics

/// Remote I/O: the shortest way to the hardware, input, output or both, with conversion to the application's format.
///
/// Default formats: 48,000 Hz, Float32, mono on both elements. Output is enabled, input is not.
public final class RemoteIO: InputOutputUnit {
    let core: IOCore

    /// A unit over `device`, which it opens at `initialize()` and gives back at `uninitialize()`.
    public init(device: any HardwareDevice) { core = IOCore(device: device) }

    public var component: AudioComponentDescription { .remoteIO }
    public var state: UnitState { core.state }
    public var device: any HardwareDevice { core.device }
    public var latency: UnitLatency { core.meters.pointee.latency }
    public var statistics: UnitStatistics { core.meters.pointee.statistics }
    public var maximumFramesPerSlice: Int { core.maximumFramesPerSlice }

    public func setMaximumFramesPerSlice(_ frames: Int) throws(AudioUnitError) {
        try core.setMaximumFramesPerSlice(frames)
    }

    public func setFormat(_ format: StreamFormat, scope: Scope, element: Int) throws(AudioUnitError) {
        try core.setFormat(format, scope: scope, element: element)
    }

    public func format(scope: Scope, element: Int) throws(AudioUnitError) -> StreamFormat {
        try core.format(scope: scope, element: element)
    }

    public func enable(input: Bool, output: Bool) throws(AudioUnitError) {
        try core.configure("enabled directions") {
            ($0.enablesInput, $0.enablesOutput) = (input, output)
            return nil
        }
    }

    public func setDevicePreferences(_ request: DeviceRequest) throws(AudioUnitError) {
        try core.configure("device preferences") {
            $0.preferences = request
            return nil
        }
    }

    /// Output channel i takes channel `map[i]` of what is rendered, -1 is silence; output channels beyond the map are silent,
    /// `nil` is the usual rule. Counts while `usesChannelMap` (in a multi-route session); before `initialize()`.
    public func setChannelMap(_ map: [Int]?) throws(AudioUnitError) {
        if let map, !map.allSatisfy({ (-1..<64).contains($0) }) || map.count > 64 {
            throw .outOfRange(setting: "channel map", allowed: "up to 64 entries of -1 ... 63")
        }
        try core.configure("channel map") {
            $0.channelMap = map
            return nil
        }
    }

    /// Whether the channel map counts; off unless a multi-route session turns it on. At any time.
    public var usesChannelMap: Bool {
        get { core.meters.pointee.usesChannelMap.load(ordering: .relaxed) }
        set { core.meters.pointee.usesChannelMap.store(newValue, ordering: .relaxed) }
    }

    public func setInputHandler(_ handler: InputHandler?) throws(AudioUnitError) {
        try core.configure("input handler") {
            $0.handler = handler
            return nil
        }
    }

    public func setRenderCallback(_ callback: RenderCallback?) throws(AudioUnitError) {
        try core.configure("render callback") {
            $0.callback = callback
            return nil
        }
    }

    public func addRenderObserver(_ observer: RenderObserver, element: Int) throws(AudioUnitError) {
        try core.addRenderObserver(observer, element: element)
    }

    public func initialize() throws(AudioUnitError) { try core.initialize() }
    public func start() throws(AudioUnitError) { try core.start() }
    public func stop() { core.stop() }
    public func uninitialize() { core.uninitialize() }
    public func dispose() { core.dispose() }
}
