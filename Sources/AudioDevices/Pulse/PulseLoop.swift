import AudioUnits
import CALSA
import Realtime

/// The thread of a `PulseDevice`: it serves the connection and both directions, and reopens what is lost.
///
/// It wakes when a direction's next block should be there (`BlockRhythm`), and looks at the socket only where it does not know. libpulse
/// waits for nothing, so a server that hangs holds up nobody.
struct PulseLoop: ~Copyable {
    private let engine: PulseEngine
    private var streams: PulseStreams?
    private var microphone: PulseMicrophone?
    private var loudspeaker: PulseLoudspeaker?
    private var orderNumber = 0
    private var backOff = ReopenBackOff()
    private var lostSince: HostTime?
    /// When the present attempt to reopen has failed; nil: there is none.
    private var attemptEnds: HostTime?

    /// How long the socket is waited for at most before the levels are looked at, in nanoseconds.
    private static let longestWait: Int64 = 10_000_000
    /// When a direction is due that waits for the socket.
    private static let unknown = Int64.max / 2
    /// And while nobody is there, in milliseconds.
    private static let idleMilliseconds = 50.0
    /// An attempt to reopen takes so long at most, in milliseconds.
    private static let attemptMilliseconds = 2000.0

    init(_ engine: PulseEngine) { self.engine = engine }

    /// Runs until the device is closed.
    mutating func run() {
        while true {
            if engine.orderNumber != orderNumber {
                orderNumber = engine.orderNumber
                let orders = engine.wanted
                if orders.isEnding { break }
                engine.accomplish(follow(orders))
            }
            if microphone != nil || loudspeaker != nil { turn() } else { idle() }
        }
        end()
        streams?.close()
        streams = nil
        engine.finished.signal()
    }

    /// Does what is ordered; what went wrong.
    private mutating func follow(_ orders: PulseEngine.Orders) -> DeviceError? {
        end()
        guard orders.wantsStreams else {
            streams?.close()
            return nil
        }
        do throws(DeviceError) {
            if streams == nil { streams = try PulseStreams(engine) }
            try streams?.open(milliseconds: PulseDevice.answerMilliseconds - 500)
        } catch {
            streams?.close()
            return error
        }
        if let callbacks = orders.callbacks { begin(callbacks) }
        return nil
    }

    private mutating func begin(_ callbacks: DeviceCallbacks) {
        for board in engine.boards { board.pointee.reset() }
        engine.isPresent.store(true, ordering: .relaxed)
        engine.reopened.store(0, ordering: .relaxed)
        (backOff, lostSince, attemptEnds) = (ReopenBackOff(), nil, nil)
        if let board = engine.capture, let wishes = streams?.capture?.wishes {
            microphone = PulseMicrophone(board, callbacks, wishes)
        }
        if let board = engine.playback, let wishes = streams?.playback?.wishes {
            loudspeaker = PulseLoudspeaker(board, callbacks, wishes)
        }
        adopt(calsa_now())
        // What has broken since it was opened is lost.
        if microphone?.isLost == true { lose(capture: true, streams?.error(capture: true)) }
        if loudspeaker?.isLost == true { lose(capture: false, streams?.error(capture: false)) }
    }

    /// Nobody is called any more.
    private mutating func end() {
        microphone?.dispose()
        loudspeaker?.dispose()
        (microphone, loudspeaker) = (nil, nil)
    }

    /// Streams that are open and not used yet are emptied now and then.
    private mutating func idle() {
        sleep(milliseconds: streams?.isOpen == true ? Self.idleMilliseconds : 3_600_000)
        streams?.connection.serve()
        streams?.capture?.ready?.discard()
    }

    private mutating func turn() {
        let asked = wait()
        streams?.connection.serve()
        let now = calsa_now()
        loudspeaker?.begins(at: now, asked: asked)
        keep(now)
        // The loudspeaker first: it takes what waits, and the media thread, which the microphone wakes, replaces it.
        if loudspeaker?.turn(at: now) == false { lose(capture: false, nil) }
        streams?.connection.serve()
        if microphone?.turn(at: calsa_now()) == false { lose(capture: true, nil) }
    }

