import Glibc
import Realtime
import Synchronization
import Testing
import Threads

/// Two threads at full speed with block sizes from a seed; every element carries its own number.
@Suite struct RingTortureTests {
    #if DEBUG
    static let total: UInt32 = 200_000
    #else
    static let total: UInt32 = 5_000_000
    #endif

    struct Writer: ~Copyable {
        var ring: RingProducer<UInt32>
        var sizes: SplitMix64

        mutating func run() {
            var next: UInt32 = 0
            var block = [UInt32](repeating: 0, count: 700)
            while next < RingTortureTests.total {
                let wanted = min(Int.random(in: 1...700, using: &sizes), Int(RingTortureTests.total - next))
                let written: Int
                if Bool.random(using: &sizes) {
                    for i in 0..<wanted { block[i] = next &+ UInt32(i) }
                    written = ring.write(block, count: wanted)
                } else {
                    var free = ring.free
                    let fits = min(wanted, free.count)
                    for i in 0..<fits { free[i] = next &+ UInt32(i) }
                    ring.commit(fits)
                    written = fits
                }
                next += UInt32(written)
                if written == 0 { sched_yield() }
            }
        }
    }

    struct Reader: ~Copyable {
        var ring: RingConsumer<UInt32>
        var sizes: SplitMix64
        let verdict: Verdict

        mutating func run() {
            var next: UInt32 = 0
            var wrong = 0
            var block = [UInt32](repeating: 0, count: 700)
            while next < RingTortureTests.total {
                let wanted = Int.random(in: 1...700, using: &sizes)
                let taken: Int
                if Bool.random(using: &sizes) {
                    taken = ring.read(into: &block, count: wanted)
                    for i in 0..<taken where block[i] != next &+ UInt32(i) { wrong += 1 }
                } else {
                    let expected = next
                    let found = ring.withFilled { filled in
                        let count = min(wanted, filled.count)
                        let bad = (0..<count).count { filled[$0] != expected &+ UInt32($0) }
                        return (count: count, wrong: bad)
                    }
                    ring.consume(found.count)
                    taken = found.count
                    wrong += found.wrong
                }
                next += UInt32(taken)
                if taken == 0 { sched_yield() }
            }
            verdict.wrong.store(wrong, ordering: .releasing)
            verdict.left.store(ring.available(wanted: 1), ordering: .releasing)
        }
    }

    final class Verdict: Sendable {
        let wrong = Atomic(-1)
        let left = Atomic(-1)
    }

    @Test(
        "No element is lost, doubled, torn or out of order between two threads",
        arguments: [true, false], [0x5EED_0001, 0x5EED_0002, 0x5EED_0003] as [UInt64])
    func torture(mirrored: Bool, seed: UInt64) throws {
        let ends = try RingEnds<UInt32>(minimumCapacity: 1024, mirrored: mirrored)
        let verdict = Verdict()
        let writer = try RealtimeThread(
            name: "torture-write", owning: Writer(ring: ends.producer, sizes: SplitMix64(seed: seed))
        ) { $0.run() }
        let reader = try RealtimeThread(
            name: "torture-read",
            owning: Reader(ring: ends.consumer, sizes: SplitMix64(seed: ~seed), verdict: verdict)
        ) { $0.run() }
        writer.join()
        reader.join()
        #expect(verdict.wrong.load(ordering: .acquiring) == 0, "seed \(seed), mirrored \(mirrored)")
        #expect(verdict.left.load(ordering: .acquiring) == 0, "seed \(seed), mirrored \(mirrored)")
    }
}
