import RTP
import Realtime
import Testing

@Suite struct RTPReceiverTests {
    @Test func theFirstPacketIsHeardAtOnce() {
        var receiver = makeReceiver()
        #expect(receiver.take(packet(100)) == .media(sequence: 100, timestamp: 16000, isNew: true, payload: [0xd5]))
        #expect(receiver.take(packet(101)) == .media(sequence: 101, timestamp: 16160, isNew: false, payload: [0xd5]))
    }

    @Test func numbersGoOnPastTheirWraps() {
        var receiver = makeReceiver()
        var held: [Seen] = []
        let start: Int64 = 0xfff0
        for step in Int64(0)..<200_000 {
            let timestamp = UInt32(truncatingIfNeeded: 0xffff_0000 + step * 960)
            let bytes = packet(UInt16(truncatingIfNeeded: start + step), timestamp: timestamp)
            let expected = Seen.media(
                sequence: start + step, timestamp: 0xffff_0000 + step * 960, isNew: step == 0, payload: [0xd5])
            guard receiver.take(bytes, held: &held) == expected else {
                Issue.record("packet \(step)")
                return
            }
        }
        #expect(receiver.statistics.expected == 200_000 && receiver.statistics.lost == 0)
    }

    @Test func reorderedPacketsKeepTheirPlaceAlsoAcrossTheWrap() {
        var receiver = makeReceiver()
        let order: [UInt16] = [0xfffd, 0xffff, 0xfffe, 1, 0, 2]
        let places = order.map { sequence -> Int64? in
            let timestamp = UInt32(truncatingIfNeeded: Int(Int16(bitPattern: sequence)) * 160)
            guard case .media(let place, _, _, _) = receiver.take(packet(sequence, timestamp: timestamp)) else {
                return nil
            }
            return place
        }
        #expect(places == [0xfffd, 0xffff, 0xfffe, 0x10001, 0x10000, 0x10002])
        let statistics = receiver.statistics
        #expect(statistics.received == 6 && statistics.lost == 0 && statistics.reordered == 2)
    }

    @Test func aPacketFromBeforeTheFirstCountsAsExpected() {
        var receiver = makeReceiver()
        _ = receiver.take(packet(11))
        #expect(receiver.take(packet(10)) == .media(sequence: 10, timestamp: 1600, isNew: false, payload: [0xd5]))
        #expect(receiver.statistics.expected == 2 && receiver.statistics.lost == 0)
    }

    @Test func duplicatesAreDroppedWhetherNewestOrOld() {
        var receiver = makeReceiver()
        for sequence in UInt16(10)...40 { _ = receiver.take(packet(sequence)) }
        #expect(receiver.take(packet(40)) == .dropped(.duplicate))
        #expect(receiver.take(packet(12)) == .dropped(.duplicate))
        let statistics = receiver.statistics
        #expect(statistics.duplicates == 2 && statistics.drops[.duplicate] == 2)
        #expect(statistics.received == 31 && statistics.lost == 0)
    }

    @Test func lossIsCountedBySequence() {
        var receiver = makeReceiver()
        for sequence in UInt16(0)..<100 where sequence % 10 != 5 { _ = receiver.take(packet(sequence)) }
        #expect(receiver.statistics.lost == 10)
        #expect(receiver.statistics.lossPercent == 10)
        #expect(makeReceiver().statistics.lossPercent == nil, "nothing expected, nothing to show")
    }

