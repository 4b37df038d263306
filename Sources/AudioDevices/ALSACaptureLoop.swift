import AudioUnits
import CALSA
import Glibc
import Realtime

/// The capture thread: microphone → callback in whatever blocks come; silence at the same pace while it is lost.
struct ALSACaptureLoop: ~Copyable {
    /// Keeps the line alive; never touched in a turn.
    private let engine: ALSAEngine
    private let line: UnsafeMutablePointer<ALSALine>
    private let callbacks: DeviceCallbacks
    /// What ends a wait: the line's own signal, and the other direction's on a thread for both.
    private let wakes: [EventSignal]
    private var stream: ALSAStream
    private var format: DeviceStreamFormat
    private var scratch: ALSAScratch
    private var clock: StreamClock
    /// While the device is lost.
    private var pacer: ALSAPacer?
    private var silence: SilenceWatch
    /// Time waited without anything coming, in nanoseconds; a program that was stopped has not waited.
    private var idle: Int64 = 0
    private var begun: Int64 = 0
    private var staleFrames = 0
    /// Until then the PCM is not looked at.
    private var restsUntil: Int64 = 0

    private static let longestWait: Int64 = 250_000_000

    init(
        engine: ALSAEngine, line: UnsafeMutablePointer<ALSALine>, stream: ALSAStream, callbacks: DeviceCallbacks,
        otherWake: EventSignal? = nil
    ) {
        self.engine = engine
        self.line = line
        self.stream = stream
        self.callbacks = callbacks
        wakes = [line.pointee.wake] + (otherWake.map { [$0] } ?? [])
        format = stream.format
        scratch = ALSAScratch(stream, frames: stream.format.maximumFrames, wakes: wakes)
        clock = StreamClock(rate: stream.rate)
        silence = SilenceWatch(rate: stream.rate)
    }

    /// Runs until the line stops.
    mutating func run() {
        start()
        while !isStopping { step(wait(until: .max)) }
        finish()
    }

    var isStopping: Bool { line.pointee.board.isStopping }

    /// Starts the stream.
    mutating func start() {
        let started = calsa_start(stream.pcm)
        if started < 0 { return lose(Int(started)) }
        begun = calsa_now()
        idle = 0
        restsUntil = begun
        silence = SilenceWatch(rate: stream.rate)
        staleFrames = stream.buffer * 2
        clock.begin(rate: stream.rate)
    }

    /// Waits until the microphone has something (true), or for what else there is to do, at most until `deadline`.
    mutating func wait(until deadline: Int64) -> Bool {
        let now = calsa_now()
        let isResting = now < restsUntil
        let own = pacer?.deadline ?? (isResting ? restsUntil : now &+ Self.longestWait)
        let came = scratch.wait(
            nanoseconds: (own < deadline ? own : deadline) &- now, wakesOnly: isResting || pacer != nil)
        let waited = calsa_now() &- now
        idle &+= waited < Self.longestWait ? waited : Self.longestWait
        if came.wake { for wake in wakes { wake.drain() } }
        return came.pcm
    }

    /// After a wait: takes what the microphone has, or makes do without.
    mutating func step(_ isReady: Bool) {
        if let pacer { return pace(pacer) }
        if isStopping { return }
        let code = isReady ? turn() : stall()
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
    }

    /// One turn: 0, or the negative code of what broke the stream.
    @_noLocks
    private mutating func turn() -> Int {
        // poll's own bits mean nothing for a plugin; a negative answer comes with every broken stream
        let events = scratch.events(of: stream.pcm)
        let available = events < 0 ? Int(events) : calsa_available(stream.pcm)
        if available < 0 { return recover(available) }
        return available == 0 ? rest() : read(available)
    }

    /// Reads what is there and hands it over, in blocks of at most the format's maximum.
    @_noLocks
    private mutating func read(_ available: Int) -> Int {
        let reported = calsa_delay(stream.pcm)
        let now = calsa_now()
        if reported > staleFrames {
            // The server kept what we were too late for, and only starting over clears it. A device whose own
            // delay is this long must not be restarted for ever.
            staleFrames = staleFrames &* 2
            line.pointee.board.countXrun()
            clock.reset()
            let code = calsa_restart(stream.pcm)
            return code < 0 ? Int(code) : 0
        }
        var age = reported >= available ? reported : available
        line.pointee.board.delay.store(age &* 1_000_000 / stream.rate, ordering: .relaxed)
        var left = available
        while left > 0 {
            let wanted = left < format.maximumFrames ? left : format.maximumFrames
            let got = calsa_read(stream.pcm, scratch.raw, wanted)
            if got == -Int(EAGAIN) || got == 0 { break }
            if got < 0 { return recover(got) }
            // given up by `stop` while alsa-lib held this thread: nobody is there to hear
            if isStopping { return 0 }
            let count = got &* stream.channels
            let heard = stream.sampleType.decode(scratch.raw, into: scratch.samples, count: count)
            if let isSilent = silence.note(heard: heard, frames: got) { line.pointee.board.setSilent(isSilent) }
            callbacks.deliver(scratch.samples, frames: got, time: clock.captured(got, age: age, at: now))
            left &-= got
            age &-= got
        }
        if left == available { return rest() }
        idle = 0
        return 0
    }

    /// Over- or underrun, or worse: what recovering does not cure is a loss.
    @_noLocks
    private mutating func recover(_ code: Int) -> Int {
        if calsa_recover(stream.pcm, Int32(truncatingIfNeeded: code)) < 0 { return code }
        line.pointee.board.countXrun()
        clock.reset()
        let started = calsa_start(stream.pcm)
        return started < 0 ? Int(started) : 0
    }

    /// A turn without progress although poll returned: not again at once, for some plugins' descriptors stay ready for ever.
    @_noLocks
    private mutating func rest() -> Int {
        restsUntil = calsa_now() &+ 1_000_000
        return stall()
    }

    /// Nothing came: whether that has lasted too long.
    @_noLocks
    private func stall() -> Int {
        idle > DirectionBoard.stallLimit(age: calsa_now() &- begun) ? ALSALine.stalled : 0
    }

    /// Silence, a period at a time by the host clock, until a stream is on offer.
    private mutating func pace(_ pacer: ALSAPacer) {
        if let next = line.pointee.takeOffer() { return adopt(next) }
        guard pacer.takePeriod() else { return }
        pacer.clear()
        guard !isStopping else { return }
        callbacks.deliver(
            pacer.samples, frames: format.periodFrames, time: clock.passes(format.periodFrames, at: calsa_now()))
    }

    private mutating func adopt(_ next: ALSAStream) {
        pacer = nil
        stream = next
        let changed = next.format != format
        format = next.format
        scratch.dispose()
        scratch = ALSAScratch(next, frames: format.maximumFrames, wakes: wakes)
        if changed, !isStopping { callbacks.announce(format, capture: true) }
        start()
    }
}
