public import Realtime

/// What an I/O unit asks of a device before it starts. `nil` leaves the choice to the device.
public struct DeviceRequest: Sendable, Equatable {
    /// Whether audio is captured (the unit's input element 1).
    public var capture = false
    /// Whether audio is played (the unit's output element 0).
    public var playback = false
    /// Preferred rate of both directions, in Hz.
    public var sampleRate: Double?
    /// Preferred channels of playback; `nil` is one.
    public var playbackChannels: Int?
    /// Preferred period of both directions, in milliseconds.
    public var periodMilliseconds: Double?
    /// SCHED_FIFO priority wanted for the device's threads; `nil` asks for ordinary scheduling.
    public var realtimePriority: Int?

    public init(capture: Bool = false, playback: Bool = false) {
        self.capture = capture
        self.playback = playback
    }
}

/// The format one direction of a device runs at. Samples cross the boundary as interleaved Float32.
@frozen
public struct DeviceStreamFormat: Sendable, Equatable, BitwiseCopyable {
    /// Frames a second.
    public var sampleRate: Double
    /// Interleaved channels, 1 or more.
    public var channels: Int
    /// Frames the device usually hands over at once.
    public var periodFrames: Int
    /// No callback ever carries more frames than this; the device cuts longer blocks.
    public var maximumFrames: Int

    @_noLocks
    public init(sampleRate: Double, channels: Int, periodFrames: Int, maximumFrames: Int) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.periodFrames = periodFrames
        self.maximumFrames = maximumFrames
    }
}

/// What the device granted of a `DeviceRequest`; a direction that was not asked for is `nil`.
public struct DeviceGrant: Sendable, Equatable {
    /// The microphone's format.
    public var capture: DeviceStreamFormat?
    /// The loudspeaker's format.
    public var playback: DeviceStreamFormat?

    public init(capture: DeviceStreamFormat? = nil, playback: DeviceStreamFormat? = nil) {
        self.capture = capture
        self.playback = playback
    }
}

/// When a block of device frames happens, on both clocks.
@frozen
public struct DeviceTime: Sendable, BitwiseCopyable {
    /// Frames of this direction since the start, of the block's first frame.
    public var sampleTime: Int64
    /// When the block's first frame was at the microphone, or will be at the loudspeaker.
    public var hostTime: HostTime
    /// The device's own delay for that frame, in milliseconds: age at capture, or wait until it is heard.
    public var latencyMilliseconds: Double

    @_noLocks
    public init(sampleTime: Int64, hostTime: HostTime, latencyMilliseconds: Double) {
        self.sampleTime = sampleTime
        self.hostTime = hostTime
        self.latencyMilliseconds = latencyMilliseconds
    }
}

/// The functions a device calls on its own threads.
///
/// C function pointers with a context, because the render contract (`@_noLocks`) cannot look into a stored closure.
/// `capture` and `playback` are called inside the render scope, each on one thread at a time; `formatChanged` is called
/// outside of it, between two turns of that direction, when the hardware came back at another format.
///
/// Sendable: functions and an address that live as long as the device runs; each direction is called on one thread at a time.
@frozen
public struct DeviceCallbacks: @unchecked Sendable, BitwiseCopyable {
    /// Context, interleaved samples, frames, pointer to the block's `DeviceTime`.
    public typealias Capture =
        @convention(c) (UnsafeMutableRawPointer, UnsafePointer<Float>, Int, UnsafeRawPointer) -> Void
    /// Context, interleaved samples to fill completely, frames, pointer to the block's `DeviceTime`.
    public typealias Playback =
        @convention(c) (UnsafeMutableRawPointer, UnsafeMutablePointer<Float>, Int, UnsafeRawPointer) -> Void
    /// Context, true for capture, pointer to the new `DeviceStreamFormat`.
    public typealias FormatChanged =
        @convention(c) (UnsafeMutableRawPointer, Bool, UnsafeRawPointer) -> Void

    /// Context and frames: whether `playback` could fill so many now without a gap. A device that still has something to
    /// play may wait a moment and ask again.
    public typealias IsReady = @convention(c) (UnsafeMutableRawPointer, Int) -> Bool

    /// Handed to every function; it outlives the device's run.
    public var context: UnsafeMutableRawPointer
    /// Takes a block from the microphone.
    public var capture: Capture
    /// Fills a block for the loudspeaker.
    public var playback: Playback
    /// Is told that a direction goes on in another format.
    public var formatChanged: FormatChanged
    /// nil: always.
    public var isReady: IsReady?

