import Realtime
import Reporting
import Synchronization

/// The newest events, for any number of subscribers, each at a place of its own.
///
/// A subscriber costs nothing but its place: one that reads slowly finds, when the spool has gone past it, how many it lost.
/// The spool's memory is bounded by a count and by bytes. Any thread may call any function.
package final class EventSpool: Sendable {
    package struct Item: Sendable {
        package var id: EventID
        package var type: String
        /// One line of JSON.
        package var data: String
    }

    /// What a subscriber reads at once.
    package struct Batch: Sendable {
        package var items: [Item]
        /// Events that are no longer there, before these.
        package var lost: UInt64
        /// The place of the last event there is.
        package var end: UInt64
        package var isFinished: Bool
    }

    private struct State {
        /// Event `n` is at `n` modulo the capacity.
        var ring: [Item?]
        /// Number of the oldest kept, and of the next to come.
        var first: UInt64 = 1
        var next: UInt64 = 1
        var bytes = 0
        var isFinished = false
        var doorbells: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastDoorbell = 0
    }

    package let epoch: String
    private let state: Lock<State>
    private let byteLimit: Int
    private let lost = Atomic<UInt64>(0)

    package init(epoch: String, capacity: Int = 4096, byteLimit: Int = 8 << 20) {
        self.epoch = epoch
        self.byteLimit = byteLimit
        state = Lock(State(ring: Array(repeating: nil, count: max(1, capacity))))
    }

    /// Puts an event behind the others, and wakes who waits.
    package func publish(type: String, _ value: JSONValue) {
        let data = value.text
        let bells = state.withLock { state -> [AsyncStream<Void>.Continuation] in
            guard !state.isFinished else { return [] }
            let capacity = UInt64(state.ring.count)
            while state.next - state.first >= capacity
                || (state.bytes + data.utf8.count > byteLimit && state.first < state.next)
            {
                let index = Int(state.first % capacity)
                state.bytes -= state.ring[index]?.data.utf8.count ?? 0
                state.ring[index] = nil
                state.first += 1
            }
            state.ring[Int(state.next % capacity)] = Item(
                id: EventID(epoch: epoch, sequence: state.next), type: type, data: data)
            state.bytes += data.utf8.count
            state.next += 1
            return Array(state.doorbells.values)
        }
        for bell in bells { bell.yield() }
    }

    /// Events behind the one of that number, `limit` at most.
    package func read(after sequence: UInt64, limit: Int = 64) -> Batch {
        state.withLock { state in
            let wanted = min(sequence, state.next - 1) + 1
            let start = max(wanted, state.first)
            let end = min(state.next, start + UInt64(limit))
            let capacity = UInt64(state.ring.count)
            let items = (start..<end).compactMap { state.ring[Int($0 % capacity)] }
            return Batch(items: items, lost: start - wanted, end: state.next - 1, isFinished: state.isFinished)
        }
    }

    /// The place of the last event there is.
    package var position: EventID { EventID(epoch: epoch, sequence: state.withLock { $0.next - 1 }) }

    /// Rings whenever there may be something to read; ends when nobody listens any more, or nothing comes.
    /// - Parameter every: rings that often besides.
    package func doorbell(every: Duration? = nil) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (number, isFinished) = state.withLock { state in
            state.lastDoorbell += 1
            state.doorbells[state.lastDoorbell] = continuation
            return (state.lastDoorbell, state.isFinished)
        }
        let timer = every.map { interval in
            Task { while (try? await Task.sleep(for: interval)) != nil { continuation.yield() } }
        }
        continuation.onTermination = { [weak self] _ in
            timer?.cancel()
            self?.state.withLock { _ = $0.doorbells.removeValue(forKey: number) }
        }
        continuation.yield()
        if isFinished { continuation.finish() }
        return stream
    }

    /// Nothing comes any more.
    package func finish() {
        let bells = state.withLock { state in
            defer { state.doorbells = [:] }
            state.isFinished = true
            return Array(state.doorbells.values)
        }
        for bell in bells {
            bell.yield()
            bell.finish()
        }
    }

    /// Notes what a subscriber lost.
    func noteLoss(_ count: UInt64) { lost.add(count, ordering: .relaxed) }

    package var lostTotal: UInt64 { lost.load(ordering: .relaxed) }
    package var published: UInt64 { position.sequence }
}