    @Test func aRestartOfTheNumberingCostsNoPacket() {
        var receiver = makeReceiver()
        var held: [Seen] = []
        for sequence in UInt16(0)..<10 { _ = receiver.take(packet(sequence)) }
        #expect(receiver.take(packet(20_000, timestamp: 5000, payload: [1]), held: &held) == .probation)
        #expect(
            receiver.take(packet(20_001, timestamp: 5160, payload: [2]), held: &held)
                == .media(sequence: 20_001, timestamp: 5160, isNew: true, payload: [2]))
        #expect(held == [.media(sequence: 20_000, timestamp: 5000, isNew: true, payload: [1])])
        let statistics = receiver.statistics
        #expect(statistics.received == 12 && statistics.lost == 0 && statistics.sourceChanges == 1)
    }

    @Test func aSingleStrayNumberChangesNothing() {
        var receiver = makeReceiver()
        for sequence in UInt16(0)..<10 { _ = receiver.take(packet(sequence)) }
        #expect(receiver.take(packet(30_000)) == .probation)
        #expect(receiver.take(packet(10)) == .media(sequence: 10, timestamp: 1600, isNew: false, payload: [0xd5]))
        var held: [Seen] = []
        receiver.deliverHeldPacket { held.append(seen($0)) }
        #expect(held.isEmpty && receiver.statistics.lost == 0)
    }

    @Test func aGapOfUpTo2999PacketsIsLoss() {
        var receiver = makeReceiver()
        _ = receiver.take(packet(0))
        #expect(
            receiver.take(packet(2999))
                == .media(sequence: 2999, timestamp: 479_840, isNew: false, payload: [0xd5]))
        #expect(receiver.take(packet(2999 + 3000)) == .probation)
    }

    @Test func aNewSourceInMidCallIsHeardFromItsFirstPacket() {
        var receiver = makeReceiver()
        var held: [Seen] = []
        for sequence in UInt16(0)..<10 { _ = receiver.take(packet(sequence)) }
        #expect(receiver.take(packet(500, ssrc: 2, payload: [1]), held: &held) == .probation)
        #expect(
            receiver.take(packet(501, ssrc: 2, payload: [2]), held: &held)
                == .media(sequence: 501, timestamp: 80_160, isNew: true, payload: [2]))
        #expect(held == [.media(sequence: 500, timestamp: 80_000, isNew: true, payload: [1])])
        let statistics = receiver.statistics
        #expect(statistics.ssrc == 2 && statistics.sourceChanges == 1 && statistics.received == 12)
        #expect(receiver.makeReportBlocks().map(\.ssrc) == [2])
    }

    @Test("a new source of long packets, as L16 has at 48 kHz, is heard from its first one, too")
    func longPacketsAreHeld() {
        var receiver = makeReceiver()
        var held: [Seen] = []
        _ = receiver.take(packet(0))
        let payloads = [[UInt8](repeating: 1, count: 3000), [UInt8](repeating: 2, count: 3000)]
        #expect(receiver.take(packet(500, ssrc: 2, payload: payloads[0]), held: &held) == .probation)
        #expect(
            receiver.take(packet(501, ssrc: 2, payload: payloads[1]), held: &held)
                == .media(sequence: 501, timestamp: 80_160, isNew: true, payload: payloads[1]))
        #expect(held == [.media(sequence: 500, timestamp: 80_000, isNew: true, payload: payloads[0])])
    }

    @Test func twoSourcesAtOnceDoNotAlternate() {
        var receiver = makeReceiver()
        for sequence in UInt16(0)..<100 {
            guard case .media = receiver.take(packet(sequence)) else {
                Issue.record("the first source was interrupted at \(sequence)")
                return
            }
            #expect(receiver.take(packet(sequence &+ 7000, ssrc: 2)) == .probation)
        }
        #expect(receiver.statistics.sourceChanges == 0 && receiver.statistics.probation == 100)
    }

    @Test func strictValidationWantsTwoPacketsInSequence() {
        var receiver = makeReceiver(requiresProbation: true)
        var held: [Seen] = []
        #expect(receiver.take(packet(5), held: &held) == .probation)
        #expect(receiver.take(packet(9), held: &held) == .probation)
        #expect(
            receiver.take(packet(10), held: &held)
                == .media(sequence: 10, timestamp: 1600, isNew: true, payload: [0xd5]))
        #expect(held == [.media(sequence: 9, timestamp: 1440, isNew: true, payload: [0xd5])])
        #expect(receiver.statistics.sourceChanges == 0 && receiver.statistics.lost == 0)
    }

    @Test func whatIsNotMediaIsCountedByReason() {
        var receiver = makeReceiver()
        #expect(receiver.take(packet(1, payloadType: 77)) == .dropped(.unknownPayloadType))
        #expect(receiver.statistics.ssrc == nil, "an unknown payload type starts no source")
        _ = receiver.take(packet(1))
        #expect(receiver.take(packet(2, payloadType: 77)) == .dropped(.unknownPayloadType))
        #expect(receiver.take(packet(3, payload: [])) == .dropped(.emptyPayload))
        #expect(receiver.take(packet(4, ssrc: 0xfeed)) == .dropped(.ownSource))
        #expect(receiver.take(packet(4, payloadType: 101, payload: [1, 2])) == .dropped(.badTelephoneEvent))
        #expect(receiver.take([]) == .dropped(.truncated))
        #expect(receiver.take(Array("INVITE sip:x".utf8)) == .dropped(.badVersion))
        #expect(receiver.take(packet(5, payloadType: 13)) == .comfortNoise)
        let statistics = receiver.statistics
        #expect(statistics.drops[.unknownPayloadType] == 2 && statistics.drops.total == 7)
        #expect(statistics.lost == 0, "what arrived was not lost, whatever it carried")
    }

    @Test func payloadTypesAbove127AreNeverKnown() {
        var table = PayloadTypeTable()
        table[200] = .audio
        #expect(table[200] == nil && table[72] == nil)
        table[127] = .audio
        #expect(table[127] == .audio)
        table[127] = nil
        #expect(table[127] == nil)
    }
}
