import Codecs
import Link
import Media
import RTP
import Realtime
import Testing

/// A call that is stepped by a clock, without a device: what comes is heard and said again in one turn.
@Suite("Turns of a call without a device") struct EchoTurnTests {
    /// Keeps what was sent.
    private final class KeepingLink: LinkEnd {
        var rtp: [[UInt8]] = []

        func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool {
            if packet.flow == .media { rtp.append(Array(packet.bytes)) }
            return true
        }
    }

    private func packet(_ number: Int, payload: [UInt8]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 12) + payload
        let header = RTPHeader(
            payloadType: 0, sequence: UInt16(number), timestamp: UInt32(number * 160), ssrc: 0x1234_5678)
        _ = bytes.withUnsafeMutableBytes { header.write(into: $0) }
        return bytes
    }

    /// 20 ms of a count that never repeats within ten packets, in PCMU: quiet codes are left out, so that silence is told apart.
    private func payload(_ number: Int) -> [UInt8] { (0..<160).map { UInt8(($0 + number * 7) % 100) } }

    @Test("what is said comes back unchanged, a packet for a packet, and nothing waits between hearing and saying")
    func echo() throws {
        var configuration = CallConfiguration(codec: try Codec(named: "pcmu"), seed: 3)
        configuration.echoes = true
        configuration.policy.waitsForCaller = true
        let link = KeepingLink()
        let call = try Call(configuration: configuration, link: link, now: .zero)
        var frame = [Float](repeating: 0, count: call.frameLength)
        #expect(frame.count == 160)
        for number in 0..<200 {
            let arrival = HostTime(milliseconds: Double(number) * 20 + 3)
            packet(number, payload: payload(number)).withUnsafeBytes { call.receive(rtp: $0, arrival: arrival) }
            let now = HostTime(milliseconds: Double(number) * 20 + 5)
            _ = frame.withUnsafeMutableBufferPointer { call.hear(frame: $0, now: now) }
            frame.withUnsafeBufferPointer { _ = call.say($0, now: now) }
            call.advance(to: now, ntp: NTPTime(unixNanoseconds: now.nanoseconds))
        }
        #expect(link.rtp.count == 200)
        #expect(call.state == .active)
        // In the second half the buffer has settled: every code comes back in its order.
        let back = link.rtp[100...].flatMap { $0.dropFirst(12) }
        let said = (90..<200).flatMap { payload($0) }
        let start = try #require(
            (0..<1600).first { offset in
                offset + 400 <= said.count && Array(said[offset..<offset + 400]) == Array(back[0..<400])
            })
        let count = min(back.count, said.count - start)
        #expect(count > 14_000)
        #expect(Array(back[0..<count]) == Array(said[start..<start + count]))
        let delay = 100 * 160 - (90 * 160 + start)
        #expect(delay <= 4 * 160, "\(delay) samples from a packet's arrival until it leaves")
    }

    @Test("a call that is over says and hears nothing")
    func over() throws {
        let link = KeepingLink()
        let call = try Call(configuration: CallConfiguration(codec: try Codec(named: "pcmu"), seed: 3), link: link, now: .zero)
        call.perform(.hangUp(.localHangup), now: .zero, ntp: NTPTime(unixNanoseconds: 0))
        var frame = [Float](repeating: 1, count: 160)
        let isHeard = frame.withUnsafeMutableBufferPointer { call.hear(frame: $0, now: .zero) }
        #expect(!isHeard && frame.allSatisfy { $0 == 0 })
        #expect(frame.withUnsafeBufferPointer { call.say($0, now: .zero) }.isEmpty && link.rtp.isEmpty)
    }
}
