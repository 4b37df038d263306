import CAudit
import DSP
import Glibc
import Testing

@Suite struct DriftResamplerTests {
    private func convert(
        _ input: [Float], ratio: Double, block: Int = 480, each: (Int, inout DriftResampler) -> Void = { _, _ in }
    ) -> [Float] {
        var resampler = DriftResampler()
        resampler.ratio = ratio
        var output: [Float] = []
        var room = [Float](repeating: 0, count: 2 * block + 2)
        for start in stride(from: 0, to: input.count, by: block) {
            each(start, &resampler)
            let count = min(block, input.count - start)
            let (consumed, produced) = input.withUnsafeBufferPointer {
                resampler.process($0.baseAddress! + start, count: count, into: &room, capacity: room.count)
            }
            #expect(consumed == count)
            output += room[..<produced]
        }
        return output
    }

    @Test(
        "A tone under drift comes out clean, at its level and at the shifted frequency",
        arguments: [-10_000, -1_000, -100, -20, 0, 20, 100, 1_000, 10_000] as [Double],
        [300, 1_000, 3_000, 5_300] as [Double])
    func keepsATone(ppm: Double, hertz: Double) {
        let ratio = 1 + ppm * 1e-6
        let output = convert(Signals.tone(hertz, rate: 16_000, count: 32_000), ratio: ratio)
        let found = Signals.fit(hertz / ratio, rate: 16_000, in: output[100...])
        #expect(found.snr > 75, "\(found.snr) dB")
        #expect(abs(20 * log10(found.amplitude / 0.5)) < 0.05, "\(found.amplitude)")
    }

    @Test("It makes as many samples as the ratio says", arguments: [0.5, 0.999, 0.9999, 1, 1.0001, 1.001, 2])
    func countIsTheRatio(ratio: Double) {
        let output = convert([Float](repeating: 0.1, count: 480_000), ratio: ratio)
        #expect(abs(Double(output.count) - 480_000 * ratio) <= 2)
    }

    @Test("At ratio 1 it is a plain delay by its latency")
    func unityIsADelay() {
        let input = Signals.noise(count: 4_800, seed: 21)
        let output = convert(input, ratio: 1)
        let late = DriftResampler.latencySamples
        #expect(output.count == input.count)
        #expect(zip(output[late...], input).allSatisfy { abs($0 - $1) < 1e-5 })
    }

    @Test("Blocks of any size give the same samples", arguments: [1, 3, 161, 480, 4_800])
    func blockSizeDoesNotMatter(block: Int) {
        let input = Signals.noise(count: 4_800, seed: 22)
        #expect(convert(input, ratio: 1.0007, block: block) == convert(input, ratio: 1.0007, block: 4_800))
    }

    @Test("A ratio that moves with every block leaves no click")
    func ratioMayMove() {
        let hertz = 400.0
        let tone = Signals.tone(hertz, rate: 16_000, count: 64_000)
        let output = convert(tone, ratio: 1, block: 160) { start, resampler in
            resampler.ratio = 1 + 1e-3 * sin(Double(start) / 5_000)
        }
        // A tone of that amplitude and frequency has a bounded second difference; a click has not.
        let omega = 2 * Double.pi * hertz / 16_000
        let bound = Float(0.5 * omega * omega * 1.05)
        var largest: Float = 0
        for i in 100..<output.count - 1 {
            let bend: Float = output[i + 1] - 2 * output[i] + output[i - 1]
            largest = max(largest, abs(bend))
        }
        #expect(largest < bound, "\(largest) against \(bound)")
    }

    @Test("With little room it stops early and goes on without a gap")
    func stopsWhenFull() {
        let input = Signals.noise(count: 2_000, seed: 23)
        var resampler = DriftResampler()
        resampler.ratio = 1.001
        var output: [Float] = []
        var room = [Float](repeating: 0, count: 7)
        var position = 0
        while true {
            let (consumed, produced) = input.withUnsafeBufferPointer {
                resampler.process($0.baseAddress! + position, count: input.count - position, into: &room, capacity: 7)
            }
            position += consumed
            output += room[..<produced]
            if consumed == 0, produced == 0 { break }
        }
        #expect(position == input.count)
        #expect(output == convert(input, ratio: 1.001, block: 2_000))
    }

    @Test("Nothing in and nothing wanted is nothing done")
    func emptyBlocks() {
        var resampler = DriftResampler()
        var sample: Float = 0
        #expect(resampler.process([], count: 0, into: &sample, capacity: 1) == (0, 0))
        #expect(resampler.process([0.5], count: 1, into: &sample, capacity: 0) == (0, 0))
    }

    @Test(
        "A ratio that makes no sense is brought into range or left out",
        arguments: [
            (Double.nan, 1.25), (.infinity, 2), (-.infinity, 0.5), (0, 0.5), (-1, 0.5), (1e300, 2), (1e-300, 0.5),
        ])
    func survivesBadRatios(bad: Double, kept: Double) {
        var resampler = DriftResampler()
        resampler.ratio = 1.25
        resampler.ratio = bad
        #expect(resampler.ratio == kept)
        let allowed = DriftResampler.allowedRatios
        #expect([1.25, allowed.lowerBound, allowed.upperBound].contains(kept))
        var room = [Float](repeating: 0, count: 1_000)
        let result = resampler.process(Signals.noise(count: 400, seed: 24), count: 400, into: &room, capacity: 1_000)
        #expect(result.consumed == 400)
        #expect(abs(Double(result.produced) - 400 * kept) <= 2)
    }

    @Test("Converting neither allocates nor locks", .enabled(if: audit_available()))
    func isClean() {
        var resampler = DriftResampler()
        let input = Signals.block(480, seed: 25)
        let output = Signals.block(500, seed: 0)
        defer { input.deallocate() }
        defer { output.deallocate() }
        audit_begin()
        for turn in 0..<100 {
            resampler.ratio = 1 + Double(turn) * 1e-5
            _ = resampler.process(input, count: 480, into: output, capacity: 500)
        }
        let counts = audit_end()
        #expect(counts.allocations == 0 && counts.frees == 0 && counts.locks == 0, "\(counts)")
    }
}
