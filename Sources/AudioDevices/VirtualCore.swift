import AudioUnits
import Realtime
import Synchronization

/// One step of a virtual device: what was captured since the last step goes out, then the next block is asked for.
///
/// A block played from `now` on is heard while the next block is captured, so a room adds no delay of its own.
///
/// Sendable: one thread moves it, the clock's or who steps the device; others read constants, atomics and the board.
final class VirtualCore: @unchecked Sendable {
    let format: DeviceStreamFormat
    let xruns = Atomic<Int>(0)
    /// How long nothing was played because of them, in microseconds.
    let silence = Atomic<Int>(0)
    /// How late the clock's turns are.
    let board = MachineBoard()
    private var machine = MachineLateness()
    private var lastTurn: HostTime?
    /// `stop` has begun, and may give up a thread that a file or pipe holds: from now on nobody is there to be called.
    let isStopping = Atomic<Bool>(false)

    private let capture: Bool
    private let playback: Bool
    private let room: RoomModel?
    private let source: VirtualSource
    private var sink: VirtualSink
    private let callbacks: DeviceCallbacks
    private let handler: (@Sendable (DeviceEvent) -> Void)?
    private let microphone: UnsafeMutablePointer<Float>
    private let speaker: UnsafeMutablePointer<Float>
    private var capturedFrames: Int64 = 0
    private var playedFrames: Int64 = 0

    init(
        format: DeviceStreamFormat, request: DeviceRequest, model: VirtualModel, callbacks: DeviceCallbacks,
        handler: (@Sendable (DeviceEvent) -> Void)?
    ) {
        self.format = format
        capture = request.capture
        playback = request.playback
        room = model.room
        source = model.source
        sink = model.sink
        self.callbacks = callbacks
        self.handler = handler
        microphone = .allocate(capacity: format.maximumFrames)
        microphone.initialize(repeating: 0, count: format.maximumFrames)
        speaker = .allocate(capacity: format.maximumFrames)
        speaker.initialize(repeating: 0, count: format.maximumFrames)
    }

    deinit {
        microphone.deallocate()
        speaker.deallocate()
    }

    /// Whether the next block could be played without a gap.
    var isReady: Bool { !playback || callbacks.canFetch(format.periodFrames) }

    /// The clock's turn begins at `now`, so many milliseconds after it was due.
    func beginTurn(lateBy milliseconds: Double, now: HostTime) {
        let isStop = machine.turn(lateBy: milliseconds)
        if let lastTurn, let stop = MachineStop.found(isStop: isStop, since: lastTurn, lateBy: milliseconds, now: now) {
            board.write(stop)
        }
        machine.pass(seconds: Double(format.periodFrames) / format.sampleRate)
        board.write(machine, reserveMilliseconds: 0)
        lastTurn = now
    }

    /// A turn this late is not made up for, in milliseconds: the machine slept.
    static let latestMilliseconds = 200.0

    /// So many milliseconds are not made up for.
    func leaveOut(milliseconds: Double) {
        xruns.wrappingAdd(1, ordering: .relaxed)
        silence.wrappingAdd(Int(milliseconds * 1000), ordering: .relaxed)
    }

    /// Moves the device on by one period that ends at `now`.
    func step(now: HostTime) {
        let frames = format.periodFrames
        let milliseconds = Double(frames) * 1000 / format.sampleRate
        if let room {
            room.process(speaker: speaker, into: microphone)
        } else {
            source.read(into: microphone, count: frames, at: now)
        }
        if isStopping.load(ordering: .acquiring) { return }
        if capture {
            let age = source.ageMilliseconds(period: milliseconds)
            callbacks.deliver(
                microphone, frames: frames,
                time: DeviceTime(
                    sampleTime: capturedFrames, hostTime: now.advanced(byMilliseconds: -age), latencyMilliseconds: age))
        }
        capturedFrames += Int64(frames)
        let wanted = room?.nextSpeakerFrames() ?? frames
        guard playback, !isStopping.load(ordering: .acquiring) else { return }
        let wait = sink.waitMilliseconds(period: milliseconds)
        callbacks.fetch(
            speaker, frames: wanted,
            time: DeviceTime(
                sampleTime: playedFrames, hostTime: now.advanced(byMilliseconds: wait), latencyMilliseconds: wait))
        playedFrames += Int64(wanted)
        do throws(DeviceError) {
            try sink.write(speaker, count: wanted)
        } catch {
            sink = .nothing  // told once; the device goes on
            if !isStopping.load(ordering: .acquiring) { handler?(.lost(error)) }
        }
    }
}

/// What a virtual device is made of, opened.
struct VirtualModel {
    var room: RoomModel?
    var source = VirtualSource.silence
    var sink = VirtualSink.nothing
}
