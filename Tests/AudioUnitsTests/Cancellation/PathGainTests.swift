import Testing

import AudioUnits

@Suite("Path gain")
struct PathGainTests {
    @Test("After eight blocks it knows the power ratio, within its bounds")
    func ratio() {
        var gain = PathGain(bins: 161)
        let reference = [Float](repeating: 2, count: 161)
        let microphone = (0..<161).map { $0 < 60 ? Float(0.5) : $0 < 120 ? 0 : 100 }
        for block in 0..<8 {
            let becameKnown = gain.update(microphone: microphone, reference: reference)
            #expect(becameKnown == (block == 7))
        }
        let (isKnown, ratios) = (gain.isKnown, gain.ratios)
        #expect(isKnown)
        #expect(abs(ratios[20] - 0.25) < 1e-6)
        #expect(ratios[90] == 1e-6)
        #expect(ratios[150] == 4)
        let again = gain.update(microphone: reference, reference: reference)
        #expect(!again)
    }

    @Test("Measured anew, the old ratio holds until the new one is known; silence gives a number")
    func restart() {
        var gain = PathGain(bins: 161)
        let silence = [Float](repeating: 0, count: 161)
        let one = [Float](repeating: 1, count: 161)
        for _ in 0..<8 { _ = gain.update(microphone: one, reference: one) }
        gain.restart()
        let isKnown = gain.isKnown
        #expect(!isKnown)
        for _ in 0..<7 { _ = gain.update(microphone: silence, reference: silence) }
        let held = gain.ratios[3]
        #expect(held == 1)
        let becameKnown = gain.update(microphone: silence, reference: silence)
        let measured = gain.ratios[3]
        #expect(becameKnown)
        #expect(measured == 1e-6)
    }
}
