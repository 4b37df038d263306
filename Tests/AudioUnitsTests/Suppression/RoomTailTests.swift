import Testing

import AudioUnits

@Suite("Room tail")
struct RoomTailTests {
    /// Whether the bound holds `ringing`, which loses `decay` a block, for the next second and a half.
    private func holds(_ ringing: Float, decay: Float) -> Bool {
        var tail = RoomTail()
        tail.update(1)
        var level = ringing
        for _ in 0..<150 {
            level *= decay
            tail.update(0)
            if tail.power < level { return false }
        }
        return true
    }

    @Test("The echo itself is never over its bound, and is not its tail")
    func follows() {
        var tail = RoomTail()
        for echo in [Float(0.1), 1, 0.5, 1] {
            tail.update(echo)
            let power = tail.power
            let isAlone = tail.isAlone
            #expect(power >= echo && !isAlone)
        }
    }

    @Test("Holds a room of 0.8 s from the echo's power on, a hall of 1.5 s from 10 dB under it on, and no more")
    func bounds() {
        #expect(holds(1, decay: 0.83))
        #expect(holds(0.1, decay: 0.912))
        #expect(!holds(1, decay: 0.912))
        #expect(!holds(0.1, decay: 0.93))
    }

    @Test("It is alone once the echo is 10 dB under it, and gone after two seconds")
    func ends() {
        var tail = RoomTail()
        tail.update(1)
        tail.update(0.2)
        let goesOn = !tail.isAlone
        tail.update(0.01)
        let isAlone = tail.isAlone
        #expect(goesOn && isAlone)
        for _ in 0..<200 { tail.update(0) }
        let power = tail.power
        #expect(power < 1e-7)
    }
}
