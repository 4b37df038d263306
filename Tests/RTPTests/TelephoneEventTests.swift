import RTP
import Realtime
import Testing

/// RFC 4733 both ways.
@Suite struct TelephoneEventTests {
    /// A packet on its way and the digit's index it belongs to; audio has none.
    private struct Sent {
        let bytes: [UInt8]
        let milliseconds: Double
        let digit: Int?
    }

    /// A stream of 20 ms packets at `clockRate` that says `digits` after 100 ms, and audio otherwise.
    private func stream(_ digits: String, clockRate: Int = 8000, start: UInt32 = 0xffff_f000) -> [Sent] {
        var sender = RTPSender(ssrc: 1, payloadType: 0, clockRate: clockRate, sequence: 0xfff0, timestamp: start)
        var events = TelephoneEventSender(clockRate: clockRate)
        let isQueued = events.enqueue(digits)
        #expect(isQueued)
        var sent: [Sent] = []
        var buffer = [UInt8](repeating: 0, count: 100)
        var digit = -1
        for step in 0... {
            let offset = UInt32(step * clockRate / 50)
            let event = step < 5 ? nil : events.poll(timestamp: offset)
            if let event, event.marker { digit += 1 }
            if event == nil, events.isSounding { continue }
            let payload = event?.payload ?? [0xd5]
            let length = buffer.withUnsafeMutableBytes { out in
                payload.withUnsafeBytes {
                    sender.packetize(
                        $0, timestamp: event?.timestamp ?? offset, marker: event?.marker ?? false,
                        payloadType: event == nil ? nil : 101, into: out)
                }
            }
            sent.append(
                Sent(
                    bytes: Array(buffer[..<length]), milliseconds: Double(step) * 20,
                    digit: event == nil ? nil : digit))
            if step > 5, events.pending == 0, event == nil { return sent }
        }
        return sent
    }

    /// The digits heard when `stream` arrives, asked for after every packet and for a second afterwards.
    private func hear(_ stream: [Sent], clockRate: Int = 8000) -> [TelephoneEvent] {
        var receiver = RTPReceiver(
            payloadTypes: PayloadTypeTable(audio: 0, telephoneEvent: 101, comfortNoise: 13), clockRate: clockRate)
        var heard: [TelephoneEvent] = []
        var time = 0.0
        for sent in stream {
            time = max(time, sent.milliseconds)
            _ = receiver.take(sent.bytes, at: time)
            while let event = receiver.nextTelephoneEvent(now: HostTime(milliseconds: time)) { heard.append(event) }
        }
        for step in 1...50 {
            let now = HostTime(milliseconds: time + Double(step) * 20)
            while let event = receiver.nextTelephoneEvent(now: now) { heard.append(event) }
        }
        return heard
    }

    private func text(_ events: [TelephoneEvent]) -> String { String(events.map(\.digit)) }

