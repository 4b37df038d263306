import RTP
import Testing

@Suite struct RTPSenderTests {
    private func send(_ sender: inout RTPSender, _ payload: [UInt8], timestamp: UInt32, room: Int = 100) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: room)
        let length = buffer.withUnsafeMutableBytes { out in
            payload.withUnsafeBytes { sender.packetize($0, timestamp: timestamp, marker: timestamp == 0, into: out) }
        }
        return Array(buffer[..<length])
    }

    @Test func sequenceAndTimeStampWrapAtTheirWidth() {
        var sender = RTPSender(ssrc: 0xabcd, payloadType: 0, clockRate: 8000, sequence: 0xffff, timestamp: 0xffff_ffff)
        #expect(send(&sender, [1], timestamp: 0) == hex("80 80 ffff ffffffff 0000abcd 01"))
        #expect(send(&sender, [2], timestamp: 160) == hex("80 00 0000 0000009f 0000abcd 02"))
    }

    @Test func countersFeedTheSenderReport() {
        var sender = RTPSender(ssrc: 1, payloadType: 0, clockRate: 8000, sequence: 0, timestamp: 1000)
        #expect(sender.senderInfo(timestamp: 0) == nil, "before the first packet a receiver report is sent")
        _ = send(&sender, [1, 2, 3], timestamp: 0)
        _ = send(&sender, [4], timestamp: 160)
        #expect(sender.senderInfo(timestamp: 320) == SenderInfo(rtpTimestamp: 1320, packets: 2, octets: 4))
    }

    @Test func aPacketThatDoesNotFitIsNotNumbered() {
        var sender = RTPSender(ssrc: 1, payloadType: 0, clockRate: 8000, sequence: 5, timestamp: 0)
        #expect(send(&sender, [1, 2, 3], timestamp: 0, room: 14).isEmpty)
        #expect(sender.sequence == 5 && sender.packetsSent == 0 && sender.octetsSent == 0)
    }
}
