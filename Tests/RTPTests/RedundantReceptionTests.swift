import RTP
import Realtime
import Testing

@Suite("Redundant audio at the receiver") struct RedundantReceptionTests {
    private struct Heard: Equatable {
        var sequence: Int64
        var timestamp: Int64
        var payload: [UInt8]
        var isCopy = false
    }

    private func receiver() -> RTPReceiver {
        RTPReceiver(
            payloadTypes: PayloadTypeTable(audio: 0, telephoneEvent: 101, comfortNoise: 13, redundancy: 121), clockRate: 8000,
            localSSRC: 0xfeed)
    }

    private func take(_ receiver: inout RTPReceiver, _ bytes: [UInt8]) -> (heard: [Heard], dropped: RTPDropReason?) {
        var heard: [Heard] = []
        func add(_ packet: MediaPacket, isCopy: Bool = false) {
            heard.append(
                Heard(
                    sequence: packet.extendedSequence, timestamp: packet.extendedTimestamp,
                    payload: Array(packet.payload), isCopy: isCopy))
        }
        return bytes.withUnsafeBytes { buffer in
            switch receiver.receive(buffer, arrival: .zero) {
            case .media(let packet):
                if packet.isNewSource { receiver.deliverHeldPacket { add($0) } }
                add(packet)
                packet.forEachCopy { add($0, isCopy: true) }
                return (heard, nil)
            case .dropped(let reason): return (heard, reason)
            default: return (heard, nil)
            }
        }
    }

    @Test("is heard as its primary block, then its copies with their own time stamps")
    func copies() {
        var receiver = receiver()
        let red = packet(10, payloadType: 121, payload: hex("80 050002 80 028001 00 aabb cc dd"))
        #expect(
            take(&receiver, red).heard == [
                Heard(sequence: 10, timestamp: 1600, payload: [0xdd]),
                Heard(sequence: 10, timestamp: 1280, payload: [0xaa, 0xbb], isCopy: true),
                Heard(sequence: 10, timestamp: 1440, payload: [0xcc], isCopy: true),
            ])
        #expect(receiver.statistics.received == 1 && receiver.statistics.lost == 0)
    }

    @Test("gives no copies of other payload types, of no age or of no length")
    func otherCopies() {
        var receiver = receiver()
        let red = packet(
            10, payloadType: 121, payload: hex("88 028001 e5 028001 80 000001 80 028000 f9 028001 00 aabbcceedd"))
        let heard = take(&receiver, red).heard
        #expect(heard == [Heard(sequence: 10, timestamp: 1600, payload: [0xdd])])
    }

    @Test("that is malformed, nested or of an unknown type is a counted drop, but no loss")
    func malformed() {
        var receiver = receiver()
        _ = take(&receiver, packet(9))
        #expect(take(&receiver, packet(10, payloadType: 121, payload: hex("80 0280"))).dropped == .badRedundancy)
        #expect(take(&receiver, packet(11, payloadType: 121, payload: hex("79 00"))).dropped == .badRedundancy)
        #expect(take(&receiver, packet(12, payloadType: 121, payload: hex("6f 00"))).dropped == .badRedundancy)
        #expect(take(&receiver, packet(13, payloadType: 121, payload: hex("00"))).dropped == .emptyPayload)
        #expect(receiver.statistics.drops[.badRedundancy] == 3 && receiver.statistics.lost == 0)
    }

    @Test("towards a receiver that did not agree is of an unknown type")
    func unagreed() {
        var receiver = makeReceiver()
        #expect(receiver.take(packet(1, payloadType: 121, payload: hex("00 dd"))) == .dropped(.unknownPayloadType))
    }

    @Test("held while its source is validated comes out unpacked")
    func held() {
        var receiver = receiver()
        for sequence in UInt16(0)..<5 { _ = take(&receiver, packet(sequence)) }
        let red = packet(500, ssrc: 2, payloadType: 121, payload: hex("80 028001 00 aa bb"))
        #expect(take(&receiver, red).heard.isEmpty)
        #expect(
            take(&receiver, packet(501, ssrc: 2)).heard == [
                Heard(sequence: 500, timestamp: 80_000, payload: [0xbb]),
                Heard(sequence: 501, timestamp: 80_160, payload: [0xd5]),
            ])
    }

    @Test("may carry a digit, which is found as if it had come alone")
    func digits() {
        var receiver = receiver()
        _ = take(&receiver, packet(1))
        let event = hex("65 01 0a 0320")
        for sequence in UInt16(2)...4 {
            _ = take(&receiver, packet(sequence, timestamp: 320, payloadType: 121, payload: event))
        }
        _ = take(&receiver, packet(5, timestamp: 320, payloadType: 121, payload: hex("65 01 8a 0320")))
        let digit = receiver.nextTelephoneEvent(now: .zero)
        #expect(digit?.digit == "1" && digit?.durationMilliseconds == 100)
        #expect(receiver.nextTelephoneEvent(now: .zero) == nil)
    }
}
