import AudioDevices
import AudioUnits
import Realtime

/// A device with the buffers that hardware has: it goes on by its own clock while the machine stands still.
///
/// ```
/// unit <- turn - captured blocks <- device
/// unit -> turn ->  queue         -> device        held at `PlaybackTarget`, as ALSA's is
/// ```
/// The device below moves with its own clock and finds in the queue what the machine's last turns left there; what is missing is
/// silence, and an underrun.
///
/// Sendable: only the thread that steps the simulation touches it.
final class QueuedDevice: HardwareDevice, @unchecked Sendable {
    /// Silence that the loudspeaker played because the queue was empty, in frames.
    private(set) var silentFrames = 0

    private let device: any HardwareDevice
    private var callbacks: DeviceCallbacks?
    private var capture: DeviceStreamFormat?
    private var playback: DeviceStreamFormat?
    private var captured: [(samples: [Float], time: DeviceTime)] = []
    private var queue: [Float] = []
    /// When the latest period is heard.
    private var rhythm = HostTime.zero
    /// When the queue's first frame is heard.
    private var headTime = HostTime.zero
    private var sampleTime: Int64 = 0
    private var target = PlaybackTarget(period: 480, buffer: 9600, rate: 48_000)
    private var scratch: [Float] = []
    private var xruns = 0
    private let board = MachineBoard()
    private var lastTurn = HostTime.zero
    private var hasUnderrun = false
    private var startTime: HostTime?
    private var latency: Double?
    /// When the next turn of the playback thread is due.
    private(set) var due = HostTime.zero

    /// Length of the ring buffer, in milliseconds.
    private static let bufferMilliseconds = 200.0
    /// Shortest time from one turn to the next, in milliseconds.
    private static let shortestSleep = 1.0
    /// While more than this is left to be played, in milliseconds, an application that has nothing ready is waited for.
    private static let patience = 6.0
    /// How long after the start late turns say nothing of those to come, in milliseconds.
    private static let settling = 200.0

    /// Stands between `device`, which keeps time, and the unit.
    init(_ device: any HardwareDevice) { self.device = device }

    var identifier: String { device.identifier }

    var status: DeviceStatus {
        var status = device.status
        status.playbackXruns += xruns
        status.playbackSilentMilliseconds += milliseconds(silentFrames)
        status.playbackLatencyMilliseconds = latency ?? status.playbackLatencyMilliseconds
        status.playbackTargetMilliseconds = target.milliseconds
        status.machine = board.reading
        return status
    }

    func open(_ request: DeviceRequest) throws(DeviceError) -> DeviceGrant {
        let grant = try device.open(request)
        (capture, playback) = (grant.capture, grant.playback)
        if let playback {
            let rate = Int(playback.sampleRate)
            target = PlaybackTarget(
                period: playback.periodFrames, buffer: rate * Int(Self.bufferMilliseconds) / 1000, rate: rate)
            scratch = [Float](repeating: 0, count: playback.maximumFrames)
        }
        return grant
    }

    func start(_ callbacks: DeviceCallbacks) throws(DeviceError) {
        self.callbacks = callbacks
        var own = callbacks
        own.context = Unmanaged.passUnretained(self).toOpaque()
        own.isReady = nil
        own.capture = { context, samples, frames, time in
            QueuedDevice.from(context).keep(
                UnsafeBufferPointer(start: samples, count: frames),
                at: time.assumingMemoryBound(to: DeviceTime.self).pointee)
        }
        own.playback = { context, samples, frames, time in
            QueuedDevice.from(context).play(
                UnsafeMutableBufferPointer(start: samples, count: frames),
                at: time.assumingMemoryBound(to: DeviceTime.self).pointee)
        }
        own.formatChanged = { context, isCapture, format in
            guard let theirs = QueuedDevice.from(context).callbacks else { return }
            theirs.formatChanged(theirs.context, isCapture, format)
        }
        try device.start(own)
    }

    func stop() {
        device.stop()
        callbacks = nil
    }

