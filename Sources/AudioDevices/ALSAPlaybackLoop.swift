import AudioUnits
import CALSA
import Glibc
import Realtime

/// The playback thread: callback → loudspeaker, holding the fill level at `PlaybackTarget`; while the device is lost
/// it consumes at the same pace.
///
/// It does not wait for the PCM to take more, since the ring buffer is much longer than the level held and so always
/// takes more: it sleeps until the level has come down by a period.
struct ALSAPlaybackLoop: ~Copyable {
    /// Keeps the line alive; never touched in a turn.
    private let engine: ALSAEngine
    private let line: UnsafeMutablePointer<ALSALine>
    private let callbacks: DeviceCallbacks
    private var stream: ALSAStream
    private var format: DeviceStreamFormat
    private var timeline: BlockTimeline
    private var target: PlaybackTarget
    private var sampleTime: Int64 = 0
    /// What ALSA said to be queued, and when it last went down.
    private var lastQueued = 0
    private var lastProgress: Int64 = 0
    private var begun: Int64 = 0
    private var nextDiscard: Int64 = 0
    /// When the present turn should have begun.
    private var due: Int64 = 0
    /// Frames of a block the PCM has not taken yet, and where they start.
    private var pending = 0
    private var pendingStart = 0

    enum Outcome { case sleep(Int64), stopped, lost(Int) }

    /// A server that takes nothing for this long is not waited for: what it would have played is dropped.
    private static let discardNanoseconds: Int64 = 150_000_000
    /// Shortest sleep: a turn without progress must not spin.
    private static let shortestSleep: Int64 = 1_000_000
    /// How long after its start late turns of a stream say nothing of those to come, in nanoseconds.
    private static let settling: Int64 = 2_000_000_000
    /// While more than this is left to be played, in nanoseconds, an application that has nothing ready is waited for.
    private static let patience: Int64 = 6_000_000
    /// A server takes whole blocks at moments unknown to us. Waking this much earlier each time until a block is not
    /// yet taken, then `shortestSleep` later, finds the moment just after it, where lateness is survived longest.
    private static let creep: Int64 = 50_000

    init(engine: ALSAEngine, line: UnsafeMutablePointer<ALSALine>, stream: ALSAStream, callbacks: DeviceCallbacks) {
        self.engine = engine
        self.line = line
        self.stream = stream
        self.callbacks = callbacks
        format = stream.format
        timeline = BlockTimeline(rate: stream.rate)
        target = PlaybackTarget(period: stream.period, buffer: stream.buffer, rate: stream.rate)
    }

    /// Runs until the line stops.
    mutating func run() {
        var isPresent = true
        while !line.pointee.stopping.load(ordering: .acquiring) {
            if isPresent {
                let code = runStream()
                line.pointee.surrender(stream, code: code)
                isPresent = false
            } else if pace() {
                isPresent = true
            }
        }
        if isPresent { line.pointee.surrender(stream, code: 0) }
        line.pointee.finished.signal()
    }

    /// Turns until the stream ends: 0 when stopped, else the loss code.
    private mutating func runStream() -> Int {
        let scratch = ALSAScratch(stream, frames: format.maximumFrames, wake: line.pointee.wake.fileDescriptor)
        timeline = BlockTimeline(rate: stream.rate)
        var outcome = begin(scratch)
        while true {
            switch outcome {
            case .sleep(let nanoseconds):
                outcome = scratch.waitForWake(nanoseconds: nanoseconds) ? .stopped : turn(scratch)
            case .stopped:
                _ = calsa_drop(stream.pcm)
                return 0
            case .lost(let code): return code
            }
        }
    }

