import CAudit
import DSP
import Testing

@Suite struct ConvolverTests {
    private func direct(_ input: [Float], _ response: [Float]) -> [Float] {
        input.indices.map { n in
            var sum = 0.0
            for k in 0...min(n, response.count - 1) { sum += Double(input[n - k]) * Double(response[k]) }
            return Float(sum)
        }
    }

    private func convolve(_ input: [Float], with convolver: Convolver) -> [Float] {
        var output = input
        let length = convolver.blockLength
        output.withUnsafeMutableBufferPointer { buffer in
            for start in stride(from: 0, to: buffer.count, by: length) {
                // In place, which is allowed.
                let block = buffer.baseAddress! + start
                convolver.process(block, into: block)
            }
        }
        return output
    }

    @Test(
        "It equals direct convolution, without delay, for responses shorter and longer than a block",
        arguments: [1, 2, 63, 64, 65, 480, 1_000, 2_500], [64, 160, 480])
    func equalsDirectConvolution(length: Int, block: Int) throws {
        let response = Signals.noise(count: length, seed: UInt64(length))
        let input = Signals.noise(count: block * 12, seed: 31)
        let output = convolve(input, with: try Convolver(impulseResponse: response, blockLength: block))
        let expected = direct(input, response)
        let worst = zip(output, expected).map { abs($0 - $1) }.max()!
        let peak = expected.map { abs($0) }.max()!
        #expect(worst < 1e-5 * max(1, peak), "off by \(worst) at a peak of \(peak)")
    }

    @Test("A response of one unit sample changes nothing")
    func identity() throws {
        let input = Signals.noise(count: 1_600, seed: 32)
        let output = convolve(input, with: try Convolver(impulseResponse: [1], blockLength: 160))
        #expect(zip(output, input).allSatisfy { abs($0 - $1) < 1e-6 })
    }

    @Test("The tail of an impulse rings on through silence to its very end")
    func tailRingsOn() throws {
        let response = Signals.noise(count: 777, seed: 33)
        var input = [Float](repeating: 0, count: 1_600)
        input[5] = 1
        let output = convolve(input, with: try Convolver(impulseResponse: response, blockLength: 160))
        #expect((0..<777).allSatisfy { abs(output[5 + $0] - response[$0]) < 1e-5 })
        #expect(output[(5 + 777)...].allSatisfy { abs($0) < 1e-5 })
    }

    @Test("A response without samples and a block that is too short are typed errors")
    func refusesBadInput() {
        #expect(throws: DSPError.self) { _ = try Convolver(impulseResponse: [], blockLength: 64) }
        for block in [-480, 0, 1, 15, Int.max] {
            #expect(throws: DSPError.self) { _ = try Convolver(impulseResponse: [1], blockLength: block) }
        }
    }

    @Test("Convolving neither allocates nor locks", .enabled(if: audit_available()))
    func isClean() throws {
        let convolver = try Convolver(impulseResponse: Signals.noise(count: 4_000, seed: 34), blockLength: 480)
        let block = Signals.block(480, seed: 35)
        defer { block.deallocate() }
        audit_begin()
        for _ in 0..<50 { convolver.process(block, into: block) }
        let counts = audit_end()
        #expect(counts.allocations == 0 && counts.frees == 0 && counts.locks == 0, "\(counts)")
    }
}
