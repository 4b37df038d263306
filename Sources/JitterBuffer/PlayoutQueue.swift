import Realtime

/// Decoded samples not yet pulled, and behind them the recent past, in one stretch of memory: concealment and time
/// stretching look back over both.
package final class PlayoutQueue {
    /// Samples of the past that stay readable before the end of the queue.
    let historyLength: Int
    private let storage: UnsafeMutablePointer<Float>
    private let capacity: Int
    private var readIndex: Int
    private var writeIndex: Int

    /// - Parameter room: samples that can be pending at once.
    package init(historyLength: Int, room: Int) {
        self.historyLength = historyLength
        // Twice the room: more than is used as a rule, and only what is used becomes resident.
        capacity = historyLength + 2 * room
        storage = ZeroedMemory.allocate(capacity)
        readIndex = historyLength
        writeIndex = historyLength
    }

    deinit { ZeroedMemory.free(storage) }

    package var pending: Int { writeIndex - readIndex }

    /// The last `count` samples written, pulled or not; zeros before the first.
    package func tail(_ count: Int) -> UnsafePointer<Float> {
        UnsafePointer(storage + (writeIndex - min(count, historyLength)))
    }

    /// Appends as many samples as fit.
    package func append(_ samples: UnsafePointer<Float>, count: Int) {
        makeRoom(count)
        let fitting = max(0, min(count, capacity - writeIndex))
        (storage + writeIndex).update(from: samples, count: fitting)
        writeIndex += fitting
    }

    /// Takes out as many samples as there are, at most `count`.
    package func take(into output: UnsafeMutablePointer<Float>, count: Int) -> Int {
        let taken = min(count, pending)
        output.update(from: storage + readIndex, count: taken)
        readIndex += taken
        return taken
    }

    /// Moves what is kept down when as much lies before it, so that the queue works in the same few pages.
    private func makeRoom(_ count: Int) {
        let keep = max(pending, historyLength)
        let source = writeIndex - keep
        guard source >= keep || writeIndex + count > capacity, source > 0 else { return }
        (storage).update(from: storage + source, count: keep)
        readIndex -= source
        writeIndex -= source
    }
}
