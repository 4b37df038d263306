import Codecs
import Media
import RTP
import Realtime
import Testing

/// A bridge of calls whose other sides are packets made by hand, with a level in each.
private final class LevelledBridge {
    /// What a party says, and what it says of that.
    struct Party {
        var tone = 400.0
        var amplitude = 0.0
        /// The item of the level; empty: none.
        var item: [UInt8] = [0x10, 127]
    }

    let bridge: Endpoint
    var parties: [Party]
    private var sequence: UInt16 = 0
    private var clock = 0.0

    init(_ parties: [Party], levels: LevelNumbers = LevelNumbers(received: 1, sent: 2)) throws {
        self.parties = parties
        bridge = try Endpoint(
            parties.indices.map { party in
                var configuration = CallConfiguration(codec: .l16, seed: UInt64(1 + party))
                configuration.encoder.frameMilliseconds = 20
                configuration.stream.levels = levels
                return configuration
            }, isBridge: true, format: (48_000, 960))
    }

    private func packet(_ party: Int) -> [UInt8] {
        let header = RTPHeader(
            payloadType: Codec.l16.defaultPayloadType, sequence: sequence, timestamp: UInt32(sequence) * 320,
            ssrc: UInt32(100 + party))
        let said = parties[party]
        var bytes = [UInt8](repeating: 0, count: 100)
        let length = bytes.withUnsafeMutableBytes {
            header.write(
                into: $0, headerExtension: said.item.isEmpty ? nil : RTPHeaderExtension(profile: 0xbede, data: said.item))
        }
        let voice = sine(said.tone, amplitude: said.amplitude, rate: 16_000)
        let samples = (0..<320).map { Int16(voice(Int(sequence) * 320 + $0) * 32_000) }
        return bytes[..<length] + samples.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    }

    func run(seconds: Double) {
        everyTenMilliseconds(from: clock, to: clock + seconds) { now in
            if Int(now.milliseconds(since: .zero).rounded()) % 20 == 0 {
                for party in parties.indices {
                    packet(party).withUnsafeBytes { bridge.calls[party].receive(rtp: $0, arrival: now) }
                }
                sequence &+= 1
            }
            bridge.step(now: now)
        }
        clock += seconds
    }

    /// What the last packets to a party were: who is heard in the last of all, how loud each is, and the sound.
    func sent(to party: Int, packets: Int = 50) -> (sources: [UInt32], levels: [UInt8], sound: [Float]) {
        var found: (sources: [UInt32], levels: [UInt8], sound: [Float]) = ([], [], [])
        for bytes in bridge.links[party].rtp.suffix(packets) {
            bytes.withUnsafeBytes { bytes in
                guard let packet = try? RTPPacket(parsing: bytes) else { return }
                found.sources = (0..<packet.csrcCount).compactMap { packet.csrc($0) }
                found.levels = []
                if case .found(let levels) = HeaderExtensionItem(2, in: packet) { found.levels = Array(levels) }
                for index in 0..<packet.payload.count / 2 {
                    let bits = UInt16(packet.payload[2 * index]) << 8 | UInt16(packet.payload[2 * index + 1])
                    found.sound.append(Float(Int16(bitPattern: bits)) / 32_768)
                }
            }
        }
        return found
    }
}

@Suite("A bridge of many who say how loud they are") struct LevelBridgeTests {
    private typealias Party = LevelledBridge.Party

    /// Two who speak at -23 dBov, among so many who are silent.
    private func parties(_ count: Int) -> [Party] {
        [
            Party(tone: 400, amplitude: 0.1, item: [0x10, 0x80 | 23]),
            Party(tone: 700, amplitude: 0.1, item: [0x10, 0x80 | 23]),
        ]
            + [Party](repeating: Party(), count: count - 2)
    }

    @Test("decodes who speaks and leaves the others, who are counted on; each is told whom he hears") func speakers() throws {
        let room = try LevelledBridge(parties(12))
        room.run(seconds: 3)
        let calls = room.bridge.calls
        #expect(calls[0].isDecoded && calls[1].isDecoded)
        #expect(calls[2...].filter(\.isDecoded).count <= 1, "one of them is looked into")
        #expect(calls.allSatisfy { $0.jitterBufferStatistics.inserted == 150 && $0.statistics.drops.isEmpty })
        let heard = room.sent(to: 5)
        #expect(heard.sources == [100, 101] && heard.levels.allSatisfy { (21...25).contains($0) } && heard.levels.count == 2)
        for tone in [400.0, 700.0] { #expect(abs(amplitude(of: tone, in: heard.sound[...], rate: 16_000) - 0.1) < 0.02) }
        let own = room.sent(to: 0)
        #expect(own.sources == [101] && amplitude(of: 400, in: own.sound[...], rate: 16_000) < 0.004)
    }

    @Test("finds who speaks and says that he is silent, and believes no level that is no level") func liar() throws {
        var all = parties(12)
        all[2] = Party(tone: 1000, amplitude: 0.1)
        all[3] = Party(tone: 1300, amplitude: 0.1, item: [0x11, 127, 127])
        let room = try LevelledBridge(all)
        room.run(seconds: 6)
        let heard = room.sent(to: 5)
        #expect(heard.sources == [100, 101, 102, 103])
        for tone in [400.0, 700, 1000, 1300] {
            #expect(abs(amplitude(of: tone, in: heard.sound[...], rate: 16_000) - 0.1) < 0.02, "\(tone) Hz")
        }
        let figures = room.bridge.calls[3].statistics
        #expect(figures.drops == ["bad_header_extension": 300] && figures.packetsDiscarded == 0)
    }

    @Test("of few sounds as it does without levels, and nobody is told what he did not ask for") func few() throws {
        let rooms = try [LevelNumbers(received: 1, sent: 2), LevelNumbers()].map { try LevelledBridge(parties(4), levels: $0) }
        for room in rooms { room.run(seconds: 2) }
        let (with, without) = (rooms[0].sent(to: 3, packets: 200), rooms[1].sent(to: 3, packets: 200))
        #expect(with.sound == without.sound && with.sound.count >= 25_000)
        #expect(with.sources == [100, 101] && without.sources.isEmpty && without.levels.isEmpty)
    }
}
