import CAudit
import Glibc
import Realtime
import Testing

@Suite(.enabled(if: audit_available(), "a sanitizer brings its own malloc"))
struct AllocationAuditTests {
    /// Four allocations and three frees; unoptimised, or the compiler would see that they are for nothing.
    @_optimize(none)
    private func allocateAndFree() -> Int32 {
        free(realloc(malloc(100), 200))
        free(calloc(3, 5))
        var aligned: UnsafeMutableRawPointer?
        let made = posix_memalign(&aligned, 64, 640)
        free(aligned)
        return made
    }

    @Test("The audit sees allocations, frees and locks, so that a count of 0 means something")
    func auditSees() {
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        audit_begin()
        let made = allocateAndFree()
        pthread_mutex_lock(mutex)
        let counts = audit_end()
        pthread_mutex_unlock(mutex)
        mutex.deallocate()
        #expect(made == 0)
        #expect(counts.allocations == 4 && counts.frees == 3 && counts.locks == 1, "\(counts)")
    }

    @Test("The audit sees what Swift allocates, and stops at its end")
    func auditSeesSwift() {
        var array: [Int] = []
        audit_begin()
        for i in 0..<Int.random(in: 1000...2000) { array.append(i) }
        let counts = audit_end()
        array.append(contentsOf: Array(repeating: 1, count: 5000))
        #expect(counts.allocations > 0)
        #expect(audit_end().allocations == counts.allocations)
        #expect(array.count > 6000 - 1)
    }

    struct Load: ~Copyable {
        var producer: RingProducer<Float>
        var consumer: RingConsumer<Float>
        var writer: TripleBufferWriter<Double>
        var reader: TripleBufferReader<Double>
        let signal: EventSignal
        let cord: BellCord

        /// What a render thread does with this floor, in one turn; that it compiles is half of the proof.
        @_noLocks
        mutating func turn(_ block: UnsafeMutablePointer<Float>, count: Int, number: Double) -> Double {
            let written = producer.write(block, count: count)
            var free = producer.free
            free[0] = 1
            producer.commit(1)
            writer.publish(number)
            signal.signal()
            cord.ring()
            let read = consumer.read(into: block, count: written)
            let one = consumer.withFilled { $0.count }
            consumer.consume(one)
            return reader.latest() + Double(read + one)
        }
    }

    @Test("Rings, triple buffers and signals neither allocate nor lock once they are made")
    func hotPathIsClean() throws {
        let ring = try RingEnds<Float>(minimumCapacity: 4096)
        let triple = TripleBuffer(initial: 0.0)
        let signal = try EventSignal()
        defer { signal.close() }
        let bell = Bell()
        var load = Load(
            producer: ring.producer, consumer: ring.consumer, writer: triple.writer, reader: triple.reader,
            signal: signal, cord: bell.cord)
        let block = UnsafeMutablePointer<Float>.allocate(capacity: 480)
        block.initialize(repeating: 0.1, count: 480)
        defer { block.deallocate() }
        var sum = 0.0
        audit_begin()
        for number in 0..<1000 { sum += load.turn(block, count: 480, number: Double(number)) }
        let counts = audit_end()
        #expect(counts.allocations == 0 && counts.frees == 0 && counts.locks == 0, "\(counts)")
        #expect(sum == 999 * 1000 / 2 + 481 * 1000)
    }
}
