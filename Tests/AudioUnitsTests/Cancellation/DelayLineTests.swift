import Testing

import AudioUnits

@Suite("Delay line")
struct DelayLineTests {
    @Test("Samples come out that many later, across blocks", arguments: [0, 1, 20, 160, 500])
    func delays(delay: Int) {
        var line = DelayLine(delay: delay, block: 160)
        let input = (0..<1600).map(Float.init)
        var output: [Float] = []
        for start in stride(from: 0, to: 1600, by: 160) {
            var block = [Float](repeating: -1, count: 160)
            line.process(Array(input[start..<start + 160]), into: &block)
            output += block
        }
        let taken = min(delay, 160)
        #expect(Array(output[taken...]) == Array(input[..<(1600 - taken)]))
        #expect(output[..<taken].allSatisfy { $0 == 0 })
    }
}
