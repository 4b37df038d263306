import RTP
import Testing

/// docs/rtcp-delay-app.md.
@Suite struct DelayLedgerMessageTests {
    @Test func theWireIsAsDocumented() {
        let message = DelayLedgerMessage(sendDelayMilliseconds: 70.004, isEstimated: true)
        let bytes = RTCPPacket.application(message.packet(ssrc: 0xa1)).bytes
        #expect(bytes == hex("80cc0004 000000a1 59444c59 01010000 00001b58"))
    }

    @Test func stopsOfTheMachineStandBehindWhatWasThereBefore() {
        let stops = DelayLedgerMessage.SenderStops(count: 85, longestMilliseconds: 20.9)
        let message = DelayLedgerMessage(sendDelayMilliseconds: 70, stops: stops)
        let bytes = RTCPPacket.application(message.packet(ssrc: 0xa1)).bytes
        #expect(bytes == hex("80cc0005 000000a1 59444c59 01040000 00001b58 005500d1"))
        #expect(DelayLedgerMessage(message.packet(ssrc: 1)) == message)
        var cut = message.packet(ssrc: 1)
        cut.data.removeLast(4)
        #expect(DelayLedgerMessage(cut)?.stops == nil && DelayLedgerMessage(cut)?.sendDelayMilliseconds == 70)
    }

    private typealias Recent = DelayLedgerMessage.RecentStops

    private func message(_ recent: Recent) -> DelayLedgerMessage {
        let stops = DelayLedgerMessage.SenderStops(count: 85, longestMilliseconds: 20.9, recent: recent)
        return DelayLedgerMessage(sendDelayMilliseconds: 70, stops: stops)
    }

    private let recent = Recent(
        count: 3, longestMilliseconds: 21, totalMilliseconds: 40,
        latest: [.init(agoMilliseconds: 700, milliseconds: 21), .init(agoMilliseconds: 4, milliseconds: 9)])

    @Test func stopsSinceTheReportBeforeAreListedBehindAllOfThem() {
        let message = message(recent)
        let bytes = RTCPPacket.application(message.packet(ssrc: 0xa1)).bytes
        #expect(
            bytes
                == hex(
                    "80cc0009 000000a1 59444c59 010c0000 00001b58 005500d1 00030015 02000028 02bc0015 00040009"))
        #expect(DelayLedgerMessage(message.packet(ssrc: 1)) == message)
    }

    @Test(arguments: [4, 8, 12, 16]) func aListThatIsCutOffIsNotRead(bytes: Int) {
        var cut = message(recent).packet(ssrc: 1)
        cut.data.removeLast(bytes)
        let read = DelayLedgerMessage(cut)?.stops
        #expect(read?.count == 85 && read?.recent == nil)
    }

    @Test func moreThanAreEverListedAreNotRead() {
        var packet = message(recent).packet(ssrc: 1)
        packet.data[16] = 255
        #expect(DelayLedgerMessage(packet)?.stops?.recent == nil, "it promises more than it holds")
        packet.data += [UInt8](repeating: 1, count: 4 * 253)
        let read = DelayLedgerMessage(packet)?.stops?.recent
        #expect(read?.latest.count == Recent.mostListed && read?.latest.first == recent.latest.first)
    }

    @Test func recentStopsBeyondTheFieldsStayAtTheirEnds() {
        let huge = Recent(
            count: 1 << 40, longestMilliseconds: -1, totalMilliseconds: 1 << 40,
            latest: Array(repeating: .init(agoMilliseconds: 1 << 40, milliseconds: -3), count: 20))
        let read = DelayLedgerMessage(message(huge).packet(ssrc: 1))?.stops?.recent
        #expect(
            read
                == Recent(
                    count: 65_535, longestMilliseconds: 0, totalMilliseconds: 16_777_215,
                    latest: Array(repeating: .init(agoMilliseconds: 65_535, milliseconds: 0), count: 16)))
    }

    @Test(arguments: [(-1, -5.0, 0, 0.0), (1 << 40, 1e9, 65_535, 6553.5), (3, .nan, 3, 0), (3, .infinity, 3, 0)])
    func stopsBeyondTheFieldsStayAtTheirEnds(count: Int, longest: Double, sent: Int, sentLongest: Double) {
        let stops = DelayLedgerMessage.SenderStops(count: count, longestMilliseconds: longest)
        let read = DelayLedgerMessage(DelayLedgerMessage(sendDelayMilliseconds: 1, stops: stops).packet(ssrc: 1))?.stops
        #expect(read?.count == sent && read?.longestMilliseconds == sentLongest)
    }

    @Test(arguments: [0.0, 0.01, 34.56, 1e6]) func delaysComeBack(milliseconds: Double) {
        let packet = DelayLedgerMessage(sendDelayMilliseconds: milliseconds).packet(ssrc: 1)
        #expect(DelayLedgerMessage(packet) == DelayLedgerMessage(sendDelayMilliseconds: milliseconds))
    }

    @Test(arguments: [-5, Double.nan, Double.infinity]) func impossibleDelaysAreSentAsNone(milliseconds: Double) {
        let packet = DelayLedgerMessage(sendDelayMilliseconds: milliseconds).packet(ssrc: 1)
        #expect(DelayLedgerMessage(packet)?.sendDelayMilliseconds == 0)
    }

    @Test func otherPacketsAndVersionsAreIgnoredAndLaterFieldsSkipped() {
        let good = DelayLedgerMessage(sendDelayMilliseconds: 12).packet(ssrc: 1)
        var other = good
        other.name = "YDLX"
        #expect(DelayLedgerMessage(other) == nil)
        other = good
        other.subtype = 1
        #expect(DelayLedgerMessage(other) == nil)
        other = good
        other.data[0] = 2
        #expect(DelayLedgerMessage(other) == nil)
        other = good
        other.data.removeLast(4)
        #expect(DelayLedgerMessage(other) == nil)
        other = good
        other.data += [9, 9, 9, 9]
        #expect(DelayLedgerMessage(other)?.sendDelayMilliseconds == 12)
    }
}
