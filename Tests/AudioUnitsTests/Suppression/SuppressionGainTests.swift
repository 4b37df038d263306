import Testing

import AudioUnits

@Suite("Suppression gain")
struct SuppressionGainTests {
    private func gains(residual: Float, echo: Float, presence: Float, blocks: Int = 50) -> Float {
        var gain = SuppressionGain(bins: 8)
        for _ in 0..<blocks {
            gain.update(
                residual: [Float](repeating: residual, count: 8), echo: [Float](repeating: echo, count: 8),
                nearEndPresence: presence)
        }
        return gain.gains[3]
    }

    @Test("Echo alone goes down to the floor: 40 dB, 20 dB while the near end speaks")
    func floors() {
        #expect(abs(2 * Signals.decibels(gains(residual: 1, echo: 1, presence: 0)) + 40) < 0.1)
        #expect(abs(gains(residual: 1, echo: 1, presence: 0) - 0.01) < 1e-4)
        #expect(abs(gains(residual: 1, echo: 10, presence: 1) - 0.1) < 1e-3)
    }

    @Test("Without echo nothing is taken, however quiet it is")
    func nothingToDo() {
        for residual in [1e-6, 1, 1e4] as [Float] {
            #expect(gains(residual: residual, echo: 0, presence: 0) > 0.999, "\(residual)")
        }
    }

    @Test("A voice 20 dB over the echo loses less than 0.5 dB in double talk")
    func voice() { #expect(2 * Signals.decibels(gains(residual: 100, echo: 1, presence: 1)) > -0.5) }

    @Test("Closed, nothing passes")
    func closed() {
        var gain = SuppressionGain(bins: 8)
        gain.update(
            residual: [Float](repeating: 1, count: 8), echo: [Float](repeating: 0, count: 8), nearEndPresence: 1)
        gain.close()
        let total = sum(gain.gains, count: 8)
        #expect(total == 0)
    }

    @Test("What may have passed is the echo after the gains, nothing of it while the near end speaks")
    func passed() {
        var gain = SuppressionGain(bins: 8)
        let (one, echo) = ([Float](repeating: 1, count: 8), [Float](repeating: 1, count: 8))
        for _ in 0..<50 { gain.update(residual: one, echo: echo, nearEndPresence: 0) }
        var passed = [Float](repeating: -1, count: 8)
        gain.pass(echo, nearEndPresence: 0, into: &passed)
        let alone = Signals.decibels(passed[3])
        #expect(alone > -40 && alone < -30)
        gain.pass(echo, nearEndPresence: 1, into: &passed)
        #expect(passed.allSatisfy { $0 == 0 })
    }
}
