import RTP
import Realtime
import Testing

@Suite("Telephone events with a clock of their own beside audio of another one") struct DurationClockTests {
    @Test("count durations in it, and go on by the audio's time stamps")
    func sent() {
        var events = TelephoneEventSender(clockRate: 48_000, durationClockRate: 8000)
        let isQueued = events.enqueue("5")
        #expect(isQueued)
        var packets: [TelephoneEventSender.Packet] = []
        for step in 1..<20 as Range<UInt32> {
            if let packet = events.poll(timestamp: step * 960) { packets.append(packet) }
        }
        let payloads = ["050a00a0", "050a0140", "050a01e0", "050a0280", "050a0320", "058a0320", "058a0320", "058a0320"]
        #expect(packets.map(\.payload) == payloads.map(hex))
        #expect(packets.allSatisfy { $0.timestamp == 960 })
    }

    @Test("end where their duration is full, whichever clock is the faster one", arguments: [(48_000, 8000), (8000, 48_000)])
    func longest(clockRate: Int, durationClockRate: Int) {
        var settings = TelephoneEventSender.Settings()
        settings.digitMilliseconds = 60_000
        var events = TelephoneEventSender(clockRate: clockRate, durationClockRate: durationClockRate, settings: settings)
        let isQueued = events.enqueue("1")
        #expect(isQueued)
        var durations: [Int] = []
        for step in 0..<1000 {
            guard let payload = events.poll(timestamp: UInt32(step * clockRate / 50))?.payload else { continue }
            durations.append(Int(payload[2]) << 8 | Int(payload[3]))
        }
        #expect(durations == durations.sorted() && events.pending == 0)
        // A unit of the slower clock may be missing.
        #expect((0xffff - 6...0xffff).contains(durations.last ?? 0))
    }

    @Test("keep their pause when the clock of durations alone changes")
    func changed() {
        var events = TelephoneEventSender(clockRate: 48_000)
        let isQueued = events.enqueue("12")
        #expect(isQueued)
        var offset: UInt32 = 0
        while events.pending == 2 {
            _ = events.poll(timestamp: offset)
            offset += 960
        }
        events.change(clockRate: 48_000, durationClockRate: 8000)
        var next: TelephoneEventSender.Packet?
        while next == nil {
            next = events.poll(timestamp: offset)
            offset += 960
        }
        // 100 ms of the digit before, 60 ms of pause.
        #expect(next?.timestamp == 7680)
        #expect(next?.payload == hex("020a00a0"))
    }

    @Test("are heard as long as they were, a key of several segments once")
    func heard() {
        var types = PayloadTypeTable(audio: 111, telephoneEvent: 101)
        types.setClockRate(8000, of: 101)
        var receiver = RTPReceiver(payloadTypes: types, clockRate: 48_000)
        _ = receiver.take(packet(0, timestamp: 0, payloadType: 111), at: 0)
        let segments: [(start: UInt32, payload: String)] = [(960, "050a00a0"), (960, "050affff"), (394_170, "058a0320")]
        for (index, segment) in segments.enumerated() {
            let event = packet(
                UInt16(index + 1), timestamp: segment.start, payloadType: 101, marker: index == 0,
                payload: hex(segment.payload))
            #expect(receiver.take(event, at: 20) == .telephoneEvent)
        }
        // 65535 and 800 units of 8 kHz.
        #expect(receiver.nextTelephoneEvent(now: HostTime(milliseconds: 20))?.durationMilliseconds == 8291.875)
        #expect(receiver.nextTelephoneEvent(now: HostTime(milliseconds: 1000)) == nil)
    }
}
