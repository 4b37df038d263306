import Load
import Realtime
import Simulation
import Testing

@Suite("Finding an echo") struct EchoFinderTests {
    private func speech(_ seed: UInt64, seconds: Double) -> [Float] {
        var talker = SyntheticTalker(sampleRate: 8000, pitch: 120, seed: seed)
        return talker.speak(seconds: seconds)
    }

    @Test("sound is found where it was said, to the sample", arguments: [1, 2, 3, 4, 5, 6, 7, 8])
    func exact(seed: UInt64) throws {
        let said = speech(seed, seconds: 2)
        var finder = EchoFinder(rate: 8000)
        for offset in [0, 1, 163, 400, 1237, 4000] {
            let heard = Array(said[offset..<offset + 8000])
            guard let match = finder.find(heard, in: Array(said[0..<14_000])) else {
                // A pause of half a second and more leaves too little to go by.
                let loud = heard.filter { abs($0) > 0.01 }.count
                #expect(loud < 4000, "seed \(seed), offset \(offset)")
                continue
            }
            #expect(match.offset == offset && match.correlation > 0.999, "seed \(seed), offset \(offset): \(match)")
        }
    }

    @Test("quieter and noisier it is found in the same place")
    func disturbed() throws {
        let said = speech(3, seconds: 2)
        var random = SplitMix64(seed: 5)
        let heard = said[800..<8800].map { $0 * 0.3 + Float(random.unit() - 0.5) * 0.01 }
        var finder = EchoFinder(rate: 8000)
        let found = finder.find(heard, in: Array(said[0..<14_000]))
        let match = try #require(found)
        #expect(match.offset == 800 && match.correlation > 0.8)
    }

    @Test("somebody else's voice, silence and too little of it are not found")
    func notThere() {
        var finder = EchoFinder(rate: 8000)
        let said = speech(1, seconds: 2)
        let pairs: [(heard: [Float], said: [Float])] = [
            (speech(99, seconds: 1), said), ([Float](repeating: 0, count: 8000), said), (Array(said[0..<100]), said),
            (said, Array(said[0..<8000])), ([], []),
        ]
        for (index, pair) in pairs.enumerated() {
            let found = finder.find(pair.heard, in: pair.said)
            #expect(found == nil, "pair \(index)")
        }
    }
}