    /// Waits until there is something to do: when it should be there, or, where that is not known, until something comes.
    /// - Returns: when the wait should have ended at the latest.
    private func wait() -> Int64 {
        let now = calsa_now()
        let microphone = microphone.map { $0.due ?? Self.unknown }
        let loudspeaker = loudspeaker.map { $0.due ?? Self.unknown }
        let (one, other) = (microphone ?? loudspeaker ?? .max, loudspeaker ?? microphone ?? .max)
        let (first, second) = (min(one, other), max(one, other))
        // What is due at nearly the same time shares a turn.
        let shared = second &- first < BlockRhythm.settling ? second : first
        guard second == Self.unknown, let connection = streams?.connection else {
            sleep(milliseconds: Double(shared &- calsa_now()) / 1e6)
            return shared
        }
        // What waits to be sent would end the wait at once; what has come meanwhile need not be waited for.
        connection.serve()
        // When the server tells nothing in time the thread looks at the clock: whether the machine stands still is known by that.
        let late = (self.loudspeaker?.expected ?? 0) &+ DirectionBoard.shortestSleep
        let deadline = min(late > now ? late : now &+ Self.longestWait, now &+ Self.longestWait, shared)
        let hasNews = self.microphone?.hasNews == true || self.loudspeaker?.hasNews == true
        guard hasNews || connection.wait(nanoseconds: deadline &- now) else { return deadline }
        // The rest of the block follows its first piece.
        let come = calsa_now()
        sleep(milliseconds: Double(BlockRhythm.settling) / 1e6)
        return come > deadline ? deadline : come &+ BlockRhythm.settling
    }

    private func sleep(milliseconds: Double) {
        if ALSAEngine.wait(engine.wake, milliseconds: milliseconds) { engine.wake.drain() }
    }

    // MARK: What is lost

    /// Notices what is lost, and tries to have it back.
    private mutating func keep(_ now: Int64) {
        if streams?.capture?.hasFailed == true, microphone?.isLost == false {
            lose(capture: true, streams?.error(capture: true))
        }
        if streams?.playback?.hasFailed == true, loudspeaker?.isLost == false {
            lose(capture: false, streams?.error(capture: false))
        }
        let time = HostTime(nanoseconds: now)
        if engine.retryNow.exchange(false, ordering: .acquiringAndReleasing), attemptEnds == nil { backOff.hasten(at: time) }
        guard let next = backOff.next, attemptEnds != nil || time >= next else { return }
        let ends = attemptEnds ?? time.advanced(byMilliseconds: Self.attemptMilliseconds)
        attemptEnds = ends
        let progress = streams?.advance() ?? .pending
        adopt(now)
        switch progress {
        case .done: isBack(time)
        case .pending where time < ends: break
        case .pending, .failed:
            streams?.giveUp()
            attemptEnds = nil
            backOff.failed(at: time)
        }
    }

    private mutating func isBack(_ now: HostTime) {
        attemptEnds = nil
        backOff.succeeded()
        engine.isPresent.store(true, ordering: .relaxed)
        engine.reopened.wrappingAdd(1, ordering: .relaxed)
        if let since = lostSince { engine.tell(.back(afterMilliseconds: now.milliseconds(since: since))) }
        lostSince = nil
    }

    /// Streams that are ready take the place of those that were lost.
    private mutating func adopt(_ now: Int64) {
        if let stream = streams?.capture?.ready, microphone?.isLost == true { microphone?.adopt(stream, at: now) }
        if let stream = streams?.playback?.ready, loudspeaker?.isLost == true { loudspeaker?.adopt(stream, at: now) }
    }

    /// A direction is lost: `error` says why; nil: its stream has stopped moving.
    private mutating func lose(capture: Bool, _ error: DeviceError?) {
        if capture { microphone?.lose() } else { loudspeaker?.lose() }
        let now = HostTime.monotonicNow()
        engine.isPresent.store(false, ordering: .relaxed)
        backOff.lost(at: now)
        if lostSince == nil {
            lostSince = now
            let name = "pulse:" + ((capture ? engine.captureName : engine.playbackName) ?? "")
            engine.tell(.lost(error ?? .streamBroken(device: name, reason: "the device has stopped moving")))
        }
        streams?.dropLost(capture: capture)
    }
}
