/// How often packets were lost in a row, where some come in another order than they were sent. Sans-I/O.
package struct LossRuns: Sendable {
    /// A packet that comes after so many later ones counts as one that was lost.
    private static let memory = 64

    /// Of the newest packets, the newest first: whether each came.
    private var came = ~UInt64(0)
    private var lastWasLost = false
    private var judged = 0

    package init() {}

    /// Takes a packet, so many after the newest; one of those before has a number below 0.
    package mutating func note(_ step: Int64) {
        guard step > 0 else {
            if step > -Int64(Self.memory) { came |= 1 << UInt64(-step) }
            return
        }
        // After so many there are only lost ones behind.
        for _ in 0..<min(step, Int64(Self.memory) + 1) { judgeOldest() }
        came |= 1
    }

    private mutating func judgeOldest() {
        let isLost = came >> UInt64(Self.memory - 1) == 0
        if isLost, !lastWasLost { judged += 1 }
        lastWasLost = isLost
        came <<= 1
    }

    /// Runs up to now.
    package var count: Int {
        var copy = self
        for _ in 0..<Self.memory { copy.judgeOldest() }
        return copy.judged
    }
}
