import Simulation
import Testing

@Suite("A call whose media are encrypted") struct EncryptedCallTests {
    private func run(_ change: (inout LoopbackPlan) -> Void = { _ in }) throws -> OfflineCall {
        var plan = LoopbackPlan()
        plan.seconds = 8
        plan.seed = 11
        plan.voiceProcessing = false
        change(&plan)
        let call = try OfflineCall(plan)
        try call.run()
        return call
    }

    @Test("is heard as the plain call is, to the sample, on a clean network and on a bad one", arguments: [false, true])
    func sameSound(isBad: Bool) throws {
        func change(_ plan: inout LoopbackPlan) throws {
            if isBad { plan.network = try NetworkConditions(parsing: "loss=5,burst=2,jitter=30,reorder=3") }
        }
        let plain = try run { try? change(&$0) }
        let encrypted = try run {
            try? change(&$0)
            $0.encrypts = true
        }
        for (one, other) in zip(plain.sides, encrypted.sides) {
            #expect(one.heard == other.heard, "seed 11")
            #expect(one.statistics.srtp == nil)
            let srtp = try #require(other.statistics.srtp)
            #expect(srtp.suite == "AEAD_AES_128_GCM" && srtp.failed == 0 && srtp.replayed == 0)
            #expect(one.statistics.packetsReceived == other.statistics.packetsReceived)
        }
    }

    @Test("packets that the network doubles are counted as replayed, and heard once") func doubled() throws {
        let call = try run {
            $0.network = (try? NetworkConditions(parsing: "duplicate=20")) ?? NetworkConditions()
            $0.encrypts = true
        }
        for side in call.sides {
            let figures = side.statistics
            #expect((figures.srtp?.replayed ?? 0) > 20)
            #expect(figures.srtp?.failed == 0)
            #expect(figures.packetsDuplicate == 0)
            #expect(figures.concealedRatio == 0)
        }
    }

    @Test("two sides with keys of different seeds hear nothing of each other") func otherKeys() throws {
        let silent = try run {
            $0.encrypts = true
            $0.keySeed = { side in UInt64(side) }
        }
        for side in silent.sides {
            #expect((side.statistics.packetsReceived ?? 0) == 0)
            #expect((side.statistics.srtp?.failed ?? 0) > 100)
        }
    }
}
