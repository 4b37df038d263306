import JitterBuffer
import Realtime
import Testing

@Suite struct PlayerTests {
    /// A player with its packets, pulled in blocks of 10 ms.
    private final class Rig {
        let codec = LevelDecoder()
        var player: Player
        let packets: PacketBuffer
        let record = PlayoutRecord()
        var delays = DelayManager()
        let axis = StreamAxis(
            clockRate: 8000, sampleRate: 8000, hostEpoch: HostTime(milliseconds: 0), timestamp: 0,
            arrival: HostTime(milliseconds: 0), delay: 0)

        init() {
            player = Player(codec: codec, seed: 1)
            packets = PacketBuffer(decoder: codec)
        }

        var isPlaying: Bool { player.isPlaying }

        var isBalanced: Bool {
            record.ledger.isBalanced(
                pending: Int64(player.pending), media: player.isPlaying ? player.mediaPosition : nil)
        }

        func arrive(_ packet: StoredPacket, level: UInt8 = 64) {
            delays.learn(from: packet, axis: axis, concealsItself: false)
            LevelPacket.insert(packet, level: level, into: packets)
        }

        /// - Parameter start: when the pulled stream began.
        func pull(_ samples: Int = 80, start: Double = 0, stall: Double = 0) -> (sound: [Float], reason: PlayoutReason) {
            var sound = [Float](repeating: .nan, count: samples)
            var pull = Pull(wanted: samples, start: player.pulled, packets: packets, record: record)
            let logic = DecisionLogic(axis: axis, start: start, delays: delays, pull: pull)
            if stall > 0 { _ = player.catchUp(stall, logic, &pull) }
            sound.withUnsafeMutableBufferPointer { player.pull(into: $0, logic, &pull) }
            return (sound, pull.reason)
        }

        /// Plays the first packet from its start on.
        func start() {
            arrive(LevelPacket.stored(0))
            while pull().reason == .waiting {}
        }
    }

    @Test("Before the first packet is due there is silence, then the packet itself")
    func start() {
        let rig = Rig()
        #expect(rig.pull().reason == .waiting)
        rig.arrive(LevelPacket.stored(0))
        var waited = 0
        var last = rig.pull()
        while last.reason == .waiting, waited < 100 {
            #expect(last.sound.allSatisfy { $0 == 0 })
            waited += 1
            last = rig.pull()
        }
        #expect(rig.isPlaying && last.reason == .normal)
        #expect(rig.record.statistics.decoded == 1)
        // The start is faded in from nothing.
        #expect(last.sound[79] > 0.1 && last.sound.allSatisfy(\.isFinite))
    }

    @Test("An empty buffer is concealed, and what comes too late is dropped and counted")
    func late() {
        let rig = Rig()
        rig.start()
        _ = rig.pull()
        #expect(rig.pull().reason == .concealShort)
        #expect(rig.record.statistics.underruns == 1)
        for _ in 0..<40 { _ = rig.pull() }
        rig.arrive(LevelPacket.stored(1))
        let reason = rig.pull().reason
        #expect(reason == .discardLate || reason == .concealLong)
        #expect(rig.record.statistics.late == 1 && rig.record.statistics.decoded == 1)
    }

    @Test("A packet that does not decode is lost like any other")
    func malformed() {
        let rig = Rig()
        rig.start()
        rig.arrive(LevelPacket.stored(1), level: 255)
        rig.arrive(LevelPacket.stored(2))
        for _ in 0..<5 { _ = rig.pull() }
        #expect(rig.record.statistics.malformed == 1)
        #expect(rig.record.statistics.concealments == 1 && rig.record.statistics.decoded == 2)
    }

    @Test("In-band FEC in the next packet stands in for a lost one")
    func fec() {
        let rig = Rig()
        rig.codec.hasFEC = true
        rig.start()
        rig.arrive(LevelPacket.stored(2, carriesFEC: true))
        var reasons: [PlayoutReason] = []
        for _ in 0..<4 { reasons.append(rig.pull().reason) }
        #expect(reasons.contains(.fec))
        #expect(rig.record.statistics.fecUsed == 1 && rig.codec.log.contains("fec 160"))
    }

    @Test("After a standstill of the player what it missed is dropped, and the rest is played")
    func standstill() {
        let rig = Rig()
        rig.start()
        for sequence in 1...40 { rig.arrive(LevelPacket.stored(Int64(sequence))) }
        let reason = rig.pull(start: 600, stall: 600).reason
        #expect(reason == .discardOverflow)
        #expect(rig.record.statistics.overflow > 10 && rig.packets.count > 5)
        #expect(rig.pull(start: 600).reason != .waiting)
    }

    @Test("Whatever came, every sample is accounted for")
    func ledger() {
        let rig = Rig()
        var random = TestRandom(seed: 11)
        for sequence in 0..<400 {
            if random.unit() > 0.2 {
                rig.arrive(LevelPacket.stored(Int64(sequence)), level: random.unit() > 0.05 ? 64 : 255)
            }
            for _ in 0..<2 { _ = rig.pull(random.unit() > 0.9 ? 3000 : 80) }
            #expect(rig.isBalanced)
        }
    }
}
