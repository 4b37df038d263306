import DSP
import Testing

import AudioUnits

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
        let loud = [Float](repeating: 1e3, count: bins)
        var power: Float = 0
        for index in 0..<400 {
            var spectrum = [Complex](repeating: Complex(), count: bins)
            comfort.fill(&spectrum, gains: gains, noise: noise, microphone: loud, nearEndPresence: 0, bins: 0..<bins)
            var output = [Float](repeating: 0, count: block)
            synthesis.process(spectrum, into: &output)
            if index >= 2 { power += Signals.power(output[...]) / 398 }
        }
        #expect(abs(Signals.decibels(power / 1e-4)) < 0.5)
    }

    @Test("It never makes a block louder than the microphone was")
    func limited() {
        for microphone in [0.04, 0.01, 0.005] as [Float] {
            var comfort = ComfortNoise(seed: 5)
            var power: Float = 0
            for _ in 0..<200 {
                var spectrum = [Complex](repeating: Complex(0.1, 0), count: 161)
                comfort.fill(
                    &spectrum, gains: [Float](repeating: 0.1, count: 161), noise: [Float](repeating: 1, count: 161),
                    microphone: [Float](repeating: microphone, count: 161), nearEndPresence: 0, bins: 0..<161)
                power += spectrum.reduce(0) { $0 + $1.power } / 161 / 200
            }
            // Twice what is left over, of which the overlap keeps half.
            let added = max(0, 2 * (microphone - 0.01))
            #expect(abs(power - 0.01 - added) < 0.001, "\(power) for \(microphone)")
        }
    }

    @Test("What is far louder than a room is not made up for")
    func loud() {
        var comfort = ComfortNoise(seed: 9)
        let full = [Float](repeating: 160, count: 161)
        var power: Float = 0
        for _ in 0..<200 {
            var spectrum = [Complex](repeating: Complex(), count: 161)
            comfort.fill(
                &spectrum, gains: [Float](repeating: 0, count: 161), noise: full, microphone: full,
                nearEndPresence: 0, bins: 0..<161)
            power += spectrum.reduce(0) { $0 + $1.power } / 161 / 200
        }
        #expect(abs(Signals.decibels(power / 320) + 30) < 0.5)
    }

    @Test("While somebody speaks, who covers the room, it is 8 dB quieter")
    func covered() {
        func power(presence: Float) -> Float {
            var comfort = ComfortNoise(seed: 3)
            var spectrum = [Complex](repeating: Complex(), count: 161)
            let even = [Float](repeating: 1, count: 161)
            comfort.fill(
                &spectrum, gains: [Float](repeating: 0, count: 161), noise: even.map { $0 * 0.01 }, microphone: even,
                nearEndPresence: presence, bins: 0..<161)
            return spectrum.reduce(0) { $0 + $1.power }
        }
        #expect(abs(Signals.decibels(power(presence: 1) / power(presence: 0)) + 8.2) < 0.1)
        #expect(abs(Signals.decibels(power(presence: 0.5) / power(presence: 0)) + 2.4) < 0.1)
    }

    @Test("Where nothing was taken nothing is added")
    func nothingTaken() {
        var comfort = ComfortNoise(seed: 1)
        var spectrum = [Complex](repeating: Complex(1, 2), count: 9)
        comfort.fill(
            &spectrum, gains: [Float](repeating: 1, count: 9), noise: [Float](repeating: 5, count: 9),
            microphone: [Float](repeating: 50, count: 9), nearEndPresence: 0, bins: 0..<9)
        #expect(spectrum.allSatisfy { $0 == Complex(1, 2) })
    }
}
