import Testing

import AudioUnits

@Suite("Near-end presence")
struct NearEndDetectorTests {
    /// Presence after each of `blocks`, where `excess` bins of 161 are 20 dB over the echo.
    private func run(blocks: Int, excess: Int, noise: Float = 1e-3) -> [Float] {
        let bands = FrequencyBands(bins: 161, binHertz: 50)
        var detector = NearEndDetector(bands: bands, binHertz: 50)
        let echo = [Float](repeating: 1, count: 161)
        let floor = [Float](repeating: noise, count: 161)
        return (0..<blocks).map { _ in
            let residual = (0..<161).map { $0 < excess ? Float(100) : 1 }
            detector.update(residual: residual, echo: echo, noise: floor, bands: bands)
            return detector.presence
        }
    }

    @Test("Residual echo alone is nobody") func nobody() { #expect(run(blocks: 100, excess: 0).last == 0) }

    @Test("A voice is there within 50 ms") func somebody() { #expect(run(blocks: 5, excess: 80)[4] > 0.9) }

    @Test("One band is no voice") func oneBand() { #expect(run(blocks: 100, excess: 3).last! < 0.2) }

    @Test("Noise is no voice") func noise() { #expect(run(blocks: 100, excess: 161, noise: 100).last == 0) }

    @Test("Between words it lasts for a quarter of a second")
    func hold() {
        let bands = FrequencyBands(bins: 161, binHertz: 50)
        var detector = NearEndDetector(bands: bands, binHertz: 50)
        let one = [Float](repeating: 1, count: 161)
        for _ in 0..<20 {
            detector.update(residual: [Float](repeating: 1000, count: 161), echo: one, noise: one, bands: bands)
        }
        let speaking = detector.presence
        #expect(speaking > 0.95)
        for _ in 0..<25 { detector.update(residual: one, echo: one, noise: one, bands: bands) }
        let pausing = detector.presence
        #expect((0.3...0.7).contains(pausing))
    }
}
