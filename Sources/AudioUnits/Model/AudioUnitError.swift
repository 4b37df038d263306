public import AudioFiles

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
    /// The unit has no such element: of an I/O unit 0 is output, 1 is input. A graph tells it also of an input that is
    /// connected and no longer there: disconnect it.
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
    /// An input that has to be fed is not: connect a unit or a render callback to it first.
    case notConnected(unit: String, element: Int)
    /// The microphone's side is a source and is off: call `enable(input: true, output: true)` first.
    case inputDisabled(unit: String)
    /// The input is fed already: disconnect it first.
    case inputTaken(unit: String, element: Int)
    /// The output feeds another input already: disconnect that first.
    case outputTaken(unit: String, element: Int)
    /// The connection would make a unit feed itself.
    case loop(unit: String)
    /// The unit belongs to another graph: remove it there first.
    case inAnotherGraph(unit: String)
    /// The unit is not in this graph: connect it first.
    case notInGraph(unit: String)
    /// The description has a field left open, or stands for a component already: give one of your own.
    case cannotRegister(AudioComponentDescription)
    /// The queue holds as many buffers as it can: wait until one is finished.
    case queueFull(maximum: Int)
    /// The queue has a tap already: remove it first.
    case tapInstalled
    /// The component is an I/O unit: instantiate it with a device.
    case deviceMissing
    /// The device refuses; its error says why.
    case device(DeviceError)
    /// A player or writer of files has none yet, or the file is closed: set one first.
    case noFile
    /// The file cannot be read or written; its error says why.
    case file(AudioFileError)
    /// Memory or a resource of the system could not be had.
    case noResources(reason: String)
}
