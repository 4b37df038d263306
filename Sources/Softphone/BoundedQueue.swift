/// A queue that keeps the newest values and counts those it let go. Its memory never exceeds its capacity.
struct BoundedQueue<Value: Sendable>: Sendable {
    /// Values kept at most, 1 or more.
    let capacity: Int
    /// Values let go since the last time they were taken.
    var lost = 0
    private var values: [Value] = []
    /// Where the oldest stands once the queue is full.
    private var oldest = 0

    init(capacity: Int) { self.capacity = max(1, capacity) }

    var count: Int { values.count }

    /// Puts `value` behind the others, in place of the oldest if there is no room.
    mutating func append(_ value: Value) {
        guard values.count == capacity else { return values.append(value) }
        values[oldest] = value
        oldest = (oldest + 1) % capacity
        lost += 1
    }

    /// Takes everything, oldest first, and the count of what was lost before it.
    mutating func takeAll() -> (values: [Value], lost: Int) {
        defer { (values, oldest, lost) = ([], 0, 0) }
        return (Array(values[oldest...] + values[..<oldest]), lost)
    }
}
