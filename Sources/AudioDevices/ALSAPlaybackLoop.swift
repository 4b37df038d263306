import AudioUnits
import CALSA
import Glibc
import Realtime

/// The playback thread: callback → loudspeaker, holding the fill level at `PlaybackTarget`; while the device is lost
/// it consumes at the same pace.
///
/// It does not wait for the PCM to take more, since the ring buffer is much longer than the level held and so always
/// takes more: it sleeps until the level has come down by a period. On a thread that captures as well it goes with the
/// microphone's turns instead, wherever they come near enough (`ALSADuplexLoop`).
struct ALSAPlaybackLoop: ~Copyable {
    /// Keeps the line alive; never touched in a turn.
    private let engine: ALSAEngine
    private let line: UnsafeMutablePointer<ALSALine>
    private let callbacks: DeviceCallbacks
    /// Whether the thread captures as well.
    private let isDuplex: Bool
    private var stream: ALSAStream
    private var format: DeviceStreamFormat
    private var scratch: ALSAScratch
    private var timeline: BlockTimeline
    private var target: PlaybackTarget
    /// While the device is lost.
    private var pacer: ALSAPacer?
    private var sampleTime: Int64 = 0
    /// What ALSA said to be queued, and when it last went down.
    private var lastQueued = 0
    private var lastProgress: Int64 = 0
    /// When the latest period is heard.
    private var rhythm: Int64 = 0
    /// When that will have been played, and nothing of ours is left.
    private var emptyAt: Int64 = 0
    private var begun: Int64 = 0
    /// When the stream began, underruns aside, and when it last had a turn.
    private var started: Int64 = 0
    private var lastTurn: Int64 = 0
    private var nextDiscard: Int64 = 0
    /// When the next turn is due.
    private(set) var due: Int64 = 0
    /// Whether the present turn goes with the microphone's and may play before it must.
    private var isEarly = false
    /// Frames of a block the PCM has not taken yet, and where they start.
    private var pending = 0
    private var pendingStart = 0

    /// A server takes whole blocks at moments unknown to us. Waking this much earlier each time until a block is not
    /// yet taken, then `DirectionBoard.shortestSleep` later, finds the moment just after it, where lateness is survived longest.
    private static let creep: Int64 = 50_000
    /// On a thread that captures as well, in periods: how much before it is due a period goes with the microphone's turn; and
    /// what is played first, so that the first one is due a little after that turn.
    private static let mostEarly = 0.6
    private static let duplexLead = 0.2
    /// And for which part of the level held that turn is waited for.
    private static let grace = 0.3

    init(
        engine: ALSAEngine, line: UnsafeMutablePointer<ALSALine>, stream: ALSAStream, callbacks: DeviceCallbacks,
        isDuplex: Bool = false
    ) {
        self.engine = engine
        self.line = line
        self.stream = stream
        self.callbacks = callbacks
        self.isDuplex = isDuplex
        format = stream.format
        scratch = ALSAScratch(stream, frames: stream.format.maximumFrames)
        timeline = BlockTimeline(rate: stream.rate)
        target = PlaybackTarget(period: stream.period, buffer: stream.buffer, rate: stream.rate)
    }

    /// Runs until the line stops.
    mutating func run() {
        start()
        while !isStopping {
            line.pointee.sleep(until: due)
            step(atCapture: false)
        }
        finish()
    }

    var isStopping: Bool { line.pointee.board.isStopping }

    /// Starts the stream.
    mutating func start() {
        timeline = BlockTimeline(rate: stream.rate)
        started = calsa_now()
        lastTurn = started
        let code = begin()
        if code < 0 { lose(code) }
    }

    /// Plays a period if one is due, or, where the microphone has its turn now, nearly due.
    mutating func step(atCapture: Bool) {
        if let pacer { return pace(pacer) }
        if isStopping || (!atCapture && calsa_now() < due) { return }
        if atCapture { isEarly = true }
        let code = turn()
        if code < 0 { lose(code) }
    }

    /// Gives the stream back.
    mutating func finish() {
        scratch.dispose()
        line.pointee.finish(pacer == nil ? stream : nil)
    }

    private mutating func lose(_ code: Int) {
        line.pointee.surrender(stream, code: code)
        pacer = ALSAPacer(format: format)
        due = calsa_now()
    }

    /// Silence that a stream begins with, in frames.
    private var lead: Int {
        @_noLocks get {
            let lead = target.lead &+ (isDuplex ? Int(Double(stream.period) * Self.duplexLead) : 0)
            let early = Double(rhythm &- calsa_now() &- nanoseconds(lead)) * Double(stream.rate) / 1e9
            return lead &+ target.wait(forRhythm: Int(early))
        }
    }

