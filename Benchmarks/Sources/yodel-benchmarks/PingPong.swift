import CAffinity
import Glibc
import Realtime
import Synchronization
import Threads

/// A block goes to another thread and comes back: the hand-over from a device thread to the media thread and back.
///
/// Both threads ask for real-time scheduling and for a processor each, so that the comparison does not measure the
/// scheduler; without that right its figures are those of a quiet machine only.
struct PingPong {
    static let warmUpBlocks = 100
    var blocks: Int

    private struct Side<W: BlockWriter & ~Copyable, R: BlockReader & ~Copyable>: ~Copyable {
        var writer: W
        var reader: R
        let blocks: Int
        let outcome: Outcome

        /// Sends a block and waits until it is back, over and over.
        mutating func ask() {
            let block = Self.makeBlock(0.25)
            defer { block.deallocate() }
            var time = 0.0
            for count in [PingPong.warmUpBlocks, blocks] {
                time = Measure.nanoseconds(count) {
                    PingPong.spin { writer.write(block, count: RingComparison.blockSamples) }
                    PingPong.spin { reader.read(into: block, count: RingComparison.blockSamples) }
                }
            }
            precondition(block[RingComparison.blockSamples - 1] == 0.25, "a block came back changed")
            outcome.nanoseconds.store(time.bitPattern, ordering: .releasing)
        }

        /// Waits for each block and sends it back.
        mutating func answer() {
            let block = Self.makeBlock(0)
            defer { block.deallocate() }
            for _ in 0..<PingPong.warmUpBlocks + blocks {
                PingPong.spin { reader.read(into: block, count: RingComparison.blockSamples) }
                PingPong.spin { writer.write(block, count: RingComparison.blockSamples) }
            }
        }

        private static func makeBlock(_ value: Float) -> UnsafeMutablePointer<Float> {
            let block = UnsafeMutablePointer<Float>.allocate(capacity: RingComparison.blockSamples)
            block.initialize(repeating: value, count: RingComparison.blockSamples)
            return block
        }
    }

    private final class Outcome: Sendable {
        let nanoseconds = Atomic(Double.nan.bitPattern)
    }

    /// Tries until it works, and lets others run if that takes long: both threads may share one processor.
    @inline(__always)
    private static func spin(_ attempt: () -> Bool) {
        var tries = 0
        while !attempt() {
            tries &+= 1
            if tries % 1_024 == 0 { sched_yield() }
        }
    }

    /// Nanoseconds of one round trip.
    func run<W: BlockWriter & ~Copyable & Sendable, R: BlockReader & ~Copyable & Sendable>(
        _ writer: consuming W, _ reader: consuming R, far farWriter: consuming W, _ farReader: consuming R
    ) throws -> Double {
        let outcome = Outcome()
        let far = Side(writer: farWriter, reader: farReader, blocks: blocks, outcome: outcome)
        let near = Side(writer: writer, reader: reader, blocks: blocks, outcome: outcome)
        let answering = try RealtimeThread(name: "pong", policy: .realtime(priority: 1), owning: far) { side in
            affinity_pin(1)
            side.answer()
        }
        let asking = try RealtimeThread(name: "ping", policy: .realtime(priority: 1), owning: near) { side in
            affinity_pin(0)
            side.ask()
        }
        asking.join()
        answering.join()
        return Double(bitPattern: outcome.nanoseconds.load(ordering: .acquiring))
    }
}
