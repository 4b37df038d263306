import DSP
import Testing

import AudioUnits

@Suite("Path change")
struct PathChangeDetectorTests {
    private let bins = 161

    /// Blocks until a change is reported, of at most `blocks`; the microphone holds `share` of what is estimated, plus
    /// something of `other` times its level.
    private func blocksUntilChange(
        share: Float, other: Float, level: Float = 1, blocks: Int, farIsActive: Bool = true, seed: UInt64 = 5,
        wanted: PathChangeDetector.Verdict = .wholly
    ) -> Int? {
        var noise = Noise(seed: seed)
        let bands = FrequencyBands(bins: bins, binHertz: 50)
        var combination = FilterCombination(bins: bins, bandCount: bands.count)
        var detector = PathChangeDetector()
        let background = [Float](repeating: 0.1, count: bands.count)
        for block in 0..<blocks {
            let estimate = (0..<bins).map { _ in Complex(noise.next() * level, noise.next() * level) }
            let right = block < 200
            let mic = estimate.map {
                Complex(
                    (right ? 1 : share) * $0.re + (right ? 0 : other) * noise.next() * level,
                    (right ? 1 : share) * $0.im + (right ? 0 : other) * noise.next() * level)
            }
            combination.process(microphone: mic, kalman: estimate, speex: nil, bands: bands)
            let verdict = detector.update(
                combination, noise: background, bandCount: bands.count, farIsActive: farIsActive)
            if verdict == wanted { return block - 200 }
        }
        return nil
    }

    @Test("An echo that comes another way is noticed within 300 ms")
    func changed() {
        let blocks = blocksUntilChange(share: 0, other: 1, blocks: 400)
        #expect(blocks != nil && (0...30).contains(blocks!), "\(String(describing: blocks))")
    }

    @Test("Where half of the echo comes another way, that is noticed within 500 ms, and is not taken for all of it")
    func partlyChanged() {
        let blocks = blocksUntilChange(share: 0.55, other: 0.5, blocks: 400, wanted: .partly)
        #expect(blocks != nil && (0...50).contains(blocks!), "\(String(describing: blocks))")
        #expect(blocksUntilChange(share: 0.55, other: 0.5, blocks: 1000) == nil)
    }

    @Test("A minute of double talk, 6 dB over the echo, is no change")
    func doubleTalk() {
        for seed in 1...4 as ClosedRange<UInt64> {
            #expect(blocksUntilChange(share: 1, other: 2, blocks: 6000, seed: seed) == nil, "seed \(seed)")
            let parts = blocksUntilChange(share: 1, other: 2, blocks: 6000, seed: seed, wanted: .partly)
            #expect(parts == nil, "seed \(seed)")
        }
    }

    @Test("Nothing is judged in silence, nor before the filters had a second and a half of speech")
    func nothingToJudge() {
        #expect(blocksUntilChange(share: 0, other: 1, level: 0.05, blocks: 400) == nil)
        #expect(blocksUntilChange(share: 0, other: 1, blocks: 400, farIsActive: false) == nil)
    }
}
