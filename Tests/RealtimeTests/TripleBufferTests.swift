import Glibc
import Realtime
import Synchronization
import Testing
import Threads

@Suite struct TripleBufferTests {
    /// Several words that must agree: a torn value would not.
    struct Stamp: BitwiseCopyable {
        var words: InlineArray<16, UInt64>

        init(_ number: UInt64) { words = InlineArray(repeating: number) }

        var isWhole: Bool { words.indices.allSatisfy { words[$0] == words[0] } }
    }

    @Test("The reader sees the initial value, then the latest one, and it again when nothing new came")
    func showsTheLatest() {
        let ends = TripleBuffer(initial: 1)
        var writer = ends.writer
        var reader = ends.reader
        #expect(reader.latest() == 1)
        writer.publish(2)
        #expect(reader.latest() == 2)
        #expect(reader.latest() == 2)
        for value in 3...10 { writer.publish(value) }
        #expect(reader.latest() == 10)
        #expect(reader.latest() == 10)
        writer.publish(11)
        #expect(reader.latest() == 11)
    }

    struct Writer: ~Copyable {
        var end: TripleBufferWriter<Stamp>
        let last: UInt64

        mutating func run() {
            for number in 1...last {
                end.publish(Stamp(number))
                if number % 1024 == 0 { sched_yield() }
            }
        }
    }

    struct Reader: ~Copyable {
        var end: TripleBufferReader<Stamp>
        let last: UInt64
        let verdict: Verdict

        mutating func run() {
            var seen: UInt64 = 0
            var torn = 0
            var backwards = 0
            while seen < last {
                let value = end.latest()
                if !value.isWhole { torn += 1 }
                if value.words[0] < seen { backwards += 1 }
                if value.words[0] == seen { sched_yield() }
                seen = value.words[0]
            }
            verdict.torn.store(torn, ordering: .releasing)
            verdict.backwards.store(backwards, ordering: .releasing)
        }
    }

    final class Verdict: Sendable {
        let torn = Atomic(-1)
        let backwards = Atomic(-1)
    }

    @Test("Between two threads values are whole, never go back, and the last one arrives", .timeLimit(.minutes(20)))
    func torture() throws {
        #if DEBUG
        let last: UInt64 = 50_000
        #else
        let last: UInt64 = 2_000_000
        #endif
        let ends = TripleBuffer(initial: Stamp(0))
        let verdict = Verdict()
        let writer = try RealtimeThread(name: "triple-write", owning: Writer(end: ends.writer, last: last)) { $0.run() }
        let reader = try RealtimeThread(
            name: "triple-read", owning: Reader(end: ends.reader, last: last, verdict: verdict)
        ) { $0.run() }
        writer.join()
        reader.join()
        #expect(verdict.torn.load(ordering: .acquiring) == 0)
        #expect(verdict.backwards.load(ordering: .acquiring) == 0)
    }
}