    /// Fills a prepared stream to its target, silence first, and starts it.
    @_noLocks
    private mutating func begin(_ scratch: borrowing ALSAScratch) -> Outcome {
        pending = 0
        timeline.reset()
        line.pointee.target.store(Int(target.milliseconds * 1000), ordering: .relaxed)
        let lead = target.frames &- stream.period
        if lead > 0 {
            for index in 0..<(lead &* stream.channels) { scratch.samples[index] = 0 }
            stream.sampleType.encode(scratch.samples, into: scratch.raw, count: lead &* stream.channels)
            let written = calsa_write(stream.pcm, scratch.raw, lead)
            if written < 0 { return .lost(written) }
            sampleTime &+= Int64(written)
        }
        let code = render(scratch, delay: lead > 0 ? lead : 0)
        if code < 0 { return .lost(code) }
        let started = calsa_start(stream.pcm)
        if started < 0 { return .lost(Int(started)) }
        lastProgress = calsa_now()
        lastQueued = lead &+ stream.period
        begun = lastProgress
        nextDiscard = lastProgress &+ Self.discardNanoseconds
        due = lastProgress &+ Self.shortestSleep
        // the first thing a server does is to take its own block: look again at once
        return .sleep(Self.shortestSleep)
    }

    @_noLocks
    private mutating func turn(_ scratch: borrowing ALSAScratch) -> Outcome {
        let available = calsa_available(stream.pcm)
        if available < 0 { return recover(available, scratch) }
        var level = stream.buffer &- available
        let now = calsa_now()
        if level < lastQueued {
            lastProgress = now
        } else if now &- lastProgress > ALSALine.stallLimit(age: now &- begun) {
            return .lost(ALSALine.stalled)
        }
        lastQueued = level
        if level < 0 {  // a device that plays on when it has nothing
            _ = calsa_drop(stream.pcm)
            return recover(-Int(EPIPE), scratch)
        }
        if pending > 0 {
            let code = flush(scratch)
            if code < 0 { return recover(code, scratch) }
        }
        let reported = calsa_delay(stream.pcm)
        // A server tells in steps how much it took, but smoothly what is left to be heard: the less of the two holds.
        if reported >= 0 && reported < level { level = reported }
        let delay = reported > level ? reported : level
        line.pointee.delay.store(delay &* 1_000_000 / stream.rate, ordering: .relaxed)
        if line.pointee.hasMoved.load(ordering: .relaxed) {
            line.pointee.hasMoved.store(false, ordering: .relaxed)
            target.moved()
        }
        if now &- begun > Self.settling { target.late(by: Double(now &- due) / 1e6) }
        target.found(level: level)
        let low = target.frames &- stream.period
        if level > low || pending > 0 { return wait(level &- low, now, scratch) }
        if nanoseconds(level) > Self.patience, !callbacks.canFetch(stream.period) {
            // What is still queued bridges a late media thread.
            due = now &+ Self.shortestSleep
            return .sleep(Self.shortestSleep)
        }
        // One period only, also when more are due: whoever fills the ring behind the callback has slept as long as we have, and
        // needs the moment until the next turn.
        let code = render(scratch, delay: delay)
        if code < 0 { return recover(code, scratch) }
        let written = stream.period
        level &+= written
        lastQueued &+= written
        nextDiscard = now &+ Self.discardNanoseconds
        target.played(written)
        line.pointee.target.store(Int(target.milliseconds * 1000), ordering: .relaxed)
        // from the time this turn was due: lateness must not add up
        let isPunctual = now &- due < Self.shortestSleep
        due = (isPunctual ? due : now) &+ nanoseconds(written) &- Self.creep
        let rest = nanoseconds(level &- low)
        if due > now &+ rest { due = now &+ rest }
        return .sleep(due &- now > Self.shortestSleep ? due &- now : Self.shortestSleep)
    }

    /// Nothing to write yet: look again soon if the server is about to take a block, else when it should be.
    @_noLocks
    private mutating func wait(_ excess: Int, _ now: Int64, _ scratch: borrowing ALSAScratch) -> Outcome {
        if now > nextDiscard {
            // the server hangs or has not begun: the application's pace goes on without it
            fetch(scratch.samples, frames: stream.period, time: time(delay: stream.buffer))
            nextDiscard &+= nanoseconds(stream.period)
        }
        let rest = nanoseconds(excess)
        let nap = rest < nanoseconds(stream.period) ? Self.shortestSleep : rest &- nanoseconds(stream.period)
        due = now &+ (nap > Self.shortestSleep ? nap : Self.shortestSleep)
        return .sleep(due &- now)
    }

