import Realtime
import Testing

@Suite struct RingBufferTests {
    /// Puts `values` in and takes what comes out, over and over, so that the indices pass the wrap many times.
    private func roundTrip(mirrored: Bool) throws -> (sent: [UInt32], received: [UInt32]) {
        let ends = try RingEnds<UInt32>(minimumCapacity: 1024, mirrored: mirrored)
        var producer = ends.producer
        var consumer = ends.consumer
        var sent: [UInt32] = []
        var received: [UInt32] = []
        for turn in 0..<200 {
            let block = (0..<700).map { UInt32(turn * 700 + $0) }
            let written = block.withUnsafeBufferPointer { producer.write($0.baseAddress!, count: $0.count) }
            sent += block[..<written]
            let back = [UInt32](unsafeUninitializedCapacity: 700) { buffer, count in
                count = consumer.read(into: buffer.baseAddress!, count: 700)
            }
            received += back
        }
        return (sent, received)
    }

    @Test("What goes in comes out in order, past the wrap, mirrored or not", arguments: [true, false])
    func keepsOrder(mirrored: Bool) throws {
        let (sent, received) = try roundTrip(mirrored: mirrored)
        #expect(sent.count == 200 * 700)
        #expect(received == sent)
    }

    @Test("A mirrored ring's free and filled regions are contiguous wherever the indices are")
    func regionsAreContiguous() throws {
        let ends = try RingEnds<Float>(minimumCapacity: 1024)
        var producer = ends.producer
        var consumer = ends.consumer
        let capacity = Int(producer.capacity)
        #expect(consumer.isMirrored == true)
        for turn in 0..<50 {
            var free = producer.free
            try #require(free.count == capacity)
            for i in 0..<capacity { free[i] = Float(turn * capacity + i) }
            producer.commit(capacity)
            let matches = consumer.withFilled { filled in
                filled.count == capacity && filled.indices.allSatisfy { filled[$0] == Float(turn * capacity + $0) }
            }
            #expect(matches, "turn \(turn)")
            consumer.consume(capacity)
            // Moves the start of the next turn to an odd place.
            producer.commit(333)
            consumer.consume(333)
        }
    }

    @Test("A plain ring's regions end at the wrap and go on at the start")
    func plainRegionsEndAtTheWrap() throws {
        let ends = try RingEnds<UInt8>(minimumCapacity: 16, mirrored: false)
        var producer = ends.producer
        var consumer = ends.consumer
        #expect(consumer.isMirrored == false)
        producer.commit(12)
        consumer.consume(12)
        #expect(producer.free.count == 4)
        #expect(producer.room(wanted: 16) == 16)
        producer.commit(4)
        #expect(producer.free.count == 12)
        producer.commit(12)
        #expect(consumer.filled.count == 4)
        #expect(consumer.withFilled { $0.count } == 4)
        #expect(consumer.available(wanted: 16) == 16)
    }

    @Test("A full ring takes nothing more, an empty one gives nothing", arguments: [true, false])
    func fullAndEmpty(mirrored: Bool) throws {
        let ends = try RingEnds<Float>(minimumCapacity: 2048, mirrored: mirrored)
        var producer = ends.producer
        var consumer = ends.consumer
        let capacity = Int(producer.capacity)
        let block = [Float](repeating: 0.25, count: capacity + 7)
        var target = [Float](repeating: 0, count: capacity + 7)
        #expect(consumer.read(into: &target, count: 7) == 0)
        #expect(producer.write(block, count: block.count) == capacity)
        #expect(producer.write(block, count: 1) == 0)
        #expect(producer.filled() == capacity)
        #expect(consumer.read(into: &target, count: target.count) == capacity)
        #expect(consumer.available(wanted: 1) == 0)
        #expect(target[capacity - 1] == 0.25 && target[capacity] == 0)
    }

    @Test("An end that commits or consumes without having looked first still counts right")
    func committingUnlooked() throws {
        let ends = try RingEnds<Float>(minimumCapacity: 1024)
        var producer = ends.producer
        var consumer = ends.consumer
        let capacity = Int(producer.capacity)
        for _ in 0..<10 {
            producer.commit(capacity - 1)
            #expect(producer.room(wanted: 1) == 1)
            consumer.consume(capacity - 2)
            #expect(consumer.available(wanted: 1) == 1)
            #expect(producer.room(wanted: capacity) == capacity - 1)
            consumer.consume(1)
        }
    }

    @Test("Capacity is the wanted one rounded up to a power of two, and at least a page when mirrored")
    func capacityIsRoundedUp() throws {
        for (wanted, plain) in [(-5, 1), (0, 1), (1, 1), (3, 4), (1024, 1024), (1025, 2048)] {
            #expect(try RingEnds<Float>(minimumCapacity: wanted, mirrored: false).producer.capacity == UInt(plain))
        }
        let capacity = try RingEnds<Float>(minimumCapacity: 1).producer.capacity
        #expect(capacity.nonzeroBitCount == 1 && capacity >= 1024)
    }

    @Test("A ring of an absurd size is refused and maps nothing", arguments: [true, false])
    func absurdSizeIsRefused(mirrored: Bool) {
        for size in [1 << 29, 1 << 62, Int.max] {
            do {
                _ = try RingEnds<Float>(minimumCapacity: size, mirrored: mirrored)
                Issue.record("made a ring of \(size) elements")
            } catch {
                guard case .noMemory = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
    }

    @Test("An end keeps the memory alive after the other is gone")
    func oneEndSuffices() throws {
        var consumer = try filledConsumer()
        var target = [Float](repeating: 0, count: 3)
        #expect(consumer.read(into: &target, count: 3) == 3)
        #expect(target == [1, 2, 3])
    }

    private func filledConsumer() throws -> RingConsumer<Float> {
        let ends = try RingEnds<Float>(minimumCapacity: 64)
        var producer = ends.producer
        #expect(producer.write([1, 2, 3], count: 3) == 3)
        return ends.consumer
    }
}
