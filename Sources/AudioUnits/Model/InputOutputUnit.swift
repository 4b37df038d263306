import Metrics

/// A unit with hardware behind it: `RemoteIO` and `VoiceProcessingIO`.
public protocol InputOutputUnit: AudioUnit {
    /// Chooses the directions; before `initialize()`. By default only output is enabled.
    func enable(input: Bool, output: Bool) throws(AudioUnitError)
    /// Wishes for the device (rate, period, priority); before `initialize()`. The directions in it do not count.
    func setDevicePreferences(_ request: DeviceRequest) throws(AudioUnitError)
    /// Who is told that input is there; before `initialize()`, nil for nobody.
    func setInputHandler(_ handler: InputHandler?) throws(AudioUnitError)
    /// Who fills the output; before `initialize()`, nil plays silence and counts it.
    func setRenderCallback(_ callback: RenderCallback?) throws(AudioUnitError)
    /// Has `observer` see every slice of an element, besides those added before; before `initialize()`.
    ///
    /// What it sees is Float32 in runs, at the application's rate and channels: of the output before (when it
    /// holds nothing yet) and after the render callback filled it, of the input before and after the input handler was told.
    func addRenderObserver(_ observer: RenderObserver, element: Int) throws(AudioUnitError)
    /// Starts the hardware.
    func start() throws(AudioUnitError)
    /// Stops the hardware; when it returns no callback runs any more. May be repeated, from any thread but the
    /// device's own.
    func stop()
    /// Present delays, from any thread.
    var latency: UnitLatency { get }
    /// Counters since instantiation, from any thread.
    var statistics: UnitStatistics { get }
    /// The device behind the unit.
    var device: any HardwareDevice { get }
}