    func close() { device.close() }
    func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) { device.setEventHandler(handler) }

    private static func from(_ context: UnsafeMutableRawPointer) -> QueuedDevice {
        Unmanaged<QueuedDevice>.fromOpaque(context).takeUnretainedValue()
    }

    // MARK: - The device's own clock

    private func keep(_ block: UnsafeBufferPointer<Float>, at time: DeviceTime) { captured.append((Array(block), time)) }

    private func play(_ block: UnsafeMutableBufferPointer<Float>, at time: DeviceTime) {
        let taken = min(block.count, queue.count)
        for index in 0..<taken { block[index] = queue[index] }
        for index in taken..<block.count { block[index] = 0 }
        queue.removeFirst(taken)
        headTime = time.hostTime.advanced(byMilliseconds: milliseconds(block.count))
        guard startTime != nil else { return }
        silentFrames += block.count - taken
        if taken < block.count, !hasUnderrun {
            hasUnderrun = true
            xruns += 1
        }
    }

    // MARK: - The machine's turns

    /// Gives the unit what was captured since the last turn.
    func deliver() {
        guard let callbacks else { return }
        let blocks = captured
        captured.removeAll(keepingCapacity: true)
        for block in blocks {
            var time = block.time
            block.samples.withUnsafeBufferPointer {
                guard let base = $0.baseAddress else { return }
                callbacks.capture(callbacks.context, base, $0.count, &time)
            }
        }
    }

    /// The playback thread's turn, `now` or before it was due.
    func turn(now: HostTime) {
        guard let playback, callbacks != nil, now >= due else { return }
        let period = playback.periodFrames
        let isSettling = startTime.map { now.milliseconds(since: $0) <= Self.settling } ?? true
        let lateness = now.milliseconds(since: due)
        let isStop = target.late(by: lateness, isSettling: isSettling)
        if let stop = MachineStop.found(isStop: isStop, since: lastTurn, lateBy: lateness, now: now) { board.write(stop) }
        lastTurn = now
        if startTime == nil || hasUnderrun { return begin(period, now: now) }
        let level = level(at: now)
        target.found(level: level)
        let low = target.frames - period
        guard level <= low else { return sleep(milliseconds(level - low), now: now) }
        if milliseconds(level) > Self.patience, !isReady(period) { return sleep(0, now: now) }
        target.writes(at: level)
        fetch(period, level: level, now: now)
        target.played(period)
        board.write(target.machine, reserveMilliseconds: target.reserveMilliseconds)
        sleep(milliseconds(level + period - low), now: now)
    }

    /// Begins with silence; after an underrun to a target that is the higher.
    private func begin(_ period: Int, now: HostTime) {
        if hasUnderrun { target.underran() }
        hasUnderrun = false
        if startTime == nil { startTime = now }
        var lead = target.lead - max(0, level(at: now))
        if lead > 0 {
            let early = rhythm.milliseconds(since: now) - milliseconds(target.lead)
            lead += target.wait(forRhythm: Int(early * Double(period) / milliseconds(period)))
            if now > .zero { silentFrames += lead }
            queue += repeatElement(0, count: lead)
        }
        fetch(period, level: max(0, level(at: now)), now: now)
        sleep(0, now: now)
    }

    private func fetch(_ frames: Int, level: Int, now: HostTime) {
        guard let callbacks else { return }
        latency = milliseconds(level)
        rhythm = now.advanced(byMilliseconds: milliseconds(level))
        var time = DeviceTime(
            sampleTime: sampleTime, hostTime: now.advanced(byMilliseconds: milliseconds(level)),
            latencyMilliseconds: milliseconds(level))
        scratch.withUnsafeMutableBufferPointer {
            guard let base = $0.baseAddress else { return }
            callbacks.playback(callbacks.context, base, frames, &time)
        }
        queue += scratch.prefix(frames)
        sampleTime += Int64(frames)
    }

    private func isReady(_ frames: Int) -> Bool {
        guard let callbacks, let isReady = callbacks.isReady else { return true }
        return isReady(callbacks.context, frames)
    }

    private func sleep(_ milliseconds: Double, now: HostTime) {
        due = now.advanced(byMilliseconds: max(milliseconds, Self.shortestSleep))
    }

    /// Frames until what is written now is heard.
    private func level(at now: HostTime) -> Int {
        let rate = playback?.sampleRate ?? 48_000
        return Int(max(0, headTime.milliseconds(since: now)) * rate / 1000) + queue.count
    }

    private func milliseconds(_ frames: Int) -> Double { Double(frames) * 1000 / (playback?.sampleRate ?? 48_000) }
}
