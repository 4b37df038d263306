import RTP
import Realtime
import Testing

@Suite("A source whose clock changes with its payload type (RFC 7160)") struct ClockChangeTests {
    /// Payload type 0 has 8 kHz, 111 has 48 kHz.
    private func receiver() -> RTPReceiver {
        var types = PayloadTypeTable(audio: 0, telephoneEvent: 101)
        types[111] = .audio
        types.setClockRate(48_000, of: 111)
        types[102] = .telephoneEvent
        types.setClockRate(48_000, of: 102)
        return RTPReceiver(payloadTypes: types, clockRate: 8000)
    }

    @Test("keeps its jitter in time, and measures on in units of the new clock")
    func jitter() {
        var receiver = receiver()
        // Every other packet is 4 ms late: that is the jitter.
        func late(_ index: UInt16) -> Double { Double(index) * 20 + (index % 2 == 0 ? 0 : 4) }
        for index in 0..<200 as Range<UInt16> { _ = receiver.take(packet(index), at: late(index)) }
        let before = receiver.statistics
        #expect(abs(before.jitterMilliseconds - 4) < 0.1 && before.jitter < 40)
        for index in 200..<203 as Range<UInt16> {
            _ = receiver.take(packet(index, timestamp: UInt32(index) * 960, payloadType: 111), at: late(index))
            #expect(abs(receiver.statistics.jitterMilliseconds - 4) < 0.3)
        }
        #expect(receiver.clockRate == 48_000)
        for index in 203..<400 as Range<UInt16> {
            _ = receiver.take(packet(index, timestamp: UInt32(index) * 960, payloadType: 111), at: late(index))
        }
        #expect(abs(receiver.statistics.jitterMilliseconds - 4) < 0.1 && receiver.statistics.jitter > 180)
        #expect(receiver.statistics.lost == 0)
    }

    @Test("is not taken back to the old clock by a packet that was overtaken")
    func overtaken() {
        var receiver = receiver()
        for index in 0..<10 as Range<UInt16> { _ = receiver.take(packet(index), at: Double(index) * 20) }
        _ = receiver.take(packet(11, timestamp: 10_560, payloadType: 111), at: 220)
        _ = receiver.take(packet(10), at: 221)
        #expect(receiver.clockRate == 48_000)
        #expect(receiver.statistics.jitterMilliseconds < 0.01)
    }

    @Test("has digits in the clock of their payload type")
    func digits() {
        var receiver = receiver()
        _ = receiver.take(packet(0), at: 0)
        // 4800 units of 48 kHz are 100 ms.
        _ = receiver.take(packet(1, timestamp: 960, payloadType: 102, payload: hex("05 8a 12c0")), at: 20)
        #expect(receiver.nextTelephoneEvent(now: HostTime(milliseconds: 20))?.durationMilliseconds == 100)
    }

    @Test("gives way to another SSRC at once when it said goodbye, and to two packets in sequence when it did not")
    func goodbye() {
        for hasLeft in [true, false] {
            var receiver = receiver()
            for index in 0..<10 as Range<UInt16> { _ = receiver.take(packet(index), at: Double(index) * 20) }
            if hasLeft { receiver.sourceLeft() }
            let first = receiver.take(packet(700, ssrc: 2), at: 200)
            #expect((first == .probation) != hasLeft)
            _ = receiver.take(packet(701, ssrc: 2), at: 220)
            #expect(receiver.statistics.ssrc == 2)
            #expect(receiver.statistics.sourceChanges == 1)
            #expect(receiver.statistics.lost == 0)
            // Once: the next one must show two packets again.
            #expect(receiver.take(packet(50, ssrc: 3), at: 240) == .probation)
        }
    }

    @Test("is heard on after a goodbye that was not its own")
    func forged() {
        var receiver = receiver()
        for index in 0..<10 as Range<UInt16> { _ = receiver.take(packet(index), at: Double(index) * 20) }
        receiver.sourceLeft()
        _ = receiver.take(packet(10), at: 200)
        #expect(receiver.take(packet(700, ssrc: 2), at: 210) == .probation)
        #expect(receiver.statistics.ssrc == 1)
    }

    @Test("sends on without a gap in its time stamps, in units of the new clock")
    func sender() throws {
        var sender = RTPSender(ssrc: 1, payloadType: 0, clockRate: 8000, sequence: 9, timestamp: 100)
        var bytes = [UInt8](repeating: 0, count: 100)
        func send(_ offset: UInt32) throws -> RTPHeader {
            let length = bytes.withUnsafeMutableBytes { out in
                [UInt8(1)].withUnsafeBytes { sender.packetize($0, timestamp: offset, marker: false, into: out) }
            }
            return try bytes.withUnsafeBytes { try RTPPacket(parsing: UnsafeRawBufferPointer(rebasing: $0[..<length])).header }
        }
        #expect(try send(160).timestamp == 260)
        sender.change(payloadType: 111, clockRate: 48_000, at: 320)
        let first = try send(0)
        #expect(first.timestamp == 420 && first.payloadType == 111 && first.sequence == 10)
        #expect(try send(960).timestamp == 1380)
        #expect(sender.clockRate == 48_000)
    }

    @Test("keeps the digits that wait, and their pause")
    func waitingDigits() {
        var events = TelephoneEventSender(clockRate: 8000)
        let isQueued = events.enqueue("12")
        #expect(isQueued)
        var offset: UInt32 = 0
        while events.pending == 2 {
            _ = events.poll(timestamp: offset)
            offset += 160
        }
        #expect(!events.isSounding)
        events.change(clockRate: 48_000)
        #expect(events.pending == 1)
        // 60 ms of 48 kHz.
        #expect(events.poll(timestamp: 2879) == nil)
        #expect(events.poll(timestamp: 2880)?.marker == true)
    }
}
