import Glibc
import RTP
import Testing

@Suite struct RTCPCompoundTests {
    struct Case: CustomTestStringConvertible {
        let name: String
        let verdict: String
        let bytes: [UInt8]
        var testDescription: String { name }
    }

    /// Fixtures/rtcp-compounds.txt, made by make-rtcp-compounds.py.
    static let cases: [Case] = {
        let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        guard let file = fopen(folder + "/Fixtures/rtcp-compounds.txt", "r") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").map { line in
            let words = line.split(separator: " ").map(String.init)
            return Case(name: words[0], verdict: words[1], bytes: hex(words[2]))
        }
    }()

    private func name(_ packet: RTCPPacket) -> String {
        switch packet {
        case .senderReport: "sr"
        case .receiverReport: "rr"
        case .sourceDescription: "sdes"
        case .bye: "bye"
        case .application: "app"
        case .extendedReport(_, let blocks): "xr(\(blocks.map(name).joined(separator: ",")))"
        case .unknown(let type): String(type)
        }
    }

    private func name(_ block: ExtendedReportBlock) -> String {
        switch block {
        case .lossRLE: "rle"
        case .receiverReferenceTime: "reference"
        case .delaySinceLastReceiverReport: "dlrr"
        case .statisticsSummary: "summary"
        case .voipMetrics: "voip"
        }
    }

    @Test func theFixturesAreThere() { #expect(Self.cases.count > 40) }

    @Test(arguments: cases)
    func theCompoundIsReadOrRefused(as item: Case) {
        let verdict: String
        do {
            verdict = try RTCPCompound.parse(item.bytes).map(name).joined(separator: ",")
        } catch {
            verdict = "\(error)"
        }
        #expect(verdict == item.verdict)
    }

    @Test func noTruncationOfAWholeCompoundIsBelievedInPart() throws {
        let whole = try #require(Self.cases.first { $0.name == "everything" }).bytes
        var boundaries: [Int] = []
        for length in 0..<whole.count where (try? RTCPCompound.parse(Array(whole[..<length]))) != nil {
            boundaries.append(length)
        }
        // Only cuts between packets leave a (shorter) valid compound.
        #expect(boundaries == [52, 80, 100])
    }

    @Test func theSenderReportIsReadFieldByField() throws {
        let bytes = hex(
            "81c8000c 11223344 b44db705 20000000 00000a0b 00000064 00003e80"
                + "55667788 40 fffffe 00010005 00000021 b7052000 00054000")
        let block = ReportBlock(
            ssrc: 0x5566_7788, fractionLost: 64, cumulativeLost: -2, highestSequence: 0x10005, jitter: 33,
            lastSenderReport: 0xb705_2000, delaySinceLastSenderReport: 0x54000)
        let packet = RTCPPacket.senderReport(
            ssrc: 0x1122_3344, ntp: NTPTime(rawValue: 0xb44d_b705_2000_0000),
            info: SenderInfo(rtpTimestamp: 0xa0b, packets: 100, octets: 16_000), reports: [block])
        #expect(try RTCPCompound.parse(bytes) == [packet])
        #expect(packet.bytes == bytes)
    }

    @Test func whatIsBuiltIsReadBack() throws {
        let packets: [RTCPPacket] = [
            .receiverReport(ssrc: 1, reports: []),
            .sourceDescription([SourceDescription(ssrc: 1, cname: "abc"), SourceDescription(ssrc: 2, cname: nil)]),
            .application(ApplicationPacket(ssrc: 1, subtype: 31, name: "TEST", data: [1, 2, 3, 4])),
            .bye(ssrcs: [1, 2], reason: "grüezi"),
        ]
        #expect(try RTCPCompound.parse(packets.flatMap(\.bytes)) == packets)
        let description = RTCPPacket.sourceDescription([SourceDescription(ssrc: 1, cname: "abc")])
        #expect(description.bytes == hex("81ca0003 00000001 0103616263 000000"))
        #expect(RTCPPacket.bye(ssrcs: [1], reason: "ab").bytes == hex("81cb0002 00000001 02616200"))
    }

    @Test func textsAndListsThatAreTooLongAreCut() throws {
        let packets: [RTCPPacket] = [
            .receiverReport(ssrc: 1, reports: []),
            .sourceDescription([SourceDescription(ssrc: 1, cname: String(repeating: "c", count: 300))]),
            .bye(ssrcs: Array(1...40), reason: String(repeating: "r", count: 300)),
        ]
        #expect(
            try RTCPCompound.parse(packets.flatMap(\.bytes)) == [
                .receiverReport(ssrc: 1, reports: []),
                .sourceDescription([SourceDescription(ssrc: 1, cname: String(repeating: "c", count: 255))]),
                .bye(ssrcs: Array(1...31), reason: String(repeating: "r", count: 255)),
            ])
    }
}
