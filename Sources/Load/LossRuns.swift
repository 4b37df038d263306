/// How often packets were lost in a row, where some come in another order than they were sent. Sans-I/O.
package struct LossRuns: Sendable {
    /// A packet that comes after so many later ones counts as one that was lost.
    private static let memory = 64

    /// Of the newest packets, the newest first: whether each came.
    private var came = ~UInt64(0)
    /// The same of the stream that is heard now, in which nothing has come before its first.
    private var heard: UInt64 = 1
    private var lastWasLost = false
    private var judged = 0

    package init() {}

    /// How far back it is known what came.
    static let reach = Int64(memory)

    /// Another stream begins, with its first packet.
    mutating func beginStream() { heard = 1 }

    /// Whether the packet has come that is so many before the newest; beyond `reach` nobody knows.
    func hasCome(before steps: Int64) -> Bool { steps < Self.reach && heard >> UInt64(steps) & 1 == 1 }

    /// Takes a packet, so many after the newest; one of those before has a number below 0.
    package mutating func note(_ step: Int64) {
        guard step > 0 else {
            guard step > -Self.reach else { return }
            came |= 1 << UInt64(-step)
            heard |= 1 << UInt64(-step)
            return
        }
        heard = step < Self.reach ? heard << UInt64(step) | 1 : 1
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
