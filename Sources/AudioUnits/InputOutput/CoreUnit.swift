import Metrics

/// An I/O unit of this package: everything but its own settings is its core's, whose microphone's side can feed a graph too.
protocol CoreUnit: InputOutputUnit {
    var core: IOCore { get }
}

// Public as what they fulfil is: a public requirement takes no less.
extension CoreUnit {
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

    public func start() throws(AudioUnitError) { try core.start() }
    public func stop() { core.stop() }
    public func uninitialize() { core.uninitialize() }
    public func dispose() { core.dispose() }
}
