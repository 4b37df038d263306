import Codecs
import Media
import RTP
import Realtime
import Testing

@Suite("A change of packet length in mid-call") struct PacketLengthChangeTests {
    /// The octets that a G.722 call sends of three seconds of sound; after one it goes on in packets of `milliseconds`, or as
    /// it was.
    private func octets(_ said: [Float], then milliseconds: Int?) throws -> [UInt8] {
        let link = QueueLink()
        let call = try Call(configuration: CallConfiguration(codec: .g722, seed: 7), link: link, now: .zero)
        var octets: [UInt8] = []
        var start = 0
        while start + call.frameLength <= said.count {
            let now = HostTime(milliseconds: Double(start) / 16)
            if start == 16_000, let milliseconds {
                let next = SendingFormat(MediaFormat(.g722), encoder: EncoderSettings(frameMilliseconds: milliseconds))
                call.perform(.send(next), now: now, ntp: NTPTime(unixNanoseconds: 0))
                #expect(call.frameLength == 16 * milliseconds)
            }
            let frame = Array(said[start..<start + call.frameLength])
            frame.withUnsafeBufferPointer { _ = call.say($0, now: now) }
            start += frame.count
            for packet in link.rtp { octets += packet.dropFirst(12) }
            link.carryControl(to: nil, now: now)
        }
        return octets
    }

    @Test("is not heard: the encoder goes on where it was, for the other side's decoder does", arguments: [10, 20, 30, 40, 60])
    func goesOn(milliseconds: Int) throws {
        let tone = sine(300, amplitude: 0.3, rate: 16_000)
        let other = sine(1_730, amplitude: 0.1, rate: 16_000)
        let said = (0..<48_000).map { tone($0) + other($0) }
        let unchanged = try octets(said, then: nil)
        let changed = try octets(said, then: milliseconds)
        #expect(unchanged.count == 24_000)
        // What is left of the end is less than a packet.
        #expect(changed.count > 23_000 && changed[...] == unchanged[..<changed.count])
    }
}
