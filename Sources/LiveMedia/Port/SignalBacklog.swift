import Realtime

/// Sound that waits for the disk, in as much memory as it needs: one thread adds, another takes.
final class SignalBacklog: Sendable {
    private let waiting = Lock<[Int16]>([])
    private let capacity: Int
    private let health: FileHealth

    /// - Parameters:
    ///   - capacity: samples that may wait.
    ///   - health: of the file they are for, which counts what does not fit.
    init(capacity: Int, health: FileHealth) { (self.capacity, self.health) = (capacity, health) }

    /// Adds samples; those that do not fit are lost, and counted.
    func add(_ samples: UnsafeBufferPointer<Int16>) {
        let lost = waiting.withLock { waiting in
            let fitting = max(0, min(samples.count, capacity - waiting.count))
            waiting.append(contentsOf: UnsafeBufferPointer(rebasing: samples[..<fitting]))
            return samples.count - fitting
        }
        health.lose(lost)
    }

    /// Takes all that waits, in exchange for memory that what follows is kept in.
    /// - Parameter spare: what was taken before, and is done with; all that waits.
    func exchange(_ spare: inout [Int16]) {
        // What a disk that stood still made it grow to is given back.
        spare.removeAll(keepingCapacity: spare.capacity <= capacity / 8)
        waiting.withLock { swap(&$0, &spare) }
    }
}
