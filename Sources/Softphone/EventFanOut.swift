import Realtime

/// Hands values to any number of subscribers, each with a bounded queue of its own.
///
/// A subscriber that reads slowly, or never, loses its oldest values and is told how many. It costs neither whoever publishes nor
/// the other subscribers anything but the memory of its queue. What is published before the first subscriber comes is kept for it.
/// Every function may be called from any thread but render threads.
public final class EventFanOut<Value: Sendable>: Sendable {
    private struct State {
        var queues: [SubscriberQueue<Value>] = []
        /// What came before the first subscriber; `nil` once there was one.
        var early: BoundedQueue<Value>?
        var isFinished = false
    }

    private let state: Lock<State>

    /// - Parameter earlyCapacity: values kept for the first subscriber.
    public init(earlyCapacity: Int = 1024) {
        state = Lock(State(early: BoundedQueue(capacity: earlyCapacity)))
    }

    /// Gives `values` to every subscriber, in the same order to all. Never waits for a subscriber.
    public func publish(_ values: [Value]) {
        guard !values.isEmpty else { return }
        let queues = state.withLock { state in
            guard !state.isFinished else { return [SubscriberQueue<Value>]() }
            for value in values { state.early?.append(value) }
            for queue in state.queues { queue.append(values) }
            return state.queues
        }
        for queue in queues { queue.wake() }
    }

    /// Gives `value` to every subscriber.
    public func publish(_ value: Value) { publish([value]) }

    /// Nothing comes any more. Subscribers still get what waits for them.
    public func finish() {
        let queues = state.withLock { state in
            state.isFinished = true
            for queue in state.queues { queue.finish() }
            return state.queues
        }
        for queue in queues { queue.wake() }
    }

    /// Begins to take part; ends with the subscription's life.
    /// - Parameters:
    ///   - capacity: values that wait at most, 1 or more.
    ///   - onReady: called when something waits, on the thread that publishes; for those who cannot poll a descriptor. It must not
    ///     block.
    /// - Throws: when the system has no descriptor left.
    public func subscribe(
        capacity: Int = 1024, onReady: (@Sendable () -> Void)? = nil
    ) throws(RealtimeError) -> EventSubscription<Value> {
        let queue = try SubscriberQueue<Value>(capacity: capacity, onReady: onReady)
        state.withLock { state in
            if var early = state.early.take() { queue.begin(with: early.takeAll()) }
            if state.isFinished { queue.finish() }
            state.queues.append(queue)
        }
        queue.wake()
        return EventSubscription(queue, of: self)
    }

    /// Subscribers there are.
    public var subscribers: Int { state.withLock { $0.queues.count } }

    fileprivate func remove(_ queue: SubscriberQueue<Value>) {
        state.withLock { state in state.queues.removeAll { $0 === queue } }
    }
}

/// What a subscriber takes at once.
public struct EventBatch<Value: Sendable>: Sendable {
    /// Oldest first.
    public var values: [Value]
    /// Values lost before the first of these, because they were not taken in time.
    public var lost: Int
    /// Whether nothing will come after these.
    public var isLast: Bool
}

/// One subscriber's place at an `EventFanOut`. It is given up when nobody refers to it any more.
public final class EventSubscription<Value: Sendable>: Sendable {
    private let queue: SubscriberQueue<Value>
    private let fanOut: EventFanOut<Value>

    fileprivate init(_ queue: SubscriberQueue<Value>, of fanOut: EventFanOut<Value>) {
        self.queue = queue
        self.fanOut = fanOut
    }

    deinit { fanOut.remove(queue) }

    /// Readable while something waits, and once nothing comes any more; for `poll`.
    public var fileDescriptor: Int32 { queue.fileDescriptor }

    /// Takes everything that waits; returns at once.
    public func take() -> EventBatch<Value> { queue.take() }

    /// Values that wait; never more than the capacity.
    public var waiting: Int { queue.waiting }
}

/// A subscriber's queue, where both ends find it.
private final class SubscriberQueue<Value: Sendable>: Sendable {
    private struct State {
        var values: BoundedQueue<Value>
        var isFinished = false
    }

    private let state: Lock<State>
    private let signal: EventSignal
    private let onReady: (@Sendable () -> Void)?

    init(capacity: Int, onReady: (@Sendable () -> Void)?) throws(RealtimeError) {
        signal = try EventSignal()
        state = Lock(State(values: BoundedQueue(capacity: capacity)))
        self.onReady = onReady
    }

    deinit { signal.close() }

    var fileDescriptor: Int32 { signal.fileDescriptor }
    var waiting: Int { state.withLock { $0.values.count } }

    func append(_ values: [Value]) {
        state.withLock { state in for value in values { state.values.append(value) } }
    }

    func begin(with early: (values: [Value], lost: Int)) {
        state.withLock { state in
            for value in early.values { state.values.append(value) }
            state.values.lost += early.lost
        }
    }

    func finish() { state.withLock { $0.isFinished = true } }

    /// Tells the subscriber that something waits, if so.
    func wake() {
        guard state.withLock({ $0.values.count > 0 || $0.isFinished }) else { return }
        signal.signal()
        onReady?()
    }

    func take() -> EventBatch<Value> {
        signal.drain()
        return state.withLock { state in
            // The end stays readable: nobody may sleep on a subscription that is over.
            if state.isFinished { signal.signal() }
            let (values, lost) = state.values.takeAll()
            return EventBatch(values: values, lost: lost, isLast: state.isFinished)
        }
    }
}