    public init(
        context: UnsafeMutableRawPointer, capture: @escaping Capture, playback: @escaping Playback,
        formatChanged: @escaping FormatChanged, isReady: IsReady? = nil
    ) {
        self.context = context
        self.capture = capture
        self.playback = playback
        self.formatChanged = formatChanged
        self.isReady = isReady
    }
}

/// Counters and facts of a running device, readable from any thread.
public struct DeviceStatus: Sendable, Equatable {
    /// Overruns of the capture side since the start.
    public var captureXruns = 0
    /// Underruns of the playback side since the start.
    public var playbackXruns = 0
    /// How long the loudspeaker had nothing from us because of those, in milliseconds.
    public var playbackSilentMilliseconds = 0.0
    /// Present delay of the capture side, in milliseconds; `nil` before it is known.
    public var captureLatencyMilliseconds: Double?
    /// Present delay of the playback side, in milliseconds; `nil` before it is known.
    public var playbackLatencyMilliseconds: Double?
    /// The playback fill level the device holds itself to, in milliseconds; grows after an xrun, shrinks slowly.
    public var playbackTargetMilliseconds: Double?
    /// How the playback side's turns keep their time, and what is held because they do not; `nil`: not known.
    public var machine: MachineReading?
    /// Priority the threads really run at; `nil` is ordinary scheduling.
    public var realtimePriority: Int?
    /// False between a loss and the reopening.
    public var isPresent = true
    /// How often the device was lost and came back.
    public var reopenCount = 0

    public init() {}
}

/// What a device tells while it runs; delivered on a device thread, outside the render scope.
public enum DeviceEvent: Sendable, Equatable {
    /// The device went away; silence goes on in its place and reopening is tried with back-off.
    case lost(DeviceError)
    /// The device is back after that many milliseconds.
    case back(afterMilliseconds: Double)
    /// A direction over- or underran.
    case xrun(capture: Bool)
    /// The microphone has delivered nothing but digital zeros for 3 s.
    case microphoneSilent
    /// The microphone delivers sound again.
    case microphoneHeard
}

/// Hardware, or what stands in for it: the far side of an I/O unit.
///
/// Order of calls: `open`, `start`, `stop`, `close`; `stop` and `close` are idempotent and return in bounded time
/// from any thread. A started device calls its callbacks until `stop` returns, lost or not.
public protocol HardwareDevice: AnyObject, Sendable {
    /// The name the person gave, such as `alsa:default`.
    var identifier: String { get }
    /// Claims the device and settles the formats.
    func open(_ request: DeviceRequest) throws(DeviceError) -> DeviceGrant
    /// Starts the threads that call `callbacks`.
    func start(_ callbacks: DeviceCallbacks) throws(DeviceError)
    /// Ends the calls; when it returns, no callback is running.
    func stop()
    /// Gives the device back.
    func close()
    /// Counters and facts, from any thread.
    var status: DeviceStatus { get }
    /// Where events go; set before `start`.
    func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?)
    /// The sound goes elsewhere, or what was lost is there again: a lost device need not wait for its next attempt, and stalls
    /// around this moment say nothing about the machine.
    func routeChanged()
    /// Has whoever asks move the device from its next start on, in place of a thread of its own. To be asked while it does not run.
    /// - Returns: by which it is moved; nil: it moves by itself, since it waits for hardware, a file or the like.
    func takeTurns() -> (any DeviceTurns)?
}

extension HardwareDevice {
    /// Nothing to reopen, nothing learned.
    public func routeChanged() {}
    /// It moves by itself.
    public func takeTurns() -> (any DeviceTurns)? { nil }
}

/// A device that has no thread, for whoever moves it: by the clock, a period at a time. It never waits for anything.
public protocol DeviceTurns: AnyObject, Sendable {
    /// Moves the running device on by one period, if one has ended: its callbacks are called on this thread. Periods are counted from
    /// the first call after the start.
    /// - Parameters:
    ///   - due: the time until which it is moved, as a clock would that is never late.
    ///   - now: the time it is.
    ///   - lateness: milliseconds that the machine was late by, with the first of the periods that are made up for at once; nil: with
    ///     the others, or not known.
    /// - Returns: whether a period had ended: there may be more.
    func passPeriod(until due: HostTime, now: HostTime, lateBy lateness: Double?) -> Bool
}
