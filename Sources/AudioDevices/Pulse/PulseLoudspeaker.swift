import AudioUnits
import CALSA
import Realtime

/// Playback on the thread of a `PulseDevice`: callback → server, as `PulsePlayoutPlan` says; consumed at the same pace while there is
/// no stream.
struct PulseLoudspeaker {
    private let board: UnsafeMutablePointer<DirectionBoard>
    private let callbacks: DeviceCallbacks
    private let wishes: StreamWishes
    private let format: DeviceStreamFormat
    private let samples: UnsafeMutablePointer<Float>
    private var stream: PulseStream?
    private var clock: StreamClock
    private var plan: PulsePlayoutPlan
    /// While there is no stream.
    private var pacer: ALSAPacer?
    private var place: UInt32 = 0

    init(_ board: UnsafeMutablePointer<DirectionBoard>, _ callbacks: DeviceCallbacks, _ wishes: StreamWishes) {
        self.board = board
        self.callbacks = callbacks
        self.wishes = wishes
        format = wishes.format
        samples = .allocate(capacity: wishes.period * wishes.channels)
        samples.initialize(repeating: 0, count: wishes.period * wishes.channels)
        clock = StreamClock(rate: wishes.rate)
        plan = PulsePlayoutPlan(period: wishes.period, buffer: wishes.buffer, rate: wishes.rate)
    }

    func dispose() { samples.deallocate() }

    var isLost: Bool { stream == nil }

    /// A stream runs, with nothing queued.
    mutating func adopt(_ next: PulseStream, at now: Int64) {
        stream = next
        pacer = nil
        clock.reset()
        plan.begin(at: now)
        place = next.place
    }

    /// The stream is gone.
    mutating func lose() {
        stream = nil
        board.pointee.delay.store(-1, ordering: .relaxed)
        pacer = ALSAPacer(format: format)
    }

    /// When to look next; nil: when the server tells something.
    var due: Int64? { pacer?.deadline ?? plan.due }

    /// When the server should have taken the next block; nil: it has no stream.
    var expected: Int64? { stream == nil ? nil : plan.expected }

    /// Whether the server has taken something that no turn has seen.
    var hasNews: Bool { due == nil && (stream.map { $0.queued < plan.lastQueued } ?? false) }

    /// How late this turn is, before anything is made of what that did to the device.
    /// - Parameters:
    ///   - now: the time.
    ///   - asked: when it should have begun at the latest.
    @_noLocks
    mutating func begins(at now: Int64, asked: Int64) {
        if board.pointee.hasMoved.load(ordering: .relaxed) {
            board.pointee.hasMoved.store(false, ordering: .relaxed)
            plan.moved()
        }
        guard stream != nil, let stop = plan.turns(at: now, asked: asked) else { return }
        board.pointee.machine.write(stop)
    }

    /// Plays a period if one is due.
    /// - Returns: false: the server has taken nothing for so long that it hangs, or takes nothing any more.
    mutating func turn(at now: Int64) -> Bool {
        if let stream { return play(stream, now) }
        guard let pacer, pacer.takePeriod(), !board.pointee.isStopping else { return true }
        callbacks.fetch(pacer.samples, frames: format.periodFrames, time: clock.passes(format.periodFrames, at: now))
        return true
    }

    @_noLocks
    private mutating func play(_ stream: PulseStream, _ now: Int64) -> Bool {
        if board.pointee.isStopping { return true }
        if stream.place != place {
            place = stream.place
            clock.reset()
            plan.moved()
        }
        let queued = stream.queued
        var latency: Int?
        if let nanoseconds = stream.latency { latency = clock.frames(nanoseconds) }
        let delay = plan.delay(queued: queued, latency: latency)
        board.pointee.delay.store(delay > 0 ? Int(clock.nanoseconds(delay) / 1000) : 0, ordering: .relaxed)
        switch plan.step(at: now, queued: queued, latency: latency, canFetch: callbacks.canFetch(wishes.period)) {
        case .wait: return true
        case .stalled: return false
        case .discard:
            fetch(delay: wishes.buffer, now)
            return true
        case .write(let skipped):
            if plan.silentFrames > 0 { board.pointee.countUnderrun(silent: clock.nanoseconds(plan.silentFrames)) }
            if skipped > 0 { clock.reset() }
            fetch(delay: delay &+ skipped, now)
            ALSASampleType.float32.encode(samples, into: samples, count: wishes.period &* wishes.channels)
            board.pointee.target.store(Int(plan.target.milliseconds * 1000), ordering: .relaxed)
            board.pointee.machine.write(plan.target.machine, reserveMilliseconds: plan.target.reserveMilliseconds)
            return stream.write(samples, frames: wishes.period, skipping: skipped)
        }
    }

    /// Asks the application for the next period, whose first frame `delay` frames are ahead of.
    @_noLocks
    private mutating func fetch(delay: Int, _ now: Int64) {
        callbacks.fetch(samples, frames: wishes.period, time: clock.plays(wishes.period, delay: delay, at: now))
    }
}
