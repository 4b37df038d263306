import Realtime
import Testing

@Suite struct FramerTests {
    @Test(
        "Blocks of any size leave as frames of exactly one size, nothing lost, order kept",
        arguments: [1, 80, 160, 480, 960, 1023] as [Int], [0xF4A3E_1, 0xF4A3E_2] as [UInt64])
    func cutsFrames(frameLength: Int, seed: UInt64) throws {
        var sizes = SplitMix64(seed: seed)
        let ends = try RingEnds<Float>(minimumCapacity: 8192)
        var producer = ends.producer
        var consumer = ends.consumer
        let framer = Framer(frameLength: frameLength)
        var written = 0
        var read = 0
        var frames = 0
        var reported = 0
        for _ in 0..<400 {
            let block = (0..<Int.random(in: 0...1500, using: &sizes)).map { Float(written + $0) }
            let taken = producer.write(block, count: block.count)
            try #require(taken == block.count, "seed \(seed)")
            written += block.count
            let emitted = framer.process(&consumer) { frame in
                #expect(frame.count == frameLength)
                let inOrder = frame.indices.allSatisfy { frame[$0] == Float(read + $0) }
                #expect(inOrder, "seed \(seed), after \(read) samples")
                read += frame.count
                frames += 1
            }
            reported += emitted
            #expect(written - read < frameLength, "a whole frame was left behind, seed \(seed)")
        }
        #expect(reported == frames)
        #expect(read == frames * frameLength)
        #expect(consumer.available(wanted: frameLength) == written - read)
    }

    @Test("Without a whole frame there is no frame")
    func waitsForAWholeFrame() throws {
        let ends = try RingEnds<Float>(minimumCapacity: 1024)
        var producer = ends.producer
        var consumer = ends.consumer
        let framer = Framer(frameLength: 480)
        let block = [Float](repeating: 0.5, count: 479)
        _ = producer.write(block, count: 479)
        #expect(framer.process(&consumer) { _ in Issue.record("a frame out of 479 samples") } == 0)
        _ = producer.write(block, count: 1)
        var counts: [Int] = []
        framer.process(&consumer) { counts.append($0.count) }
        #expect(counts == [480])
    }

    @Test("A frame that does not divide the ring crosses its wrap in one piece")
    func crossesTheWrap() throws {
        let ends = try RingEnds<Float>(minimumCapacity: 1024)
        var producer = ends.producer
        var consumer = ends.consumer
        let capacity = Int(producer.capacity)
        producer.commit(capacity - 100)
        consumer.consume(capacity - 100)
        let block = (0..<480).map(Float.init)
        _ = producer.write(block, count: 480)
        let framer = Framer(frameLength: 480)
        var frames: [[Float]] = []
        framer.process(&consumer) { frames.append(Array($0)) }
        #expect(frames == [block])
    }
}