    /// Fills a prepared stream to its target, silence first, and starts it. Returns 0, or the negative code of what broke it.
    @_noLocks
    private mutating func begin() -> Int {
        pending = 0
        timeline.reset()
        line.pointee.board.target.store(Int(target.milliseconds * 1000), ordering: .relaxed)
        let lead = lead
        if lead > 0 {
            for index in 0..<(lead &* stream.channels) { scratch.samples[index] = 0 }
            stream.sampleType.encode(scratch.samples, into: scratch.raw, count: lead &* stream.channels)
            let written = calsa_write(stream.pcm, scratch.raw, lead)
            if written < 0 { return written }
            sampleTime &+= Int64(written)
        }
        let code = render(delay: lead > 0 ? lead : 0)
        if code < 0 { return code }
        let running = calsa_start(stream.pcm)
        if running < 0 { return Int(running) }
        lastProgress = calsa_now()
        lastQueued = lead &+ stream.period
        emptyAt = lastProgress &+ nanoseconds(lastQueued)
        begun = lastProgress
        nextDiscard = lastProgress &+ DirectionBoard.discardNanoseconds
        // the first thing a server does is to take its own block: look again at once
        due = lastProgress &+ DirectionBoard.shortestSleep
        return 0
    }

    /// One turn: 0, or the negative code of what broke the stream.
    @_noLocks
    private mutating func turn() -> Int {
        let now = calsa_now()
        noteLateness(now)
        let available = calsa_available(stream.pcm)
        if available < 0 { return recover(available) }
        var level = stream.buffer &- available
        if level < lastQueued {
            // It takes nothing for long, then all at once: what it needs from now on is not to be learned from that.
            if now &- lastProgress > DirectionBoard.hesitation { target.moved() }
            lastProgress = now
        } else if now &- lastProgress > DirectionBoard.stallLimit(age: now &- begun) {
            return ALSALine.stalled
        }
        lastQueued = level
        if level < 0 {  // a device that plays on when it has nothing
            _ = calsa_drop(stream.pcm)
            return recover(-Int(EPIPE))
        }
        emptyAt = now &+ nanoseconds(level)
        if pending > 0 {
            let code = flush()
            if code < 0 { return recover(code) }
        }
        let reported = calsa_delay(stream.pcm)
        // A server tells in steps how much it took, but smoothly what is left to be heard: the less of the two holds.
        if reported >= 0 && reported < level { level = reported }
        let delay = reported > level ? reported : level
        line.pointee.board.delay.store(delay &* 1_000_000 / stream.rate, ordering: .relaxed)
        target.found(level: level)
        let low = target.frames &- stream.period
        let allowed = isEarly ? low &+ Int(Double(stream.period) * Self.mostEarly) : low
        if level > allowed || pending > 0 {
            if !isEarly { wait(level &- low, now) }
            isEarly = false
            return 0
        }
        // `stop` may have given up waiting while alsa-lib hung above: nobody is there to be asked then.
        if isStopping { return 0 }
        if nanoseconds(level) > DirectionBoard.patience, !callbacks.canFetch(stream.period) {
            // What is still queued bridges a late media thread; the turn stays what it is.
            due = now &+ DirectionBoard.shortestSleep
            return 0
        }
        if !isEarly { target.writes(at: level) }
        // One period only, also when more are due: whoever fills the ring behind the callback has slept as long as we have, and
        // needs the moment until the next turn.
        let code = render(delay: delay)
        if code < 0 { return recover(code) }
        let written = stream.period
        level &+= written
        lastQueued &+= written
        emptyAt &+= nanoseconds(written)
        nextDiscard = now &+ DirectionBoard.discardNanoseconds
        target.played(written)
        line.pointee.board.target.store(Int(target.milliseconds * 1000), ordering: .relaxed)
        line.pointee.board.machine.write(target.machine, reserveMilliseconds: target.reserveMilliseconds)
        let rest = nanoseconds(level &- low)
        if isEarly {
            // the microphone's next turn comes first, unless it is late
            isEarly = false
            due = now &+ rest &+ nanoseconds(Int(Double(low) * Self.grace))
        } else {
            // from the time this turn was due: lateness must not add up
            let isPunctual = now &- due < DirectionBoard.shortestSleep
            due = (isPunctual ? due : now) &+ nanoseconds(written) &- Self.creep
            if due > now &+ rest { due = now &+ rest }
        }
        if due < now &+ DirectionBoard.shortestSleep { due = now &+ DirectionBoard.shortestSleep }
        return 0
    }

