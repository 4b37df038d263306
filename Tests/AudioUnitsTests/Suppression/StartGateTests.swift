import Testing

import AudioUnits

@Suite("Start gate")
struct StartGateTests {
    private func closedBlocks(
        _ gate: inout StartGate, _ blocks: Int, far: Bool = true, known: Bool = false, echoless: Bool = false,
        power: Float = 1e-7
    ) -> Int {
        var closed = 0
        for _ in 0..<blocks {
            gate.update(farIsActive: far, pathIsKnown: known, hasNoEcho: echoless, microphonePower: power)
            if gate.isClosed { closed += 1 }
        }
        return closed
    }

    @Test("It stays open until the far end speaks")
    func quietFarEnd() {
        var gate = StartGate()
        let closed1 = closedBlocks(&gate, 1000, far: false)
        #expect(closed1 == 0)
        let closed2 = closedBlocks(&gate, 10)
        #expect(closed2 == 10)
    }

    @Test("It opens for good once the path is known")
    func known() {
        var gate = StartGate()
        let closed3 = closedBlocks(&gate, 30)
        #expect(closed3 == 30)
        let closed4 = closedBlocks(&gate, 1, known: true)
        #expect(closed4 == 0)
        let closed5 = closedBlocks(&gate, 100)
        #expect(closed5 == 0)
    }

    @Test("It opens while there seems to be no echo, and closes again where there is one after all")
    func echoless() {
        var gate = StartGate()
        let before = closedBlocks(&gate, 20)
        #expect(before == 20)
        let during = closedBlocks(&gate, 10, echoless: true)
        #expect(during == 0)
        let after = closedBlocks(&gate, 10)
        #expect(after == 10)
    }

    @Test("Half a second after the far end it opens until that speaks again")
    func hangover() {
        var gate = StartGate()
        _ = closedBlocks(&gate, 30)
        let closed6 = closedBlocks(&gate, 200, far: false)
        #expect((45...55).contains(closed6))
        let closed7 = closedBlocks(&gate, 10)
        #expect(closed7 == 10)
    }

    @Test("It closes also on somebody who was speaking when the far end began: that may be where the echo begins")
    func speakerFirst() {
        var gate = StartGate()
        _ = closedBlocks(&gate, 60, far: false, power: 1e-3)
        let closed = closedBlocks(&gate, 20, power: 1e-3)
        #expect(closed == 20)
    }

    @Test("A headset: a microphone that speaks for 700 ms without an echo found is heard, a silent one after three seconds")
    func headset() {
        var gate = StartGate()
        _ = closedBlocks(&gate, 20)
        let closed8 = closedBlocks(&gate, 400, power: 1e-3)
        #expect((65...75).contains(closed8))
        var quiet = StartGate()
        let closed9 = closedBlocks(&quiet, 600)
        #expect((295...305).contains(closed9))
    }
}
