import RTP
import Realtime
import Testing

@Suite("Levels in header extensions") struct AudioLevelTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var profile: UInt16
        var data: String
        var level: AudioLevel?
        var isBad = false

        var testDescription: String { "\(String(profile, radix: 16)) \(data)" }
    }

    private func saying(_ sequence: UInt16, _ data: String, profile: UInt16 = 0xbede) -> [UInt8] {
        let header = RTPHeader(payloadType: 0, sequence: sequence, timestamp: UInt32(sequence) * 160, ssrc: 1)
        var bytes = [UInt8](repeating: 0, count: 100)
        let length = bytes.withUnsafeMutableBytes {
            header.write(into: $0, headerExtension: RTPHeaderExtension(profile: profile, data: hex(data)))
        }
        return bytes[..<length] + [0xd5]
    }

    @Test(
        "are read in both forms; what is malformed is counted, and its packet is heard all the same",
        arguments: [
            Case(profile: 0xbede, data: "10 9c 00 00", level: AudioLevel(decibelsBelow: 28, isVoice: true)),
            Case(profile: 0xbede, data: "00 31 aaaa 10 1e", level: AudioLevel(decibelsBelow: 30)),
            Case(profile: 0x1000, data: "05 00 01 01 85 00", level: AudioLevel(decibelsBelow: 5, isVoice: true)),
            Case(profile: 0x100f, data: "01 01 7f 00", level: .silence),
            Case(profile: 0xbede, data: "11 1e1e 00", isBad: true), Case(profile: 0xbede, data: "2f 00 00 00", isBad: true),
            Case(profile: 0x1000, data: "01 00 00 00", isBad: true), Case(profile: 0x1000, data: "02 ff 00 00", isBad: true),
            Case(profile: 0x1000, data: "00 00 00 02", isBad: true),
            // Padding with a length, and 15, end what may be read.
            Case(profile: 0xbede, data: "03 10 1e 00"), Case(profile: 0xbede, data: "f0 10 1e 00"),
            Case(profile: 0x1234, data: "10 1e 00 00"), Case(profile: 0xbede, data: ""),
            Case(profile: 0xbede, data: "20 1e 00 00"),
        ])
    func read(item: Case) {
        var receiver = makeReceiver()
        receiver.levelNumber = 1
        let seen = receiver.take(saying(1, item.data, profile: item.profile))
        #expect(seen == .media(sequence: 1, timestamp: 160, isNew: true, payload: [0xd5]))
        #expect(receiver.level == item.level)
        #expect(receiver.statistics.badExtensions == (item.isBad ? 1 : 0) && receiver.statistics.drops.total == 0)
    }

    @Test("are those of the newest packet of the source that is heard, and only where a number was agreed on") func newest() {
        var receiver = makeReceiver()
        _ = receiver.take(saying(1, "10 1c 00 00"))
        #expect(receiver.level == nil)
        receiver.levelNumber = 1
        _ = receiver.take(saying(2, "10 1c 00 00"))
        _ = receiver.take(saying(4, "10 32 00 00"))
        _ = receiver.take(saying(3, "10 0a 00 00"))
        #expect(receiver.level == AudioLevel(decibelsBelow: 50), "a packet that is late says nothing of now")
        _ = receiver.take(packet(5, payloadType: 101, payload: hex("01 0a 00a0")))
        #expect(receiver.level == AudioLevel(decibelsBelow: 50), "a digit says nothing of the voice")
        _ = receiver.take(packet(6))
        #expect(receiver.level == nil)
    }

    @Test("that are any bytes are read or counted, and nothing else happens") func anyBytes() {
        var random = SplitMix64(seed: 6464)
        var (read, bad) = (0, 0)
        for sequence in UInt16(0)..<20_000 {
            var receiver = makeReceiver()
            receiver.levelNumber = 1
            var data: [UInt8] = []
            // Small bytes are heads that mean something.
            for _ in 0..<Int(random.next() % 12) { data.append(UInt8(truncatingIfNeeded: random.next() % 40)) }
            let header = RTPHeader(payloadType: 0, sequence: sequence, timestamp: 0, ssrc: 1)
            var bytes = [UInt8](repeating: 0, count: 64)
            let length = bytes.withUnsafeMutableBytes {
                header.write(
                    into: $0, headerExtension: RTPHeaderExtension(profile: sequence % 2 == 0 ? 0xbede : 0x1003, data: data))
            }
            guard case .media = receiver.take(bytes[..<length] + [1]) else {
                Issue.record("\(data)")
                return
            }
            read += receiver.level == nil ? 0 : 1
            bad += receiver.statistics.badExtensions
        }
        #expect(read > 50 && bad > 500, "\(read) read, \(bad) bad")
    }

    @Test("are rounded to what a byte says") func levels() {
        #expect(
            [0.4, -0.6, -30.4, -126.6, -500, .nan, -.infinity].map { AudioLevel(dBov: $0).decibelsBelow } == [
                0, 1, 30, 127, 127, 127, 127,
            ])
        #expect(AudioLevel(decibelsBelow: 200) == .silence && AudioLevel(decibelsBelow: 30).dBov == -30)
    }
}

@Suite("Who is heard in a mix") struct ContributingSourcesTests {
    private func send(_ sources: ContributingSources, levelsAs number: UInt8, room: Int = 200) -> [UInt8] {
        var sender = RTPSender(ssrc: 0xabcd, payloadType: 0, clockRate: 8000, sequence: 7, timestamp: 1)
        var buffer = [UInt8](repeating: 0xee, count: room)
        let length = buffer.withUnsafeMutableBytes { out in
            [UInt8(0xd5)].withUnsafeBytes {
                sender.packetize($0, timestamp: 0, marker: false, sources: (sources, levelsAs: number), into: out)
            }
        }
        return Array(buffer[..<length])
    }

    private func sources(_ count: Int) -> ContributingSources {
        var sources = ContributingSources()
        for index in 0..<count {
            sources.add(UInt32(10 + index), level: AudioLevel(decibelsBelow: UInt8(30 + index), isVoice: true))
        }
        return sources
    }

    @Test("is told with the levels, in the short form where the number allows it") func told() {
        let list = "0000000a 0000000b"
        #expect(send(sources(2), levelsAs: 3) == hex("92 00 0007 00000001 0000abcd \(list) bede 0001 31 1e 1f 00 d5"))
        #expect(send(sources(2), levelsAs: 20) == hex("92 00 0007 00000001 0000abcd \(list) 1000 0001 14 02 1e 1f d5"))
        #expect(send(sources(0), levelsAs: 3) == hex("80 00 0007 00000001 0000abcd d5"))
    }

    @Test("are fifteen at most, and what does not fit is not sent", arguments: [UInt8(14), 15, 255]) func most(number: UInt8) {
        let bytes = send(sources(20), levelsAs: number)
        #expect(bytes.count <= 12 + ContributingSources.longestBytes + 1)
        bytes.withUnsafeBytes { bytes in
            guard let packet = try? RTPPacket(parsing: bytes), case .found(let levels) = HeaderExtensionItem(number, in: packet)
            else {
                Issue.record("it cannot be read")
                return
            }
            #expect(packet.csrcCount == 15 && packet.csrc(14) == 24 && Array(packet.payload) == [0xd5])
            #expect(Array(levels) == (UInt8(30)..<45).map { $0 })
        }
        #expect(send(sources(20), levelsAs: number, room: bytes.count - 1).isEmpty)
    }
}
