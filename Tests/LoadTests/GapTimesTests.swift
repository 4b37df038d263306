import Link
import Load
import RTP
import Realtime
import Testing

@Suite("When calls of a load heard gaps") struct GapTimesTests {
    private let time = VirtualTime()

    /// A call of packets of 20 ms that hears one after each of these intervals, and was late itself before those in `late`.
    private func call(hearing intervals: [Int64], late: Set<Int> = []) -> LoadCallReport {
        var random = SplitMix64(seed: 1)
        var call = LoadCall(
            number: 0, local: SocketAddress(IPAddress(v4: 0x7f00_0001), port: 4000), .pcmu, firstPacket: 0, random: &random)
        call.noteSent(at: time.now)
        for (number, interval) in intervals.enumerated() {
            time.pass(milliseconds: interval)
            var bytes = [UInt8](repeating: 0xff, count: 172)
            let header = RTPHeader(
                payloadType: 0, sequence: UInt16(number), timestamp: UInt32(number) * 160, ssrc: 9)
            bytes.withUnsafeMutableBytes { bytes in
                _ = header.write(into: bytes)
                if let packet = try? RTPPacket(parsing: UnsafeRawBufferPointer(bytes)) {
                    call.receive(packet, arrival: time.now, wasLate: late.contains(number), packetMilliseconds: 20)
                }
            }
        }
        return LoadCallReport(call, nil)
    }

    private func told(of calls: [LoadCallReport]) -> String? {
        var results = LoadResults(calls: calls.count)
        for call in calls { results.add(call) }
        return results.report().members([]).first { $0.name == "gaps_at" }?.value.text
    }

    @Test("moments are told in seconds since the load's first packet, with the gaps of all calls")
    func moments() {
        time.pass(milliseconds: 98_765)
        let first = call(hearing: [20, 20, 500, 20, 20, 20, 90])
        #expect(told(of: [first]) == #"[{"at_s":0.5,"gaps":1},{"at_s":0.6,"gaps":1}]"#)
        // The second begins 690 ms after the first packet of the first.
        let second = call(hearing: [20, 20, 500])
        #expect(
            told(of: [second, first]) == #"[{"at_s":0.5,"gaps":1},{"at_s":0.6,"gaps":1},{"at_s":1.2,"gaps":1}]"#)
    }

    @Test("a gap while the load was late is none of them, and no gap is an empty list")
    func excused() {
        let calls = [call(hearing: [20, 20, 500], late: [2]), call(hearing: [20, 20, 20])]
        #expect(calls.map(\.members).compactMap { $0.first { $0.name == "gaps_excused" }?.value.text } == ["1", "0"])
        #expect(told(of: calls) == "[]" && told(of: []) == "[]")
    }

    @Test("of one call's gaps the first 256 are told, and all are counted")
    func many() throws {
        let one = call(hearing: Array(repeating: 100, count: 301))
        #expect(one.members.first { $0.name == "gaps" }?.value == .integer(300))
        let text = try #require(told(of: [one]))
        #expect(text.split(separator: "{").count - 1 == 256)
    }
}
