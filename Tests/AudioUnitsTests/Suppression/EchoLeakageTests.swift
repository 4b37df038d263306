import Testing

import AudioUnits

@Suite("Echo leakage")
struct EchoLeakageTests {
    /// One band with echo of power 1, of which `left` is left.
    private func feed(
        _ leakage: inout EchoLeakage, left: Float, presence: Float = 0, isConfirmed: Bool = false,
        noise: Float = 1e-6, blocks: Int
    ) {
        let context = EchoLeakage.Context(presence: presence, isConfirmed: isConfirmed)
        for _ in 0..<blocks {
            leakage.begin(context)
            leakage.learn(band: 0, residual: left, echo: 1, noise: noise, context)
        }
    }

    @Test("It starts at 1, falls to what is left within a second, and starts anew")
    func follows() {
        var leakage = EchoLeakage(bandCount: 1)
        let first = leakage.ratios[0]
        #expect(first == 1)
        feed(&leakage, left: 0.01, blocks: 100)
        let fallen = Signals.decibels(leakage.ratios[0] / 0.01)
        #expect(fallen < 3 && fallen > -1)
        let mean = Signals.decibels(leakage.mean / leakage.ratios[0])
        #expect(abs(mean) < 0.1)
        leakage.restart()
        let anew = leakage.ratios[0]
        #expect(anew == 1)
    }

    @Test("What looks like near end but is never proven, a loudspeaker that distorts, is echo within 1.5 s")
    func distortion() {
        var leakage = EchoLeakage(bandCount: 1)
        feed(&leakage, left: 0.05, blocks: 200)
        feed(&leakage, left: 0.2, presence: 0.8, blocks: 150)
        let risen = Signals.decibels(leakage.ratios[0] / 0.2)
        #expect(risen > -1 && risen < 4)
    }

    @Test("Near end that is confirmed after 300 ms leaves no trace of what was learnt before")
    func confirmed() {
        var leakage = EchoLeakage(bandCount: 1)
        feed(&leakage, left: 0.05, blocks: 200)
        let before = leakage.ratios[0]
        feed(&leakage, left: 0.2, presence: 0.8, blocks: 30)
        let unconfirmed = Signals.decibels(leakage.ratios[0] / before)
        #expect(unconfirmed > 2)
        feed(&leakage, left: 0.2, presence: 0.8, isConfirmed: true, blocks: 10)
        let settled = Signals.decibels(leakage.ratios[0] / before)
        #expect(abs(settled) < 1)
    }

    @Test("Near end 20 dB over the residual is none of the loudspeaker's, proven or not", arguments: [false, true])
    func loudNearEnd(isConfirmed: Bool) {
        var leakage = EchoLeakage(bandCount: 1)
        feed(&leakage, left: 0.01, blocks: 200)
        feed(&leakage, left: 1, presence: 0.8, isConfirmed: isConfirmed, blocks: 50)
        let risen = Signals.decibels(leakage.ratios[0] / 0.01)
        #expect(risen < 6)
    }

    @Test("Under the noise nothing is learnt")
    func underNoise() {
        var leakage = EchoLeakage(bandCount: 1)
        feed(&leakage, left: 0.01, noise: 0.2, blocks: 300)
        let ratio = leakage.ratios[0]
        #expect(ratio == 1)
    }
}