    /// Gets one period from the callback and writes it. Returns a negative errno, or 0.
    @_noLocks
    private mutating func render(_ scratch: borrowing ALSAScratch, delay: Int) -> Int {
        fetch(scratch.samples, frames: stream.period, time: time(delay: delay))
        stream.sampleType.encode(scratch.samples, into: scratch.raw, count: stream.period &* stream.channels)
        pending = stream.period
        pendingStart = 0
        return flush(scratch)
    }

    /// Asks the application, unless `stop` has given this thread up while alsa-lib held it: then nobody is there.
    @_noLocks
    private func fetch(_ samples: UnsafeMutablePointer<Float>, frames: Int, time: DeviceTime) {
        if line.pointee.stopping.load(ordering: .acquiring) {
            for index in 0..<(frames &* stream.channels) { samples[index] = 0 }
        } else {
            callbacks.fetch(samples, frames: frames, time: time)
        }
    }

    /// The time of the next period, whose first frame `delay` frames are ahead of.
    @_noLocks
    private mutating func time(delay: Int) -> DeviceTime {
        let now = calsa_now()
        let smoothed = timeline.time(measured: now &+ nanoseconds(delay), frames: stream.period)
        defer { sampleTime &+= Int64(stream.period) }
        return DeviceTime(
            sampleTime: sampleTime, hostTime: HostTime(nanoseconds: smoothed),
            latencyMilliseconds: Double(smoothed &- now) / 1e6)
    }

    /// Writes what fits of the pending block: a plugin may take less than a period.
    @_noLocks
    private mutating func flush(_ scratch: borrowing ALSAScratch) -> Int {
        while pending > 0 {
            let offset = pendingStart &* stream.channels &* stream.sampleType.bytes
            let written = calsa_write(stream.pcm, scratch.raw + offset, pending)
            if written == -Int(EAGAIN) || written == 0 { return 0 }
            if written < 0 { return written }
            pending &-= written
            pendingStart &+= written
        }
        return 0
    }

    /// An underrun makes the target grow; what recovering does not cure is a loss.
    @_noLocks
    private mutating func recover(_ code: Int, _ scratch: borrowing ALSAScratch) -> Outcome {
        if calsa_recover(stream.pcm, Int32(truncatingIfNeeded: code)) < 0 { return .lost(code) }
        target.underran()
        line.pointee.countXrun()
        return begin(scratch)
    }

    @_noLocks
    private func nanoseconds(_ frames: Int) -> Int64 { Int64(Double(frames) * 1e9 / Double(stream.rate)) }

    /// Consumes a period at a time by the host clock until a stream is on offer (true) or the line stops.
    private mutating func pace() -> Bool {
        let pacer = ALSAPacer(format: format, wake: line.pointee.wake)
        while !line.pointee.stopping.load(ordering: .acquiring) {
            if let next = line.pointee.takeOffer() {
                adopt(next)
                return true
            }
            if pacer.waitForPeriod() {
                let time = DeviceTime(
                    sampleTime: sampleTime, hostTime: HostTime(nanoseconds: calsa_now()), latencyMilliseconds: 0)
                callbacks.fetch(pacer.samples, frames: format.periodFrames, time: time)
                sampleTime &+= Int64(format.periodFrames)
            }
        }
        return false
    }

    private mutating func adopt(_ next: ALSAStream) {
        line.pointee.wake.drain()  // before `stopping` is looked at again: no stop is lost
        let sameShape = next.rate == stream.rate && next.period == stream.period && next.buffer == stream.buffer
        if !sameShape { target = PlaybackTarget(period: next.period, buffer: next.buffer, rate: next.rate) }
        stream = next
        let changed = next.format != format
        format = next.format
        if changed { callbacks.announce(format, capture: false) }
    }
}
