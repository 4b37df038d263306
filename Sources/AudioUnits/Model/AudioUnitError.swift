/// Why a unit refuses; each case tells what to do first.
public enum AudioUnitError: Error, Sendable, Equatable {
    /// The unit was disposed of: instantiate a new one.
    case disposed
    /// Call `initialize()` first.
    case notInitialized
    /// The setting is fixed while the unit is initialized: call `uninitialize()` first.
    case initialized(setting: String)
    /// The unit runs: call `stop()` first.
    case running
    /// Neither input nor output is enabled: call `enable(input:output:)` first.
    case nothingEnabled
    /// The unit has no such element: 0 is output, 1 is input.
    case noSuchElement(Int)
    /// The hardware imposes this side's format: set the other scope of the element.
    case imposedByHardware(scope: Scope, element: Int)
    /// The format is outside of what the unit can do.
    case formatUnsupported(StreamFormat, reason: String)
    /// More frames were asked for than one slice may carry: ask for less, or raise the maximum before `initialize()`.
    case tooManyFrames(asked: Int, maximum: Int)
    /// A buffer is smaller than its format and frame count need.
    case bufferTooSmall(bytes: Int, needed: Int)
    /// A setting is outside of its range.
    case outOfRange(setting: String, allowed: String)
    /// The component is an I/O unit: instantiate it with a device.
    case deviceMissing
    /// The device refuses; its error says why.
    case device(DeviceError)
    /// Memory or a resource of the system could not be had.
    case noResources(reason: String)
}
