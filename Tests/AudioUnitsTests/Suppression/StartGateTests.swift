import Testing

@testable import AudioUnits

@Suite("Start gate")
struct StartGateTests {
    private func closedBlocks(
        _ gate: inout StartGate, _ blocks: Int, far: Bool = true, known: Bool = false, power: Float = 1e-7
    ) -> Int {
        var closed = 0
        for _ in 0..<blocks {
            gate.update(farIsActive: far, pathIsKnown: known, microphonePower: power)
            if gate.isClosed { closed += 1 }
        }
        return closed
    }

    @Test("It stays open until the far end speaks")
    func quietFarEnd() {
        var gate = StartGate()
        #expect(closedBlocks(&gate, 1000, far: false) == 0)
        #expect(closedBlocks(&gate, 10) == 10)
    }

    @Test("It opens for good once the path is known")
    func known() {
        var gate = StartGate()
        #expect(closedBlocks(&gate, 30) == 30)
        #expect(closedBlocks(&gate, 1, known: true) == 0)
        #expect(closedBlocks(&gate, 100) == 0)
    }

    @Test("Half a second after the far end it opens until that speaks again")
    func hangover() {
        var gate = StartGate()
        _ = closedBlocks(&gate, 30)
        #expect((45...55).contains(closedBlocks(&gate, 200, far: false)))
        #expect(closedBlocks(&gate, 10) == 10)
    }

    @Test("A headset: a microphone that speaks for a second without an echo found is heard, a silent one after three")
    func headset() {
        var gate = StartGate()
        _ = closedBlocks(&gate, 20)
        #expect((95...105).contains(closedBlocks(&gate, 400, power: 1e-3)))
        var quiet = StartGate()
        #expect((295...305).contains(closedBlocks(&quiet, 600)))
    }
}
