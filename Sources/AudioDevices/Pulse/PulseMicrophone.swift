import AudioUnits
import CALSA

/// Capture on the thread of a `PulseDevice`: what the server has sent → callback; silence at the same pace while there is no stream.
struct PulseMicrophone {
    private let board: UnsafeMutablePointer<DirectionBoard>
    private let callbacks: DeviceCallbacks
    private let format: DeviceStreamFormat
    private let buffer: Int
    private let samples: UnsafeMutablePointer<Float>
    private var stream: PulseStream?
    private var clock: StreamClock
    private var silence: SilenceWatch
    private var rhythm = BlockRhythm()
    /// While there is no stream.
    private var pacer: ALSAPacer?
    private var begun: Int64 = 0
    private var lastHeard: Int64 = 0
    private var staleFrames = 0
    private var place: UInt32 = 0

    init(_ board: UnsafeMutablePointer<DirectionBoard>, _ callbacks: DeviceCallbacks, _ wishes: StreamWishes) {
        self.board = board
        self.callbacks = callbacks
        format = wishes.format
        buffer = wishes.buffer
        samples = .allocate(capacity: format.maximumFrames * format.channels)
        samples.initialize(repeating: 0, count: format.maximumFrames * format.channels)
        clock = StreamClock(rate: wishes.rate)
        silence = SilenceWatch(rate: wishes.rate)
    }

    func dispose() { samples.deallocate() }

    var isLost: Bool { stream == nil }

    /// A stream runs. What it has sent before is of no use.
    mutating func adopt(_ next: PulseStream, at now: Int64) {
        next.discard()
        stream = next
        pacer = nil
        clock.reset()
        rhythm = BlockRhythm()
        silence = SilenceWatch(rate: Int(format.sampleRate))
        begun = now
        lastHeard = now
        staleFrames = buffer * 2
        place = next.place
    }

    /// The stream is gone.
    mutating func lose() {
        stream = nil
        board.pointee.delay.store(-1, ordering: .relaxed)
        pacer = ALSAPacer(format: format)
    }

    /// When to look next; nil: when the server sends something.
    var due: Int64? { pacer?.deadline ?? rhythm.due }

    /// Whether something is there that no turn has seen.
    var hasNews: Bool { due == nil && (stream?.readable ?? 0) > 0 }

    /// Hands over what is there.
    /// - Returns: false: the server has sent nothing for so long that it hangs.
    mutating func turn(at now: Int64) -> Bool {
        if let stream { return read(stream, now) }
        guard let pacer, pacer.takePeriod(), !board.pointee.isStopping else { return true }
        pacer.clear()
        callbacks.deliver(pacer.samples, frames: format.periodFrames, time: clock.passes(format.periodFrames, at: now))
        return true
    }

    @_noLocks
    private mutating func read(_ stream: PulseStream, _ now: Int64) -> Bool {
        if stream.place != place {
            place = stream.place
            clock.reset()
        }
        let available = stream.readable
        if available > 0 { lastHeard = now }
        guard rhythm.look(clock.nanoseconds(available), at: now) else {
            return now &- lastHeard <= DirectionBoard.stallLimit(age: now &- begun)
        }
        var age = available
        if let latency = stream.latency, clock.frames(latency) > available { age = clock.frames(latency) }
        if age > staleFrames {
            // We were too late for what is there. A source whose own delay is this long must not be thrown away for ever.
            staleFrames = staleFrames &* 2
            board.pointee.countXrun()
            clock.reset()
            stream.discard()
            return true
        }
        board.pointee.delay.store(Int(clock.nanoseconds(age) / 1000), ordering: .relaxed)
        hand(stream, available, age: age, now)
        return true
    }

    /// Gathers the pieces that a block comes in, and hands over what there is in blocks of at most the format's maximum.
    @_noLocks
    private mutating func hand(_ stream: PulseStream, _ available: Int, age: Int, _ now: Int64) {
        var age = age
        var left = available
        var gathered = 0
        var heard = false
        while left > 0 {
            let piece = stream.peek()
            if piece.frames == 0 { break }
            var start = 0
            while start < piece.frames {
                let room = format.maximumFrames &- gathered
                let count = piece.frames &- start < room ? piece.frames &- start : room
                let place = samples + gathered &* format.channels
                if Self.copy(piece.samples, from: start &* format.channels, count &* format.channels, to: place) {
                    heard = true
                }
                start &+= count
                gathered &+= count
                if gathered == format.maximumFrames {
                    deliver(gathered, heard: heard, age: age, now)
                    age &-= gathered
                    (gathered, heard) = (0, false)
                }
            }
            stream.drop()
            left &-= piece.frames
        }
        if gathered > 0 { deliver(gathered, heard: heard, age: age, now) }
    }

    /// Whether any of these samples is not zero. What got lost is silence.
    @_noLocks
    private static func copy(
        _ piece: UnsafeRawPointer?, from start: Int, _ count: Int, to place: UnsafeMutablePointer<Float>
    ) -> Bool {
        if let piece {
            let type = ALSASampleType.float32
            return type.decode(piece + start &* type.bytes, into: place, count: count)
        }
        for index in 0..<count { place[index] = 0 }
        return false
    }

    @_noLocks
    private mutating func deliver(_ frames: Int, heard: Bool, age: Int, _ now: Int64) {
        // given up by `stop`: nobody is there to hear
        if board.pointee.isStopping { return }
        if let isSilent = silence.note(heard: heard, frames: frames) { board.pointee.setSilent(isSilent) }
        callbacks.deliver(samples, frames: frames, time: clock.captured(frames, age: age, at: now))
    }
}
