import AudioUnits
import Realtime
import Synchronization

/// What a `PulseDevice` shares with its thread, and with the one that tells of it, from `open` to `close`. Both keep it alive: one that
/// hangs is abandoned, and frees its part whenever it wakes.
final class PulseEngine: Sendable {
    /// What the device wants of the thread.
    struct Orders {
        /// nil: to be idle.
        var callbacks: DeviceCallbacks?
        /// Whether streams are to be open.
        var wantsStreams = false
        var isEnding = false

        init(callbacks: DeviceCallbacks? = nil, wantsStreams: Bool = false, isEnding: Bool = false) {
            (self.callbacks, self.wantsStreams, self.isEnding) = (callbacks, wantsStreams, isEnding)
        }
    }

    /// What there is to say to whoever watches the device.
    private struct Telling {
        var handler: (@Sendable (DeviceEvent) -> Void)?
        var events: [DeviceEvent] = []
    }

    /// The server's names, empty for its default ones; nil: the direction is not wanted.
    let captureName: String?
    let playbackName: String?
    let request: DeviceRequest
    nonisolated(unsafe) let capture: UnsafeMutablePointer<DirectionBoard>?
    nonisolated(unsafe) let playback: UnsafeMutablePointer<DirectionBoard>?
    /// Wakes the thread, and the one that tells.
    let wake: EventSignal
    let report: EventSignal
    /// The thread has done what was ordered, or could not.
    let answered: EventSignal
    /// Readable once the threads have ended.
    let finished: EventSignal
    let told: EventSignal
    /// A lost device may be there again.
    let retryNow = Atomic<Bool>(false)
    let isPresent = Atomic<Bool>(true)
    let reopened = Atomic<Int>(0)
    private let orders = Lock(Orders())
    private let orderCount = Atomic<Int>(0)
    private let answer = Lock<DeviceError?>(nil)
    private let telling = Lock(Telling())

    init(capture: String?, playback: String?, request: DeviceRequest) throws(RealtimeError) {
        captureName = request.capture ? capture : nil
        playbackName = request.playback ? playback : nil
        self.request = request
        var signals: [EventSignal] = []
        do throws(RealtimeError) {
            for _ in 0..<5 { signals.append(try EventSignal()) }
        } catch {
            // Who has no descriptor left must not lose those that there were.
            for signal in signals { signal.close() }
            throw error
        }
        (wake, report, answered, finished, told) = (signals[0], signals[1], signals[2], signals[3], signals[4])
        self.capture = request.capture ? Self.board(isCapture: true, report) : nil
        self.playback = request.playback ? Self.board(isCapture: false, report) : nil
    }

    deinit {
        for board in boards {
            board.deinitialize(count: 1)
            board.deallocate()
        }
        for signal in [wake, report, answered, finished, told] { signal.close() }
    }

    private static func board(isCapture: Bool, _ report: EventSignal) -> UnsafeMutablePointer<DirectionBoard> {
        let place = UnsafeMutablePointer<DirectionBoard>.allocate(capacity: 1)
        place.initialize(to: DirectionBoard(isCapture: isCapture, report: report))
        return place
    }

    var boards: [UnsafeMutablePointer<DirectionBoard>] { [capture, playback].compactMap { $0 } }

    // MARK: The device

    /// Has the thread do something else, and waits until it does, `milliseconds` at most.
    /// - Returns: whether it does; an error in `lastError` otherwise, or none where it hangs.
    func order(_ next: Orders, milliseconds: Double) -> Bool {
        for board in boards { board.pointee.stopping.store(next.callbacks == nil, ordering: .releasing) }
        answered.drain()
        orders.withLock { $0 = next }
        orderCount.wrappingAdd(1, ordering: .releasing)
        wake.signal()
        return ALSAEngine.wait(answered, milliseconds: milliseconds)
    }

    /// Why the thread could not do what was ordered last.
    var lastError: DeviceError? { answer.withLock { $0 } }

    /// Who is told from now on.
    func setHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) { telling.withLock { $0.handler = handler } }

    // MARK: The thread

    /// How many orders there were: another one is there when it grows.
    var orderNumber: Int { orderCount.load(ordering: .acquiring) }

    /// What the device wants now.
    var wanted: Orders { orders.withLock { $0 } }

    /// The thread does what was ordered, or cannot.
    func accomplish(_ error: DeviceError?) {
        answer.withLock { $0 = error }
        answered.signal()
    }

    /// To be told by the other thread.
    func tell(_ event: DeviceEvent) {
        telling.withLock { $0.events.append(event) }
        report.signal()
    }

    // MARK: The one that tells

    /// Tells what there is.
    func tellAll(_ more: [DeviceEvent]) {
        let telling = telling.withLock { telling -> Telling in
            defer { telling.events = [] }
            return telling
        }
        for event in telling.events + more { telling.handler?(event) }
    }
}

/// The ordinary thread beside the device's: it tells events, which may take its time. It sleeps for the whole of a call without trouble.
struct PulseTeller: ~Copyable {
    private let engine: PulseEngine
    private var watches: [BoardWatch]

    init(_ engine: PulseEngine) {
        self.engine = engine
        watches = engine.boards.map { _ in BoardWatch() }
    }

    mutating func run() {
        while !engine.wanted.isEnding {
            if ALSAEngine.wait(engine.report, milliseconds: 3_600_000) { engine.report.drain() }
            var seen: [DeviceEvent] = []
            for (index, board) in engine.boards.enumerated() { seen += watches[index].events(board.pointee) }
            engine.tellAll(seen)
        }
        engine.told.signal()
    }
}