    /// How late this turn is, before anything is made of what that did to the device.
    @_noLocks
    private mutating func noteLateness(_ now: Int64) {
        if line.pointee.board.hasMoved.load(ordering: .relaxed) {
            line.pointee.board.hasMoved.store(false, ordering: .relaxed)
            target.moved()
        }
        let previous = lastTurn
        lastTurn = now
        let isSettling = now &- started <= DirectionBoard.settling
        let lateness = Double(now &- due) / 1e6
        let isStop = target.late(by: lateness, isSettling: isSettling)
        let found = MachineStop.found(
            isStop: isStop, since: HostTime(nanoseconds: previous), lateBy: lateness, now: HostTime(nanoseconds: now))
        if let found { line.pointee.board.machine.write(found) }
    }

    /// Nothing to write yet: look again soon if the server is about to take a block, else when it should be.
    @_noLocks
    private mutating func wait(_ excess: Int, _ now: Int64) {
        if now > nextDiscard {
            // the server hangs or has not begun: the application's pace goes on without it
            fetch(scratch.samples, frames: stream.period, time: time(delay: stream.buffer))
            nextDiscard &+= nanoseconds(stream.period)
        }
        let rest = nanoseconds(excess)
        let nap = rest < nanoseconds(stream.period) ? DirectionBoard.shortestSleep : rest &- nanoseconds(stream.period)
        due = now &+ (nap > DirectionBoard.shortestSleep ? nap : DirectionBoard.shortestSleep)
    }

    /// Gets one period from the callback and writes it. Returns a negative errno, or 0.
    @_noLocks
    private mutating func render(delay: Int) -> Int {
        fetch(scratch.samples, frames: stream.period, time: time(delay: delay))
        stream.sampleType.encode(scratch.samples, into: scratch.raw, count: stream.period &* stream.channels)
        pending = stream.period
        pendingStart = 0
        return flush()
    }

    /// Asks the application, unless `stop` has given this thread up while alsa-lib held it: then nobody is there.
    @_noLocks
    private func fetch(_ samples: UnsafeMutablePointer<Float>, frames: Int, time: DeviceTime) {
        if isStopping {
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
        rhythm = smoothed
        defer { sampleTime &+= Int64(stream.period) }
        return DeviceTime(
            sampleTime: sampleTime, hostTime: HostTime(nanoseconds: smoothed),
            latencyMilliseconds: Double(smoothed &- now) / 1e6)
    }

    /// Writes what fits of the pending block: a plugin may take less than a period.
    @_noLocks
    private mutating func flush() -> Int {
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

    /// An underrun makes the target grow; what recovering does not cure is a loss. What is heard of it is silence from when the last
    /// of ours was played until the first is played again.
    @_noLocks
    private mutating func recover(_ code: Int) -> Int {
        if calsa_recover(stream.pcm, Int32(truncatingIfNeeded: code)) < 0 { return code }
        target.underran()
        let late = calsa_now() &- emptyAt
        line.pointee.board.countUnderrun(silent: (late > 0 ? late : 0) &+ nanoseconds(lead))
        return begin()
    }

    @_noLocks
    private func nanoseconds(_ frames: Int) -> Int64 { Int64(Double(frames) * 1e9 / Double(stream.rate)) }

    /// Consumes a period at a time by the host clock until a stream is on offer.
    private mutating func pace(_ pacer: ALSAPacer) {
        if let next = line.pointee.takeOffer() { return adopt(next) }
        guard pacer.takePeriod() else { return }
        due = pacer.deadline
        let time = DeviceTime(
            sampleTime: sampleTime, hostTime: HostTime(nanoseconds: calsa_now()), latencyMilliseconds: 0)
        // On a thread for both directions the microphone's turn may have hung until `stop` gave it up.
        guard !isStopping else { return }
        callbacks.fetch(pacer.samples, frames: format.periodFrames, time: time)
        sampleTime &+= Int64(format.periodFrames)
    }

    private mutating func adopt(_ next: ALSAStream) {
        pacer = nil
        let sameShape = next.rate == stream.rate && next.period == stream.period && next.buffer == stream.buffer
        if !sameShape { target = PlaybackTarget(period: next.period, buffer: next.buffer, rate: next.rate) }
        stream = next
        let changed = next.format != format
        format = next.format
        scratch.dispose()
        scratch = ALSAScratch(next, frames: format.maximumFrames)
        if changed, !isStopping { callbacks.announce(format, capture: false) }
        start()
    }
}