    @Test func theWireLooksAsTheRFCSays() throws {
        let events = stream("5").filter { $0.digit != nil }.map(\.bytes)
        // 100 ms in updates of 20 ms: the last one is the end packet, sent three times.
        let payloads = ["050a00a0", "050a0140", "050a01e0", "050a0280", "050a0320", "058a0320", "058a0320", "058a0320"]
        #expect(events.map { Array($0[12...]) } == payloads.map(hex))
        #expect(events.map { $0[1] } == [0xe5] + [UInt8](repeating: 0x65, count: 7), "marker on the first only")
        #expect(Set(events.map { Array($0[4..<8]) }).count == 1, "one time stamp for the whole event")
        let sequences = events.map { UInt16($0[2]) << 8 | UInt16($0[3]) }
        for (left, right) in zip(sequences, sequences.dropFirst()) { #expect(right == left &+ 1) }
    }

    @Test(arguments: [8000, 16_000, 48_000])
    func allSixteenKeysArriveOnceWithTheirLengthAndLevel(clockRate: Int) {
        let events = hear(stream("0123456789*#ABCDaa", clockRate: clockRate), clockRate: clockRate)
        #expect(text(events) == "0123456789*#ABCDAA")
        for event in events { #expect(event.durationMilliseconds == 100 && event.level == -10) }
    }

    @Test func pausesBetweenDigitsAreKept() {
        let marked = stream("1234").filter { $0.bytes[1] == 0xe5 }.map(\.milliseconds)
        #expect(marked.count == 4)
        for (left, right) in zip(marked, marked.dropFirst()) { #expect(right - left >= 160) }
    }

    @Test func anyTwoLostPacketsLoseNoDigit() {
        let whole = stream("1105")
        for first in whole.indices {
            for second in whole.indices where second >= first {
                let left = whole.indices.filter { $0 != first && $0 != second }.map { whole[$0] }
                #expect(text(hear(left)) == "1105", "without packets \(first) and \(second)")
            }
        }
    }

    @Test func aDigitIsHeardFromAnySingleOneOfItsPackets() {
        let whole = stream("707")
        let middle = whole.indices.filter { whole[$0].digit == 1 }
        for kept in middle {
            let left = whole.indices.filter { !middle.contains($0) || $0 == kept }.map { whole[$0] }
            #expect(text(hear(left)) == "707", "only packet \(kept) of the second digit")
        }
    }

    @Test func aDigitWithoutAnyEndPacketIsHeardOnce() {
        let whole = stream("90").filter { $0.digit == nil || $0.bytes[13] & 0x80 == 0 }
        let events = hear(whole)
        #expect(text(events) == "90")
        for event in events { #expect(event.durationMilliseconds == 100) }
    }

    @Test(arguments: 0..<200)
    func lossReorderingAndDuplicatesTogetherAreHarmless(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let whole = stream("11223*")
        var kept: [Sent] = []
        for (index, sent) in whole.enumerated() {
            // The first update and one end packet of each digit always arrive; the rest may not.
            let isEnd = sent.digit != nil && sent.bytes[13] & 0x80 != 0
            let isLastEnd = isEnd && (index + 1 == whole.count || whole[index + 1].digit != sent.digit)
            let isFirst = sent.bytes[1] == 0xe5
            if !isFirst, !isLastEnd, Int.random(in: 0..<10, using: &random) < 4 { continue }
            kept.append(sent)
            if Int.random(in: 0..<10, using: &random) < 3 { kept.append(sent) }
        }
        // Neighbours change places, as packets on two paths do.
        for index in kept.indices.dropFirst() where Int.random(in: 0..<10, using: &random) < 3 {
            kept.swapAt(index, index - 1)
        }
        #expect(text(hear(kept)) == "11223*", "seed \(seed)")
    }

    @Test func aLongKeyInSegmentsIsOneDigit() {
        // RFC 4733 section 2.5.1.3: at 48 kHz a segment lasts 1365 ms.
        var receiver = makeReceiver()
        var heard: [TelephoneEvent] = []
        let packets: [(UInt32, [UInt8])] = [
            (1000, hex("0b0a ff00")), (1000, hex("0b0a ffff")), (1000 + 65_535, hex("0b0a 1000")),
            (1000 + 65_535, hex("0b8a 2000")), (1000 + 65_535, hex("0b8a 2000")),
        ]
        for (index, (timestamp, payload)) in packets.enumerated() {
            let bytes = packet(
                UInt16(index), timestamp: timestamp, payloadType: 101, marker: index == 0, payload: payload)
            #expect(receiver.take(bytes) == .telephoneEvent)
        }
        while let event = receiver.nextTelephoneEvent(now: .zero) { heard.append(event) }
        #expect(text(heard) == "#" && heard[0].durationMilliseconds == Double(65_535 + 0x2000) / 8)
    }

    /// What is heard of these packets of one source: time stamp, event, and whether the first of a key.
    private func keys(_ packets: [(UInt32, String)]) -> [TelephoneEvent] {
        var receiver = makeReceiver()
        for (index, (timestamp, event)) in packets.enumerated() {
            let bytes = packet(
                UInt16(index), timestamp: timestamp, payloadType: 101, marker: index == 0, payload: hex(event))
            #expect(receiver.take(bytes) == .telephoneEvent)
        }
        var heard: [TelephoneEvent] = []
        while let event = receiver.nextTelephoneEvent(now: .zero) { heard.append(event) }
        return heard
    }

    @Test func aLongKeyIsOneDigitWithoutTheLastPacketsOfItsFirstSegment() {
        let lost = keys([(1000, "0b0a ff00"), (1000 + 65_535, "0b0a 1000"), (1000 + 65_535, "0b8a 2000")])
        #expect(text(lost) == "#" && lost[0].durationMilliseconds == Double(65_535 + 0x2000) / 8)
        let overtaken = keys([
            (1000, "0b0a ff00"), (1000 + 65_535, "0b0a 1000"), (1000, "0b0a ffff"), (1000 + 65_535, "0b8a 2000"),
        ])
        #expect(text(overtaken) == "#" && overtaken[0].durationMilliseconds == Double(65_535 + 0x2000) / 8)
    }

    /// What is heard of packets that come at multiples of 50 ms, asked for at each of them up to `steps`.
    private func polled(_ packets: [Int: [UInt8]], steps: Int) -> [TelephoneEvent] {
        var receiver = makeReceiver()
        var heard: [TelephoneEvent] = []
        for step in 1...steps {
            let milliseconds = Double(step) * 50
            if let bytes = packets[step] { #expect(receiver.take(bytes, at: milliseconds) == .telephoneEvent) }
            while let event = receiver.nextTelephoneEvent(now: HostTime(milliseconds: milliseconds)) { heard.append(event) }
        }
        return heard
    }

    @Test(arguments: [40..<50, 158..<172, 164..<174])
    func aLongKeyIsOneDigitWhereItsPacketsAreMissingForLongerThanItsSilence(missing: Range<Int>) {
        // Held for 9.5 s: at 8 kHz the second segment begins after 8.2 s.
        var packets: [Int: [UInt8]] = [:]
        for step in 1...190 where !missing.contains(step) {
            let segment = step * 400 > 65_535 ? 65_535 : 0
            let duration = step * 400 - segment
            let payload: [UInt8] = [7, step == 190 ? 0x8a : 0x0a, UInt8(duration >> 8), UInt8(duration & 0xff)]
            packets[step] = packet(
                UInt16(step), timestamp: UInt32(1000 + segment), payloadType: 101, marker: step == 1, payload: payload)
        }
        #expect(text(polled(packets, steps: 210)) == "7")
    }

    @Test func theSameKeyPressedAgainIsTwoDigitsThoughEndsAndMarkerAreLost() {
        let packets = [
            1: packet(1, timestamp: 1000, payloadType: 101, marker: true, payload: hex("070a 0320")),
            20: packet(20, timestamp: 9000, payloadType: 101, payload: hex("070a 0190")),
        ]
        #expect(text(polled(packets, steps: 40)) == "77")
    }

    @Test func keysAreHeardAfterTimeStampsWereSetBack() {
        let ended = keys([(800_000, "018a 0320"), (800_000, "018a 0320"), (4000, "028a 0320"), (4000, "028a 0320")])
        #expect(text(ended) == "12")
        let held = keys([(800_000, "010a 0320"), (4000, "020a 00a0"), (4000, "028a 0320"), (12_000, "038a 0320")])
        #expect(text(held) == "123")
        let late = keys([(80_000, "018a 0320"), (4000, "028a 0320")])
        #expect(text(late) == "1", "what comes 10 s late and less is a repetition")
    }

    @Test func aKeyHeldWhenTheSourceChangesIsNotLost() {
        var receiver = makeReceiver()
        _ = receiver.take(packet(1, payloadType: 101, payload: hex("030a 0320")))
        _ = receiver.take(packet(900, ssrc: 2, payloadType: 101, payload: hex("040a 00a0")))
        _ = receiver.take(packet(901, timestamp: 144_000, ssrc: 2, payloadType: 101, payload: hex("048a 0320")))
        var heard: [TelephoneEvent] = []
        while let event = receiver.nextTelephoneEvent(now: .zero) { heard.append(event) }
        #expect(text(heard) == "34")
    }

    @Test func whatIsNoKeyIsRefused() {
        var sender = TelephoneEventSender(clockRate: 8000)
        let refused = ["12x", "١", "1 2"].map { sender.enqueue($0) }
        #expect(refused == [false, false, false] && sender.pending == 0, "only ASCII digits are keys")
        var receiver = makeReceiver()
        #expect(receiver.take(packet(1, payloadType: 101, payload: hex("100a 00a0"))) == .dropped(.badTelephoneEvent))
        #expect(receiver.nextTelephoneEvent(now: HostTime(milliseconds: 1000)) == nil)
    }

    @Test func settingsOutOfRangeAreBroughtIntoIt() {
        var settings = TelephoneEventSender.Settings()
        settings.digitMilliseconds = 1e9
        settings.updateMilliseconds = -3
        settings.level = 40
        var sender = TelephoneEventSender(clockRate: 48_000, settings: settings)
        let isQueued = sender.enqueue("1")
        #expect(isQueued)
        var last: [UInt8] = []
        for step in 0..<200 {
            if let packet = sender.poll(timestamp: UInt32(step) * 960) { last = packet.payload }
        }
        #expect(last == hex("0180 ffff"), "one event ends at the width of its duration")
    }
}
