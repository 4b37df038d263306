import CJack
import Glibc
import Realtime

/// Our ring, and our ring with a framer behind it, against JACK's: blocks of 480 samples (10 ms at 48 kHz).
///
/// Each round runs all of them one after the other, each time another one first, so that whatever else the machine does
/// hits all alike.
struct RingComparison {
    static let blockSamples = 480
    static let ringSamples = 8_192
    var rounds: Int
    var blocksPerRound: Int

    struct Result {
        let name: String
        /// Medians over the rounds, in nanoseconds.
        let nanoseconds: Double
        let jackNanoseconds: Double
        /// Median of each round's own ratio to JACK; below 1 is faster than JACK.
        let ratioToJack: Double
    }

    func run() throws -> [Result] {
        var samples = [[Double]](repeating: [], count: 5)
        for round in 0..<rounds {
            for turn in 0..<5 {
                let which = (round + turn) % 5
                samples[which].append(try measure(which))
            }
        }
        func result(_ name: String, _ ours: Int, _ jack: Int) -> Result {
            Result(
                name: name, nanoseconds: Measure.median(samples[ours]), jackNanoseconds: Measure.median(samples[jack]),
                ratioToJack: Measure.median(zip(samples[ours], samples[jack]).map { $0 / $1 }))
        }
        return [
            result("ring_write_read", 0, 2), result("ring_write_framer", 1, 2), result("ring_ping_pong", 3, 4),
        ]
    }

    private func measure(_ which: Int) throws -> Double {
        switch which {
        case 0:
            let ends = try RingEnds<Float>(minimumCapacity: Self.ringSamples)
            return uncontended(YodelWriter(end: ends.producer), YodelReader(end: ends.consumer))
        case 1:
            let ends = try RingEnds<Float>(minimumCapacity: Self.ringSamples)
            return uncontended(
                YodelWriter(end: ends.producer),
                FramerReader(end: ends.consumer, framer: Framer(frameLength: Self.blockSamples)))
        case 2:
            return withJack { uncontended(JackWriter(ring: $0), JackReader(ring: $0)) }
        case 3:
            let there = try RingEnds<Float>(minimumCapacity: Self.ringSamples)
            let back = try RingEnds<Float>(minimumCapacity: Self.ringSamples)
            return try PingPong(blocks: blocksPerRound / 4).run(
                YodelWriter(end: there.producer), YodelReader(end: back.consumer),
                far: YodelWriter(end: back.producer), YodelReader(end: there.consumer))
        default:
            return try withJack { there in
                try withJack { back in
                    try PingPong(blocks: blocksPerRound / 4).run(
                        JackWriter(ring: there), JackReader(ring: back), far: JackWriter(ring: back),
                        JackReader(ring: there))
                }
            }
        }
    }

    private func withJack<R>(_ body: (UnsafeMutablePointer<jack_ringbuffer_t>) throws -> R) rethrows -> R {
        guard let ring = jack_ringbuffer_create(Self.ringSamples * MemoryLayout<Float>.size) else {
            fatalError("no memory for a ring of JACK's")
        }
        defer { jack_ringbuffer_free(ring) }
        // As our memory is populated, so is theirs.
        jack_ringbuffer_mlock(ring)
        return try body(ring)
    }

    /// Nanoseconds of one write and one read by the same thread.
    private func uncontended<W: BlockWriter & ~Copyable, R: BlockReader & ~Copyable>(
        _ writer: consuming W, _ reader: consuming R
    ) -> Double {
        let block = UnsafeMutablePointer<Float>.allocate(capacity: Self.blockSamples)
        block.initialize(repeating: 0.25, count: Self.blockSamples)
        defer { block.deallocate() }
        var writer = writer
        var reader = reader
        var moved = 0
        let time = Measure.nanoseconds(blocksPerRound) {
            if writer.write(block, count: Self.blockSamples) { moved += 1 }
            if reader.read(into: block, count: Self.blockSamples) { moved += 1 }
        }
        precondition(moved == 2 * blocksPerRound, "a block was lost")
        return time
    }
}
