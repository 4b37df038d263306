import Codecs
import Media
import RTP
import Realtime
import Testing

@Suite("Sound of the microphone that is missing") struct MissingCaptureTests {
    private static let rate = 16_000.0

    /// An endpoint that has sent 200 ms.
    private func started() throws -> Endpoint {
        let endpoint = try Endpoint(.l16, seeds: [1], microphone: { _ in 0.25 })
        everyTenMilliseconds(to: 0.2) { endpoint.step(now: $0) }
        return endpoint
    }

    private func headers(_ endpoint: Endpoint) throws -> [RTPHeader] {
        try endpoint.links[0].rtp.map { try $0.withUnsafeBytes { try RTPPacket(parsing: $0).header } }
    }

    private func milliseconds(from first: RTPHeader, to second: RTPHeader) -> Double {
        Double(second.timestamp &- first.timestamp) * 1000 / Self.rate
    }

    @Test("time stamps go on where the sound does, after a marker, in packets without a gap", arguments: [20, 21])
    func hole(turns: Int) throws {
        let endpoint = try started()
        if turns == 21 { endpoint.step(now: HostTime(milliseconds: 210)) }
        let before = try headers(endpoint)
        #expect(before.count == 10)
        // The device's own time stood still for three seconds.
        everyTenMilliseconds(from: 3.2, to: 3.4) { endpoint.step(now: $0) }
        let after = try headers(endpoint).dropFirst(before.count)
        let (last, first) = try (#require(before.last), #require(after.first))
        #expect(first.sequence == last.sequence &+ 1 && first.marker)
        // Of a frame that was half there before, nothing is sent.
        let begun = turns == 21 ? 10.0 : 0
        #expect(abs(milliseconds(from: last, to: first) - (3020 + begun)) <= 20.1)
        let end = try #require(after.last)
        #expect(milliseconds(from: first, to: end) == Double(20 * (after.count - 1)))
        #expect(after.dropFirst().allSatisfy { !$0.marker })
    }

    @Test("of what waited for longer than the ring holds nothing is sent, and what follows has its own time")
    func overrun() throws {
        let endpoint = try started()
        let before = try headers(endpoint)
        // The media thread is away for two seconds.
        everyTenMilliseconds(from: 0.2, to: 2.2) { endpoint.device.turn(now: $0) }
        everyTenMilliseconds(from: 2.2, to: 2.6) { endpoint.step(now: $0) }
        let after = try headers(endpoint).dropFirst(before.count)
        let (last, first) = try (#require(before.last), #require(after.first))
        #expect((15...20).contains(after.count), "\(after.count) packets of 400 ms")
        #expect(abs(milliseconds(from: last, to: first) - 2020) <= 30)
        #expect(first.sequence == last.sequence &+ 1)
    }

    @Test("short waits are no hole: everything is sent, and nothing is left out")
    func shortWait() throws {
        let endpoint = try started()
        everyTenMilliseconds(from: 0.2, to: 0.4) { endpoint.device.turn(now: $0) }
        everyTenMilliseconds(from: 0.48, to: 0.6) { endpoint.step(now: $0) }
        let all = try headers(endpoint)
        for (one, next) in zip(all, all.dropFirst()) { #expect(milliseconds(from: one, to: next) == 20) }
        #expect(all.count == 26)
    }

    @Test("a digit that is on its way keeps its length")
    func digit() throws {
        let endpoint = try started()
        endpoint.perform(.digits("5"), now: HostTime(milliseconds: 200))
        everyTenMilliseconds(from: 0.2, to: 0.24) { endpoint.step(now: $0) }
        everyTenMilliseconds(from: 3.24, to: 3.8) { endpoint.step(now: $0) }
        let packets = try endpoint.links[0].rtp.map { bytes in
            try bytes.withUnsafeBytes { packet in
                let parsed = try RTPPacket(parsing: packet)
                return (header: parsed.header, payload: Array(parsed.payload))
            }
        }
        let events = packets.filter { $0.payload.count == 4 }
        #expect(events.count > 3)
        for event in events {
            let units = Int(event.payload[2]) << 8 | Int(event.payload[3])
            #expect(Double(units) * 1000 / Self.rate <= 100.1, "a digit of \(units) units")
        }
        let (first, last) = try (#require(packets.first), #require(packets.last))
        #expect(abs(milliseconds(from: first.header, to: last.header) - 3780) <= 50)
    }
}
