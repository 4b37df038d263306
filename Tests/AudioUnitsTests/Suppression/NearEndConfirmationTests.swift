import Testing

import AudioUnits

@Suite("Near-end confirmation")
struct NearEndConfirmationTests {
    private func feed(
        _ confirmation: inout NearEndConfirmation, residual: Float, echo: Float, noise: Float = 1e-6, blocks: Int
    ) {
        func plane(_ value: Float) -> [Float] { [Float](repeating: value, count: 161) }
        for _ in 0..<blocks {
            confirmation.update(residual: plane(residual), echo: plane(echo), noise: plane(noise), bins: 6..<161)
        }
    }

    @Test("What is left confirms nobody as long as the echo is louder, however long")
    func distortion() {
        var confirmation = NearEndConfirmation()
        feed(&confirmation, residual: 1, echo: 1, blocks: 1000)
        let isConfirmed = confirmation.isConfirmed
        #expect(!isConfirmed)
    }

    @Test("30 ms louder than all the echo are, 20 ms and noise are not")
    func louder() {
        var confirmation = NearEndConfirmation()
        feed(&confirmation, residual: 1, echo: 0.1, blocks: 2)
        feed(&confirmation, residual: 0.01, echo: 0.1, blocks: 1)
        feed(&confirmation, residual: 1, echo: 0, noise: 0.5, blocks: 10)
        let early = confirmation.isConfirmed
        #expect(!early)
        feed(&confirmation, residual: 1, echo: 0.1, blocks: 3)
        let late = confirmation.isConfirmed
        #expect(late)
    }

    @Test("The room's tail after the echo's estimate confirms nobody: 60 dB in 0.8 s; somebody who speaks on is")
    func tail() {
        var confirmation = NearEndConfirmation()
        feed(&confirmation, residual: 1, echo: 1, blocks: 20)
        var level: Float = 1
        for _ in 0..<60 {
            level *= 0.83
            feed(&confirmation, residual: level, echo: 0, blocks: 1)
        }
        let rings = confirmation.isConfirmed
        #expect(!rings)
        feed(&confirmation, residual: 0.1, echo: 0, blocks: 10)
        let speaks = confirmation.isConfirmed
        #expect(speaks)
    }

    @Test("A hall's tail, 60 dB in 1.5 s, confirms nobody either, and is told from somebody who speaks into it")
    func hall() {
        var confirmation = NearEndConfirmation()
        feed(&confirmation, residual: 1, echo: 1, blocks: 20)
        let isTailAtOnce = confirmation.mayBeTail
        #expect(!isTailAtOnce)
        var level: Float = 0.1
        for block in 0..<80 {
            level *= 0.912
            feed(&confirmation, residual: level, echo: 0, blocks: 1)
            let isTail = confirmation.mayBeTail
            #expect(isTail, "block \(block)")
        }
        let rings = confirmation.isConfirmed
        #expect(!rings)
        feed(&confirmation, residual: 0.1, echo: 0, blocks: 3)
        let speaks = confirmation.isConfirmed && confirmation.isHeard && !confirmation.mayBeTail
        #expect(speaks)
        feed(&confirmation, residual: 0, echo: 0, blocks: 15)
        let pauses = confirmation.mayBeTail
        #expect(!pauses)
    }

    @Test("It holds for five seconds, and not over a restart")
    func memory() {
        var confirmation = NearEndConfirmation()
        feed(&confirmation, residual: 1, echo: 0.1, blocks: 3)
        feed(&confirmation, residual: 1, echo: 1, blocks: 490)
        let held = confirmation.isConfirmed
        #expect(held)
        feed(&confirmation, residual: 1, echo: 1, blocks: 20)
        let forgotten = !confirmation.isConfirmed
        #expect(forgotten)
        feed(&confirmation, residual: 1, echo: 0.1, blocks: 3)
        confirmation.restart()
        let restarted = !confirmation.isConfirmed
        #expect(restarted)
    }
}
