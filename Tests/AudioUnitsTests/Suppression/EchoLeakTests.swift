import Testing

import AudioUnits

@Suite("Echo leak")
struct EchoLeakTests {
    /// One band with echo of power 1, of which `left` is left.
    private func feed(
        _ leak: inout EchoLeak, left: Float, presence: Float = 0, isProven: Bool = false, noise: Float = 1e-6, blocks: Int
    ) {
        let context = EchoLeak.Context(presence: presence, isProven: isProven)
        for _ in 0..<blocks {
            leak.begin(context)
            leak.learn(band: 0, residual: left, echo: 1, noise: noise, context)
        }
    }

    @Test("It starts at 1, falls to what is left within a second, and starts anew")
    func follows() {
        var leak = EchoLeak(bandCount: 1)
        let first = leak.ratios[0]
        #expect(first == 1)
        feed(&leak, left: 0.01, blocks: 100)
        let fallen = Signals.decibels(leak.ratios[0] / 0.01)
        #expect(fallen < 3 && fallen > -1)
        let mean = Signals.decibels(leak.mean / leak.ratios[0])
        #expect(abs(mean) < 0.1)
        leak.restart()
        let anew = leak.ratios[0]
        #expect(anew == 1)
    }

    @Test("What looks like near end but is never proven, a loudspeaker that distorts, is echo within 1.5 s")
    func distortion() {
        var leak = EchoLeak(bandCount: 1)
        feed(&leak, left: 0.05, blocks: 200)
        feed(&leak, left: 0.2, presence: 0.8, blocks: 150)
        let risen = Signals.decibels(leak.ratios[0] / 0.2)
        #expect(risen > -1 && risen < 4)
    }

    @Test("Near end that is proven after 300 ms leaves no trace of the doubt")
    func proof() {
        var leak = EchoLeak(bandCount: 1)
        feed(&leak, left: 0.05, blocks: 200)
        let before = leak.ratios[0]
        feed(&leak, left: 0.2, presence: 0.8, blocks: 30)
        let doubted = Signals.decibels(leak.ratios[0] / before)
        #expect(doubted > 2)
        feed(&leak, left: 0.2, presence: 0.8, isProven: true, blocks: 10)
        let settled = Signals.decibels(leak.ratios[0] / before)
        #expect(abs(settled) < 1)
    }

    @Test("Near end 20 dB over the residual is none of the loudspeaker's, proven or not", arguments: [false, true])
    func loudNearEnd(isProven: Bool) {
        var leak = EchoLeak(bandCount: 1)
        feed(&leak, left: 0.01, blocks: 200)
        feed(&leak, left: 1, presence: 0.8, isProven: isProven, blocks: 50)
        let risen = Signals.decibels(leak.ratios[0] / 0.01)
        #expect(risen < 6)
    }

    @Test("Under the noise nothing is learnt")
    func underNoise() {
        var leak = EchoLeak(bandCount: 1)
        feed(&leak, left: 0.01, noise: 0.2, blocks: 300)
        let ratio = leak.ratios[0]
        #expect(ratio == 1)
    }
}
