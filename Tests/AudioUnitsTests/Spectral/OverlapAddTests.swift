import Testing

import AudioUnits

@Suite("Analysis and synthesis")
struct OverlapAddTests {
    @Test("What was analysed comes back, 7/8 of a block later", arguments: [80, 160, 240, 480])
    func identity(block: Int) throws {
        let seed: UInt64 = 41
        var noise = Noise(seed: seed)
        let input = (0..<20 * block).map { _ in noise.next() }
        var analysis = try SpectralAnalysis(block: block)
        var synthesis = try OverlapAdd(block: block)
        var output = [Float](repeating: 0, count: input.count)
        for start in stride(from: 0, to: input.count, by: block) {
            input.withUnsafeBufferPointer { analysis.process($0.baseAddress! + start) }
            output.withUnsafeMutableBufferPointer {
                synthesis.process(analysis.spectrum, into: $0.baseAddress! + start)
            }
        }
        let delay = block - OverlapWindow.lead(block: block)
        for index in 2 * block..<input.count {
            #expect(abs(output[index] - input[index - delay]) < 1e-5, "sample \(index), seed \(seed)")
        }
    }

    @Test("Bins of noise have its power times the block's length")
    func scale() throws {
        var noise = Noise(seed: 4)
        var analysis = try SpectralAnalysis(block: 160)
        var power: Float = 0
        var bins: Float = 0
        for _ in 0..<200 {
            let block = (0..<160).map { _ in noise.next() * 0.1 }
            analysis.process(block)
            power += sum(analysis.power, count: 161)
            bins += Signals.power(block[...])
        }
        #expect(abs(power / (bins * 160 * 161) - 1) < 0.05)
    }
}
