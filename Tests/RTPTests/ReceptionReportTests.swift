import RTP
import Realtime
import Testing

/// RFC 3550 appendices A.3 and A.8.
@Suite struct ReceptionReportTests {
    @Test func theFractionCoversOneIntervalAndTheSumAll() {
        var receiver = makeReceiver()
        for sequence in UInt16(0)..<100 where sequence % 4 != 1 { _ = receiver.take(packet(sequence)) }
        let first = receiver.makeReportBlocks()[0]
        #expect(first.fractionLost == 64 && first.cumulativeLost == 25 && first.highestSequence == 99)
        for sequence in UInt16(100)..<200 { _ = receiver.take(packet(sequence)) }
        let second = receiver.makeReportBlocks()[0]
        #expect(second.fractionLost == 0 && second.cumulativeLost == 25 && second.highestSequence == 199)
        #expect(receiver.makeReportBlocks()[0].fractionLost == 0, "an empty interval lost nothing")
    }

    @Test func duplicatesMakeTheCumulativeLossNegativeOnTheWire() {
        var receiver = makeReceiver()
        for sequence in UInt16(0)..<10 {
            _ = receiver.take(packet(sequence))
            _ = receiver.take(packet(sequence))
        }
        let block = receiver.makeReportBlocks()[0]
        #expect(block.cumulativeLost == -10 && block.fractionLost == 0)
        #expect(receiver.statistics.lost == 0)
        let bytes = RTCPPacket.receiverReport(ssrc: 9, reports: [block]).bytes
        #expect(Array(bytes[12..<16]) == hex("00 fffff6"))
        guard case .receiverReport(_, let reports)? = try? RTCPCompound.parse(bytes).first else {
            Issue.record("not a receiver report")
            return
        }
        #expect(reports == [block])
    }

    @Test func theHighestSequenceCarriesItsCycles() {
        var receiver = makeReceiver()
        for step in 0..<70_000 { _ = receiver.take(packet(UInt16(truncatingIfNeeded: step), timestamp: UInt32(step))) }
        #expect(receiver.makeReportBlocks()[0].highestSequence == 69_999)
    }

    @Test func jitterFollowsTheRecurrenceOfA8() {
        var receiver = makeReceiver()
        // Packets alternate between 0 and 10 ms of delay: |D| = 80 units each time, J = 80 (1 - (15/16)^n).
        var expected = 0.0
        for step in 0..<50 {
            let delay = step % 2 == 0 ? 0.0 : 10.0
            _ = receiver.take(packet(UInt16(step)), at: Double(step) * 20 + delay)
            if step > 0 { expected += (80 - expected) / 16 }
        }
        #expect(abs(receiver.statistics.jitter - expected) < 1e-6)
        #expect(abs(receiver.statistics.jitterMilliseconds - expected / 8) < 1e-6)
    }

    @Test func jitterIsExactAfterYearsOfUptime() {
        var receiver = makeReceiver()
        let years = 3.0 * 365 * 86_400_000
        for step in 0..<100 { _ = receiver.take(packet(UInt16(step)), at: years + Double(step) * 20) }
        #expect(receiver.statistics.jitter < 1)
    }

    @Test func telephoneEventsDoNotLookLikeJitter() {
        var receiver = makeReceiver()
        for step in 0..<20 { _ = receiver.take(packet(UInt16(step)), at: Double(step) * 20) }
        for step in 20..<40 {
            let bytes = packet(UInt16(step), timestamp: 20 * 160, payloadType: 101, payload: [1, 10, 0, UInt8(step)])
            #expect(receiver.take(bytes, at: Double(step) * 20) == .telephoneEvent)
        }
        #expect(receiver.statistics.jitter == 0)
    }
}
