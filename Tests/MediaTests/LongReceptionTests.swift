import CAudit
import Codecs
import Link
import Media
import RTP
import Realtime
import Testing

/// A received call as the network brings it, with every allocation and lock of the receiving side counted.
private struct Reception {
    let call: Call
    var counts = audit_counts()
    private let codec: Codec
    private let encoder: any AudioEncoder
    private let packet = UnsafeMutableRawBufferPointer.allocate(byteCount: 1500, alignment: 8)
    private var payloads: [[UInt8]] = []
    private let block: UnsafeMutableBufferPointer<Float>

    init(_ codec: Codec) throws {
        self.codec = codec
        var configuration = CallConfiguration(codec: codec, seed: 3)
        configuration.policy.mediaTimeoutMilliseconds = .greatestFiniteMagnitude
        call = try Call(configuration: configuration, link: NoLink(), now: .zero)
        encoder = try makeEncoder(codec, settings: EncoderSettings(bitrate: 36_000, expectedLossPercent: 5))
        block = .allocate(capacity: call.sampleRate / 100)
        block.initialize(repeating: 0)
        let rate = encoder.sampleRate
        let length = encoder.frameLength
        var payload = [UInt8](repeating: 0, count: 1400)
        for number in 0..<100 {
            // A voice for 1.6 s, then a pause.
            let frame = (0..<length).map { sample in
                number < 80 ? 0.2 * Float((number * length + sample) % (rate / 140)) / Float(rate / 140) - 0.1 : 0
            }
            let bytes = try frame.withUnsafeBufferPointer { frame in
                try payload.withUnsafeMutableBytes { try encoder.encode(frame, into: $0) }
            }
            payloads.append(Array(payload[..<bytes]))
        }
    }

    func free() {
        packet.deallocate()
        block.deallocate()
    }

    mutating func receive(_ number: Int, timestampShift: Int = 0, ssrc: UInt32 = 7, at milliseconds: Double) {
        let header = RTPHeader(
            payloadType: codec.defaultPayloadType, sequence: UInt16(truncatingIfNeeded: number),
            timestamp: UInt32(truncatingIfNeeded: number * codec.rtpClockRate() / 50 + timestampShift), ssrc: ssrc)
        let length = header.write(into: packet)
        let payload = payloads[number % payloads.count]
        for index in payload.indices { packet[length + index] = payload[index] }
        let datagram = UnsafeRawBufferPointer(rebasing: packet[..<(length + payload.count)])
        audit_begin()
        call.receive(rtp: datagram, arrival: HostTime(milliseconds: milliseconds))
        note(audit_end())
    }

    mutating func pull(at milliseconds: Double) {
        audit_begin()
        _ = call.pull(into: block, now: HostTime(milliseconds: milliseconds))
        note(audit_end())
    }

    private mutating func note(_ found: audit_counts) {
        counts.allocations += found.allocations
        counts.frees += found.frees
        counts.locks += found.locks
    }
}

@Suite("Reception that goes on", .enabled(if: audit_available(), "a sanitizer brings its own malloc"))
struct LongReceptionTests {
    @Test(
        "half a million packets of a bad line allocate nothing after the first second",
        arguments: [
            (Codec.pcmu, 400_000), (.opus, 100_000),
        ])
    func halfAMillion(codec: Codec, packets: Int) throws {
        var reception = try Reception(codec)
        defer { reception.free() }
        var random = SplitMix64(seed: 17)
        func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
        var stall = 0.0
        for number in 0..<packets {
            let time = Double(number) * 20
            if number == 50 {
                _ = reception.call.takeEvents()
                reception.counts = audit_counts()
            }
            if chance(0.001) { stall = 150 }
            stall = max(0, stall - 20)
            if !chance(0.04) {
                reception.receive(number, at: time + stall + Double.random(in: 0...15, using: &random))
                if chance(0.01) { reception.receive(number, at: time + stall + 16) }
                if number > 50, chance(0.01) { reception.receive(number - 3, at: time + stall + 16) }
            }
            reception.pull(at: time + 1)
            reception.pull(at: time + 11)
        }
        #expect(
            reception.counts.allocations == 0 && reception.counts.frees == 0 && reception.counts.locks == 0,
            "\(reception.counts)")
        let statistics = reception.call.jitterBufferStatistics
        #expect(statistics.decoded > packets * 9 / 10 && statistics.concealments > packets / 50, "\(statistics)")
        #expect(statistics.acceleratedMs > 0 && statistics.late > 0, "\(statistics)")
    }

    @Test(
        "a flood of early, late, duplicate and foreign packets takes no memory, and the call goes on",
        arguments: [
            Codec.pcmu, .opus,
        ])
    func flood(codec: Codec) throws {
        var reception = try Reception(codec)
        defer { reception.free() }
        var random = SplitMix64(seed: 23)
        for number in 0..<3000 {
            let time = Double(number) * 20
            if number == 50 {
                _ = reception.call.takeEvents()
                reception.counts = audit_counts()
            }
            reception.receive(number, at: time)
            // For ten seconds a hundred more for each of the call's own.
            for index in 0..<100 where (500..<1000).contains(number) {
                switch index % 4 {
                case 0: reception.receive(number, at: time)
                case 1: reception.receive(number - Int.random(in: 1...400, using: &random), at: time)
                case 2: reception.receive(number + 2000 + Int.random(in: 1...400, using: &random), at: time)
                default:
                    reception.receive(number, ssrc: UInt32.random(in: 8...UInt32.max, using: &random), at: time)
                }
            }
            reception.pull(at: time + 1)
            reception.pull(at: time + 11)
        }
        // Jumps in the stream's numbers are told to the application, and what told it is let go again, but for the list that
        // waits to be taken.
        #expect((0...1).contains(reception.counts.allocations - reception.counts.frees), "\(reception.counts)")
        #expect(reception.counts.allocations < 500, "\(reception.counts)")
        // Whatever the flood did, a minute later the voice is whole and no later than before.
        let before = reception.call.jitterBufferStatistics
        for number in 6000..<7000 {
            reception.receive(number, at: Double(number) * 20)
            reception.pull(at: Double(number) * 20 + 1)
            reception.pull(at: Double(number) * 20 + 11)
        }
        let after = reception.call.jitterBufferStatistics
        #expect(after.decoded - before.decoded > 990, "\(after)")
        #expect(after.concealments - before.concealments <= 2, "\(after)")
    }
}
