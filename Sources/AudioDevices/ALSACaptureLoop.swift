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
    private var stream: ALSAStream
    private var format: DeviceStreamFormat
    private var timeline: BlockTimeline
    private var sampleTime: Int64 = 0
    private var zeroFrames = 0
    private var idleNanoseconds: Int64 = 0
    private var begun: Int64 = 0
    private var staleFrames = 0

    /// Digital silence of this length is reported.
    static let silenceSeconds = 3.0
    private static let waitNanoseconds: Int64 = 250_000_000

    enum Outcome { case fine, stopped, lost(Int) }

    init(engine: ALSAEngine, line: UnsafeMutablePointer<ALSALine>, stream: ALSAStream, callbacks: DeviceCallbacks) {
        self.engine = engine
        self.line = line
        self.stream = stream
        self.callbacks = callbacks
        format = stream.format
        timeline = BlockTimeline(rate: stream.rate)
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
        let started = calsa_start(stream.pcm)
        if started < 0 { return Int(started) }
        begun = calsa_now()
        idleNanoseconds = 0
        zeroFrames = 0
        staleFrames = stream.buffer * 2
        timeline = BlockTimeline(rate: stream.rate)
        while true {
            switch turn(scratch) {
            case .fine: continue
            case .stopped:
                _ = calsa_drop(stream.pcm)
                return 0
            case .lost(let code): return code
            }
        }
    }

    @_noLocks
    private mutating func turn(_ scratch: borrowing ALSAScratch) -> Outcome {
        let ready = scratch.wait(nanoseconds: Self.waitNanoseconds)
        if scratch.isWoken { return .stopped }
        if ready <= 0 { return idle(Self.waitNanoseconds) }
        // poll's own bits mean nothing for a plugin; a negative answer comes with every broken stream
        let events = calsa_events(stream.pcm, scratch.descriptors, UInt32(scratch.descriptorCount))
        let available = events < 0 ? Int(events) : calsa_available(stream.pcm)
        if available < 0 { return recover(available) }
        if available == 0 { return rest(scratch) }
        return read(available, scratch)
    }

    /// Reads what is there and hands it over, in blocks of at most the format's maximum.
    @_noLocks
    private mutating func read(_ available: Int, _ scratch: borrowing ALSAScratch) -> Outcome {
        let reported = calsa_delay(stream.pcm)
        let now = calsa_now()
        if reported > staleFrames {
            // The server kept what we were too late for, and only starting over clears it. A device whose own
            // delay is this long must not be restarted for ever.
            staleFrames = staleFrames &* 2
            line.pointee.countXrun()
            timeline.reset()
            let code = calsa_restart(stream.pcm)
            return code < 0 ? .lost(Int(code)) : .fine
        }
        var age = reported >= available ? reported : available
        line.pointee.delay.store(age &* 1_000_000 / stream.rate, ordering: .relaxed)
        var left = available
        while left > 0 {
            let wanted = left < format.maximumFrames ? left : format.maximumFrames
            let got = calsa_read(stream.pcm, scratch.raw, wanted)
            if got == -Int(EAGAIN) || got == 0 { break }
            if got < 0 { return recover(got) }
            // given up by `stop` while alsa-lib held this thread: nobody is there to hear
            if line.pointee.stopping.load(ordering: .acquiring) { return .stopped }
            let count = got &* stream.channels
            let heard = stream.sampleType.decode(scratch.raw, into: scratch.samples, count: count)
            noteSilence(heard: heard, frames: got)
            let measured = now &- Int64(Double(age) * 1e9 / Double(stream.rate))
            let smoothed = timeline.time(measured: measured, frames: got)
            let time = DeviceTime(
                sampleTime: sampleTime, hostTime: HostTime(nanoseconds: smoothed),
                latencyMilliseconds: Double(now &- smoothed) / 1e6)
            callbacks.deliver(scratch.samples, frames: got, time: time)
            sampleTime &+= Int64(got)
            left &-= got
            age &-= got
        }
        if left == available { return rest(scratch) }
        idleNanoseconds = 0
        return .fine
    }

    /// Over- or underrun, or worse: what recovering does not cure is a loss.
    @_noLocks
    private mutating func recover(_ code: Int) -> Outcome {
        if calsa_recover(stream.pcm, Int32(truncatingIfNeeded: code)) < 0 { return .lost(code) }
        line.pointee.countXrun()
        timeline.reset()
        let started = calsa_start(stream.pcm)
        return started < 0 ? .lost(Int(started)) : .fine
    }

    /// A turn without progress although poll returned: sleep, for some plugins' descriptors stay ready for ever.
    @_noLocks
    private mutating func rest(_ scratch: borrowing ALSAScratch) -> Outcome {
        if scratch.waitForWake(nanoseconds: 1_000_000) { return .stopped }
        return idle(1_000_000)
    }

    @_noLocks
    private mutating func idle(_ nanoseconds: Int64) -> Outcome {
        idleNanoseconds &+= nanoseconds
        return idleNanoseconds > ALSALine.stallLimit(age: calsa_now() &- begun) ? .lost(ALSALine.stalled) : .fine
    }

    @_noLocks
    private mutating func noteSilence(heard: Bool, frames: Int) {
        let limit = Int(Self.silenceSeconds * Double(stream.rate))
        if heard {
            if zeroFrames >= limit { line.pointee.setSilent(false) }
            zeroFrames = 0
        } else if zeroFrames < limit {
            zeroFrames &+= frames
            if zeroFrames >= limit { line.pointee.setSilent(true) }
        }
    }

    /// Silence, a period at a time by the host clock, until a stream is on offer (true) or the line stops.
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
                pacer.clear()
                callbacks.deliver(pacer.samples, frames: format.periodFrames, time: time)
                sampleTime &+= Int64(format.periodFrames)
            }
        }
        return false
    }

    private mutating func adopt(_ next: ALSAStream) {
        line.pointee.wake.drain()  // before `stopping` is looked at again: no stop is lost
        stream = next
        let changed = next.format != format
        format = next.format
        if changed { callbacks.announce(format, capture: true) }
    }
}
