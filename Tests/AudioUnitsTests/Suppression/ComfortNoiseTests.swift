import DSP
import Testing

@testable import AudioUnits

@Suite("Comfort noise")
struct ComfortNoiseTests {
    @Test("In place of everything it is as loud as the noise, within 0.5 dB", arguments: [80, 160, 480])
    func level(block: Int) throws {
        let bins = block + 1
        var comfort = ComfortNoise(seed: 77)
        var synthesis = try OverlapAdd(block: block)
        // Noise of -40 dBFS: its bins have its power times the block's length.
        let noise = [Float](repeating: 1e-4 * Float(block), count: bins)
        let gains = [Float](repeating: 0, count: bins)
        var power: Float = 0
        for index in 0..<400 {
            var spectrum = [Complex](repeating: Complex(), count: bins)
            comfort.fill(&spectrum, gains: gains, noise: noise, bins: 0..<bins)
            var output = [Float](repeating: 0, count: block)
            synthesis.process(spectrum, into: &output)
            if index >= 2 { power += Signals.power(output[...]) / 398 }
        }
        #expect(abs(Signals.decibels(power / 1e-4)) < 0.5)
    }

    @Test("Where nothing was taken nothing is added")
    func nothingTaken() {
        var comfort = ComfortNoise(seed: 1)
        var spectrum = [Complex](repeating: Complex(1, 2), count: 9)
        comfort.fill(
            &spectrum, gains: [Float](repeating: 1, count: 9), noise: [Float](repeating: 5, count: 9), bins: 0..<9)
        #expect(spectrum.allSatisfy { $0 == Complex(1, 2) })
    }
}
