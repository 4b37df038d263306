import Codecs
import Media
import RTP
import Realtime
import Reporting
import Testing

@Suite("Packets that came and could not be played") struct UnplayableTests {
    /// A call to which so many packets came, one each 20 ms; its device asks for sound where `pulls`.
    private func call(_ codec: Codec, payload: [UInt8], packets: Int, pulls: Bool = true) throws -> Call {
        let endpoint = try Endpoint(codec, seeds: [7])
        for number in 0..<packets {
            let now = HostTime(milliseconds: Double(20 * number + 10))
            let header = RTPHeader(
                payloadType: codec.defaultPayloadType, sequence: UInt16(number),
                timestamp: UInt32(number * codec.rtpClockRate() / 50), ssrc: 9)
            var bytes = [UInt8](repeating: 0, count: 12)
            _ = bytes.withUnsafeMutableBytes { header.write(into: $0) }
            (bytes + payload).withUnsafeBytes { endpoint.call.receive(rtp: $0, arrival: now) }
            guard pulls else { continue }
            for milliseconds in [0.0, 10] { endpoint.step(now: now.advanced(byMilliseconds: milliseconds)) }
        }
        return endpoint.call
    }

    @Test(
        "are counted as discarded, and the verdict says that nothing was played",
        arguments: [
            (Codec.opus, [UInt8](repeating: 0xff, count: 3)), (.pcmu, [UInt8](repeating: 0xff, count: 1601)),
            (.l16, [UInt8](repeating: 0, count: 321)),
        ] as [(Codec, [UInt8])])
    func undecodable(codec: Codec, payload: [UInt8]) throws {
        let figures = try call(codec, payload: payload, packets: 150).statistics
        #expect(figures.packetsReceived ?? 0 > 140 && figures.concealedRatio == nil)
        #expect(figures.packetsDiscarded == figures.packetsReceived)
        #expect(figures.drops["undecodable"] == figures.packetsReceived, "\(figures.drops)")
        #expect(Verdict(figures).text == "unknown (nothing was played of what was received)")
    }

    @Test("because nobody asked for them are counted as discarded")
    func overflow() throws {
        let payload = [UInt8](repeating: 0xff, count: 160)
        let figures = try call(.pcmu, payload: payload, packets: 400, pulls: false).statistics
        #expect(figures.drops["buffer_overflow"] ?? 0 > 200, "\(figures.drops)")
        #expect(figures.packetsDiscarded == figures.drops["buffer_overflow"])
    }

    @Test("as RTCP are counted as discarded, and end nothing")
    func damagedControl() throws {
        let endpoint = try Endpoint(.pcmu, seeds: [7])
        let damaged: [UInt8] = [0x80, 201, 0, 9, 1, 2, 3]
        for _ in 0..<3 {
            damaged.withUnsafeBytes { endpoint.call.receive(rtcp: $0, arrival: HostTime(milliseconds: 10)) }
        }
        let figures = endpoint.call.statistics
        #expect(figures.drops == ["bad_rtcp": 3] && figures.packetsDiscarded == 3 && !endpoint.call.state.isEnded)
    }
}
