import Codecs
import JitterBuffer
import Realtime
import Testing

@Suite struct DiscontinuityTests {
    @Test("Pauses of the sender (continuous sequence, jumping timestamps) are silence, not loss", arguments: [
        CodecKind.l16, .opus,
    ])
    func pauses(codec: CodecKind) throws {
        var stream = StreamSimulation(codec: codec, seconds: 20, signal: Signal.tone(500))
        var sent: Int64 = 0
        stream.rewrite = { packet in
            // One second of talk, one of silence, of which nothing is sent.
            guard packet.sentAt.truncatingRemainder(dividingBy: 2000) < 1000 else { return nil }
            var packet = packet
            sent += 1
            packet.sequence = sent
            return packet
        }
        let result = try stream.run()
        #expect(result.statistics.resets == 0)
        // The first milliseconds of a pause may sound like a gap: nothing told of it.
        #expect(result.statistics.concealments <= 10)
        let talk = result.output[(result.rate * 165 / 10)..<(result.rate * 168 / 10)]
        #expect(talk.reduce(0) { $0 + $1 * $1 } / Float(talk.count) > 0.03)
        #expect(result.delay(16.3, 16.9) < 35)
    }

    @Test("Opus's own discontinuous transmission is comfort noise, not concealment")
    func opusDTX() throws {
        var stream = StreamSimulation(codec: .opus, seconds: 20)
        stream.signal = { $0 < 5 || $0 > 15 ? Signal.voice($0) : 0 }
        stream.settings.dtx = true
        let result = try stream.run()
        #expect(result.concealed(0) == 0)
        #expect(result.statistics.resets == 0)
    }

    @Test("A jump of the sender's timestamps, either way, starts the stream anew without concealment", arguments: [
        Int64(3_000_000), -3_000_000, 1 << 40, -40_000,
    ])
    func timestampJump(by jump: Int64) throws {
        var stream = StreamSimulation(codec: .pcmu, seconds: 20, signal: Signal.tone(500))
        stream.rewrite = { packet in
            var packet = packet
            if packet.sentAt > 10_000 { packet.timestamp += jump }
            return packet
        }
        let result = try stream.run()
        #expect(result.statistics.resets == 1)
        #expect(result.count(0) { $0 == .reset(.timestampJump) } == 1)
        #expect(result.statistics.concealShortMs <= 60 && result.statistics.concealLongMs == 0)
        #expect(abs(result.delay(15, 20) - result.delay(5, 10)) < 12)
    }

    @Test("A restarted sender (new numbers on both counts) is followed")
    func restart() throws {
        var stream = StreamSimulation(codec: .opus, seconds: 20, signal: Signal.tone(500))
        stream.rewrite = { packet in
            var packet = packet
            if packet.sentAt > 10_000 {
                packet.sequence += 20_000
                packet.timestamp -= 1_234_567_890
            }
            return packet
        }
        let result = try stream.run()
        #expect(result.count(0) { $0 == .reset(.sequenceJump) } == 1)
        #expect(result.gapMilliseconds(10.3, 19.9) == 0)
    }

    @Test("The application's reset and a new decoder keep what was learnt of the line")
    func replaceDecoder() throws {
        let buffer = JitterBuffer(decoder: try makeDecoder(.pcmu), clockRate: 8000)
        var samples = [Float](repeating: 0, count: 960)
        var random = TestRandom(seed: 7)
        var delays: [Double] = []
        for (codec, base) in [(CodecKind.pcmu, 0), (.opus, 500), (.l16, 1000)] {
            let encoder = try makeEncoder(codec)
            if base > 0 { buffer.replaceDecoder(try makeDecoder(codec), clockRate: codec.rtpClockRate()) }
            #expect(buffer.sampleRate == codec.sampleRate)
            var payload = [UInt8](repeating: 0, count: encoder.maximumPayloadBytes)
            let frame = (0..<encoder.frameLength).map { Signal.tone(500)(Double($0) / Double(encoder.sampleRate)) }
            for index in base..<(base + 500) {
                let bytes = try frame.withUnsafeBufferPointer { frame in
                    try payload.withUnsafeMutableBytes { try encoder.encode(frame, into: $0) }
                }
                payload.withUnsafeBytes { payload in
                    _ = buffer.insert(
                        BufferedPacket(
                            extendedSequence: Int64(index), extendedTimestamp: Int64(index * encoder.frameLength),
                            arrival: HostTime(milliseconds: Double(index * 20) + random.unit() * 2),
                            payload: UnsafeRawBufferPointer(rebasing: payload[0..<bytes])))
                }
                for half in 0..<2 {
                    _ = samples.withUnsafeMutableBufferPointer {
                        buffer.pull(
                            into: UnsafeMutableBufferPointer(rebasing: $0[0..<(encoder.frameLength / 2)]),
                            now: HostTime(milliseconds: Double(index * 20 + half * 10) + 2))
                    }
                }
            }
            delays.append(try #require(buffer.currentDelayMilliseconds))
        }
        #expect(buffer.statistics.resets == 2)
        #expect(buffer.statistics.concealments <= 2)
        #expect(delays.allSatisfy { $0 < 30 })
    }
}
