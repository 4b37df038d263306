import CAudit
import DSP
import Glibc
import Testing

@Suite struct ResamplerTests {
    /// Converts everything in blocks of at most `block` samples.
    private func convert(_ input: [Float], with resampler: Resampler, block: Int) -> [Float] {
        var output: [Float] = []
        var position = 0
        while position < input.count {
            let count = min(block, input.count - position)
            let capacity = resampler.outputCapacity(for: count)
            var consumed = 0
            output += [Float](unsafeUninitializedCapacity: capacity) { buffer, produced in
                input.withUnsafeBufferPointer {
                    (consumed, produced) = resampler.process(
                        $0.baseAddress! + position, count: count, into: buffer.baseAddress!, capacity: capacity)
                }
            }
            #expect(consumed == count, "outputCapacity did not suffice")
            position += count
        }
        return output
    }

    @Test(
        "A tone comes out as that tone, and as late as the latency says",
        arguments: [
            (48_000, 16_000), (16_000, 48_000), (48_000, 8_000), (8_000, 48_000), (44_100, 48_000), (48_000, 44_100),
            (44_100, 16_000), (96_000, 48_000),
        ])
    func keepsATone(from: Int, to: Int) throws {
        let resampler = try Resampler(from: from, to: to)
        let hertz = 1_000.0
        let output = convert(Signals.tone(hertz, rate: Double(from), count: from), with: resampler, block: from / 100)
        #expect(abs(output.count - to) <= 2)
        let found = Signals.fit(hertz, rate: Double(to), in: output[(to / 10)...])
        #expect(found.snr > 90, "\(found.snr) dB")
        #expect(abs(20 * log10(found.amplitude / 0.5)) < 0.05)
        let delay = -found.phase / (2 * .pi * hertz) * Double(to)
        let cycle = Double(to) / hertz
        let late = delay - (delay / cycle).rounded(.down) * cycle
        let said = Double(resampler.latencySamples)
        let difference = abs((late - said).remainder(dividingBy: cycle))
        // SpeexDSP reports whole samples.
        #expect(difference <= 1, "measured \(late), said \(said) samples (modulo \(cycle))")
    }

    @Test(
        "What the lower rate cannot hold is taken away",
        arguments: [(48_000, 16_000), (48_000, 8_000), (16_000, 8_000)])
    func rejectsAliases(from: Int, to: Int) throws {
        let resampler = try Resampler(from: from, to: to)
        let tone = Signals.tone(Double(to) * 0.65, rate: Double(from), count: from)
        let output = convert(tone, with: resampler, block: from / 100)
        let left = Signals.level(output[(to / 10)...]) - Signals.level(tone[...])
        #expect(left < -90, "\(left) dB")
    }

    @Test("Blocks of any size give the same samples as one block", arguments: [1, 7, 160, 441, 960])
    func blockSizeDoesNotMatter(block: Int) throws {
        let input = Signals.noise(count: 9_600, seed: 11)
        let whole = convert(input, with: try Resampler(from: 48_000, to: 16_000), block: input.count)
        let pieces = convert(input, with: try Resampler(from: 48_000, to: 16_000), block: block)
        #expect(pieces == whole)
    }

    @Test("With little room it stops early, and what it did not take can follow")
    func stopsWhenFull() throws {
        let input = Signals.noise(count: 4_800, seed: 12)
        let whole = convert(input, with: try Resampler(from: 16_000, to: 48_000), block: input.count)
        let resampler = try Resampler(from: 16_000, to: 48_000)
        var output: [Float] = []
        var position = 0
        var room = [Float](repeating: 0, count: 37)
        while position < input.count {
            let (consumed, produced) = input.withUnsafeBufferPointer {
                resampler.process($0.baseAddress! + position, count: input.count - position, into: &room, capacity: 37)
            }
            try #require(consumed + produced > 0)
            position += consumed
            output += room[..<produced]
        }
        #expect(output == Array(whole[..<output.count]))
        #expect(whole.count - output.count < 3 * 37)
    }

    @Test("After a reset it starts anew")
    func resets() throws {
        let resampler = try Resampler(from: 48_000, to: 16_000)
        let input = Signals.noise(count: 4_800, seed: 13)
        let first = convert(input, with: resampler, block: 480)
        resampler.reset()
        #expect(convert(input, with: resampler, block: 480) == first)
    }

    @Test("Rates and qualities that are not supported are typed errors")
    func refusesBadInput() {
        for (from, to) in [(0, 48_000), (48_000, 0), (-1, 8_000), (48_000, 384_001), (3_999, 8_000), (Int.max, 8_000)] {
            #expect(throws: DSPError.unsupportedRates(from: from, to: to)) { _ = try Resampler(from: from, to: to) }
        }
        for quality in [-1, 11, Int.max] {
            #expect(throws: DSPError.outOfRange(parameter: "quality", allowed: "0...10")) {
                _ = try Resampler(from: 48_000, to: 16_000, quality: quality)
            }
        }
    }

    @Test("Samples that are not numbers do not trap, and a reset rids it of them")
    func survivesBadSamples() throws {
        let resampler = try Resampler(from: 48_000, to: 16_000)
        _ = convert([.nan, .infinity, -.infinity, .greatestFiniteMagnitude], with: resampler, block: 4)
        resampler.reset()
        let output = convert(Signals.noise(count: 960, seed: 14), with: resampler, block: 480)
        #expect(output.allSatisfy { $0.isFinite })
    }

    @Test("Converting neither allocates nor locks", .enabled(if: audit_available()))
    func isClean() throws {
        let resampler = try Resampler(from: 48_000, to: 16_000)
        let handle = resampler.handle
        let input = Signals.block(480, seed: 15)
        let output = Signals.block(480, seed: 0)
        defer { input.deallocate() }
        defer { output.deallocate() }
        audit_begin()
        for _ in 0..<100 { _ = handle.process(input, count: 480, into: output, capacity: 480) }
        let counts = audit_end()
        #expect(counts.allocations == 0 && counts.frees == 0 && counts.locks == 0, "\(counts)")
        withExtendedLifetime(resampler) {}
    }
}
