import AudioUnits
import Glibc
import Realtime
import Testing

@Suite("Reference line")
struct ReferenceLineTests {
    private func filled(_ samples: [Float], capacity: Int = 32_768) throws -> ReferenceLine {
        let ends = try RingEnds<Float>(minimumCapacity: samples.count + 1)
        var producer = ends.producer
        _ = samples.withUnsafeBufferPointer { producer.write($0.baseAddress!, count: $0.count) }
        var line = ReferenceLine(ring: ends.consumer, capacity: capacity, longestBlock: 480)
        line.drain()
        return line
    }

    private func read(_ line: inout ReferenceLine, blocks: Int, pace: Double = 1) -> [Float] {
        var output: [Float] = []
        var block = [Float](repeating: .nan, count: 160)
        for _ in 0..<blocks {
            block.withUnsafeMutableBufferPointer { _ = line.read($0.baseAddress!, count: 160, pace: pace) }
            output += block
        }
        return output
    }

    @Test("at whole positions and the same pace samples come out as they went in")
    func exact() throws {
        let samples = Signals.sine(440, rate: 16_000, count: 4000)
        var line = try filled(samples)
        #expect(line.written == 4000)
        line.place(at: 100)
        #expect(read(&line, blocks: 10) == Array(samples[100..<1700]))
        #expect(line.position == 1700)
    }

    @Test("a tone of 1 kHz read 300 ppm faster or slower keeps 60 dB of purity", arguments: [-300e-6, 300e-6, 50e-6])
    func purity(drift: Double) throws {
        let line16 = Signals.sine(1000, rate: 16_000, count: 30_000)
        var line = try filled(line16)
        line.place(at: 500.25)
        let output = read(&line, blocks: 150, pace: 1 + drift)
        var error = 0.0
        var power = 0.0
        for index in output.indices {
            let ideal = 0.5 * sin(2 * .pi * 1000 / 16_000 * (500.25 + Double(index) * (1 + drift)))
            error += (Double(output[index]) - ideal) * (Double(output[index]) - ideal)
            power += ideal * ideal
        }
        let ratio = 10 * log10(power / error)
        print("resampler at \(drift * 1e6) ppm: \(ratio) dB")
        #expect(ratio > 60)
    }

    @Test("what has not been played yet, or no longer is kept, is silence and told")
    func missing() throws {
        var line = try filled([Float](repeating: 1, count: 6000), capacity: 2048)
        var block = [Float](repeating: .nan, count: 160)
        func read(at position: Double, pace: Double = 1) -> Int {
            line.place(at: position)
            return block.withUnsafeMutableBufferPointer { line.read($0.baseAddress!, count: 160, pace: pace) }
        }
        #expect(read(at: 5920) == 80)
        #expect(block[79] == 1 && block[80] == 0)
        #expect(read(at: 1000) == 160)
        #expect(block.allSatisfy { $0 == 0 })
        #expect(read(at: -50, pace: 1.0001) == 160)
        #expect(read(at: 5000.5, pace: 1.0001) == 0)
        #expect(read(at: 1e12) == 160)
    }

    @Test("before it is placed it reads silence")
    func unplaced() throws {
        var line = try filled([Float](repeating: 1, count: 1000))
        #expect(read(&line, blocks: 1).allSatisfy { $0 == 0 })
        line.place(at: .nan)
        line.place(at: .infinity)
        #expect(line.position == nil)
    }

    @Test("nonsense in what is played, and a pace out of range, come to nothing")
    func nonsense() throws {
        var samples = [Float](repeating: 0.5, count: 4000)
        samples[200] = .nan
        samples[201] = .infinity
        samples[202] = 1e30
        var line = try filled(samples)
        line.place(at: 0.5)
        #expect(read(&line, blocks: 4, pace: .nan).allSatisfy { $0.isFinite && $0.magnitude < 1 })
        #expect(read(&line, blocks: 4, pace: 1e9).allSatisfy { $0.isFinite })
        #expect(read(&line, blocks: 4, pace: -3).allSatisfy { $0.isFinite })
    }
}
