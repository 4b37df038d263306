import Testing

import AudioUnits

@Suite("Near-end proof")
struct NearEndProofTests {
    private func feed(_ proof: inout NearEndProof, residual: Float, echo: Float, noise: Float = 1e-6, blocks: Int) {
        func plane(_ value: Float) -> [Float] { [Float](repeating: value, count: 161) }
        for _ in 0..<blocks {
            proof.update(residual: plane(residual), echo: plane(echo), noise: plane(noise), bins: 6..<161)
        }
    }

    @Test("What is left is never proof as long as the echo is louder, however long")
    func distortion() {
        var proof = NearEndProof()
        feed(&proof, residual: 1, echo: 1, blocks: 1000)
        let isGiven = proof.isGiven
        #expect(!isGiven)
    }

    @Test("30 ms louder than all the echo are, 20 ms and noise are not")
    func louder() {
        var proof = NearEndProof()
        feed(&proof, residual: 1, echo: 0.1, blocks: 2)
        feed(&proof, residual: 0.01, echo: 0.1, blocks: 1)
        feed(&proof, residual: 1, echo: 0, noise: 0.5, blocks: 10)
        let early = proof.isGiven
        #expect(!early)
        feed(&proof, residual: 1, echo: 0.1, blocks: 3)
        let late = proof.isGiven
        #expect(late)
    }

    @Test("The room's tail after the echo's estimate is no proof: 60 dB in 0.8 s; somebody who speaks on is")
    func tail() {
        var proof = NearEndProof()
        feed(&proof, residual: 1, echo: 1, blocks: 20)
        var level: Float = 1
        for _ in 0..<60 {
            level *= 0.83
            feed(&proof, residual: level, echo: 0, blocks: 1)
        }
        let rings = proof.isGiven
        #expect(!rings)
        feed(&proof, residual: 0.1, echo: 0, blocks: 10)
        let speaks = proof.isGiven
        #expect(speaks)
    }

    @Test("A hall's tail, 60 dB in 1.5 s, is no proof either, and is told from somebody who speaks into it")
    func hall() {
        var proof = NearEndProof()
        feed(&proof, residual: 1, echo: 1, blocks: 20)
        let isTailAtOnce = proof.mayBeTail
        #expect(!isTailAtOnce)
        var level: Float = 0.1
        for block in 0..<80 {
            level *= 0.912
            feed(&proof, residual: level, echo: 0, blocks: 1)
            let isTail = proof.mayBeTail
            #expect(isTail, "block \(block)")
        }
        let rings = proof.isGiven
        #expect(!rings)
        feed(&proof, residual: 0.1, echo: 0, blocks: 3)
        let speaks = proof.isGiven && proof.isHeard && !proof.mayBeTail
        #expect(speaks)
        feed(&proof, residual: 0, echo: 0, blocks: 15)
        let pauses = proof.mayBeTail
        #expect(!pauses)
    }

    @Test("It holds for five seconds, and not over a restart")
    func memory() {
        var proof = NearEndProof()
        feed(&proof, residual: 1, echo: 0.1, blocks: 3)
        feed(&proof, residual: 1, echo: 1, blocks: 490)
        let held = proof.isGiven
        #expect(held)
        feed(&proof, residual: 1, echo: 1, blocks: 20)
        let forgotten = !proof.isGiven
        #expect(forgotten)
        feed(&proof, residual: 1, echo: 0.1, blocks: 3)
        proof.restart()
        let restarted = !proof.isGiven
        #expect(restarted)
    }
}
