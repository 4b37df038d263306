import Glibc
import Testing

import AudioUnits
import DSP

@Suite("Kalman filter")
struct KalmanFilterTests {
    /// Runs the filter and gives the power of what is left of the echo alone, over that of the echo, block by block.
    private struct Run {
        var filter: KalmanFilterBox
        var room: EchoRoom
        let block = 160

        init(rt60: Double = 0.05) throws {
            filter = try KalmanFilterBox()
            room = EchoRoom(rate: 16_000, rt60: rt60, delaySeconds: 0.004, gain: 0.5, block: 160, seed: 17)
        }

        mutating func step(far: [Float], near: [Float], noiseWeight: Float = 1) -> (echo: Float, left: Float) {
            let echo = room.hear(far)
            var estimate = [Float](repeating: 0, count: block)
            filter.value.filter(far, into: &estimate)
            let error = (0..<block).map { echo[$0] + near[$0] - estimate[$0] }
            filter.value.adapt(error: error, noiseWeight: noiseWeight, memory: 0.9998)
            return (Signals.power(echo[...]), Signals.power(zip(echo, estimate).map { $0 - $1 }[...]))
        }
    }

    private final class KalmanFilterBox {
        var value: KalmanFilter
        init() throws {
            value = try KalmanFilter(block: 160, partitions: 30)
            value.start(gains: [Float](repeating: 0.25, count: 161))
        }
    }

    private func attenuation(_ powers: [(echo: Float, left: Float)]) -> Double {
        Signals.decibels(powers.reduce(0) { $0 + $1.echo } / powers.reduce(0) { $0 + $1.left })
    }

    @Test("White noise through 50 ms of room is 25 dB down within two seconds")
    func converges() throws {
        let seed: UInt64 = 5
        var noise = Noise(seed: seed)
        var run = try Run()
        let powers = (0..<300).map { _ in
            run.step(
                far: (0..<160).map { _ in noise.next() * 0.1 }, near: (0..<160).map { _ in noise.next() * 1e-3 })
        }
        let late = attenuation(Array(powers[200...]))
        print("Kalman filter, white noise, after 2 s:", late, "dB")
        #expect(late > 25, "seed \(seed)")
    }

    @Test("Ten seconds of near end 6 dB over the echo leave it 12 dB down")
    func doubleTalk() throws {
        let seed: UInt64 = 8
        var noise = Noise(seed: seed)
        var run = try Run()
        let far = Signals.speechLike(rate: 16_000, seconds: 16, level: 0.1, seed: 2)
        let near = Signals.speechLike(rate: 16_000, seconds: 10, level: 0.1, seed: 9)
        var powers: [(echo: Float, left: Float)] = []
        for index in 0..<1600 {
            let start = index * 160
            let voice = index >= 600 ? Array(near[(start - 96_000)..<(start - 96_000 + 160)]) : []
            powers.append(
                run.step(
                    far: Array(far[start..<start + 160]),
                    near: (0..<160).map { (voice.isEmpty ? 0 : voice[$0]) + noise.next() * 1e-3 }))
        }
        let late = attenuation(Array(powers[1500...]))
        print("Kalman filter, last second of 10 s of double talk:", late, "dB")
        #expect(late > 12, "seed \(seed)")
    }

    @Test("A path that changes in part is followed sooner by a filter that has been told so")
    func inflates() throws {
        func left(inflating: Bool) throws -> Double {
            var run = try Run()
            var noise = Noise(seed: 21)
            let far = Signals.speechLike(rate: 16_000, seconds: 9, level: 0.1, seed: 2)
            var powers: [(echo: Float, left: Float)] = []
            for index in 0..<900 {
                if index == 600 {
                    run.room = EchoRoom(rate: 16_000, rt60: 0.05, delaySeconds: 0.004, gain: 0.5, block: 160, seed: 18)
                }
                if index == 610, inflating { run.filter.value.inflateVariance(to: 0.3) }
                powers.append(
                    run.step(
                        far: Array(far[index * 160..<(index + 1) * 160]), near: (0..<160).map { _ in noise.next() * 1e-3 }))
            }
            return attenuation(Array(powers[650..<750]))
        }
        let (before, after) = (try left(inflating: false), try left(inflating: true))
        print("Kalman filter, second after a change in part:", before, "dB, told of it:", after, "dB")
        #expect(after > before + 3)
    }

    @Test("Full-scale square waves and digital silence leave numbers, and a filter that learns again")
    func badInput() throws {
        var noise = Noise(seed: 3)
        var run = try Run()
        let square = (0..<160).map { $0 % 40 < 20 ? Float(1) : -1 }
        let silence = [Float](repeating: 0, count: 160)
        for _ in 0..<100 { _ = run.step(far: square, near: square.map { -4 * $0 }, noiseWeight: 0.1) }
        for _ in 0..<300 { _ = run.step(far: silence, near: silence) }
        for _ in 0..<50 { _ = run.step(far: silence, near: square) }
        let powers = (0..<400).map { _ in
            run.step(far: (0..<160).map { _ in noise.next() * 0.1 }, near: silence)
        }
        #expect(powers.allSatisfy { $0.left.isFinite })
        #expect(attenuation(Array(powers[300...])) > 15)
    }

    @Test("The reference's power is that of its spectrum under a Hann window, and of noise what an analysis tells")
    func referencePower() throws {
        let seed: UInt64 = 21
        var noise = Noise(seed: seed)
        var filter = try KalmanFilter(block: 160, partitions: 4)
        var analysis = try SpectralAnalysis(block: 160)
        let fft = try RealFFT(length: 320)
        let window = (0..<320).map { Float(0.5 - 0.5 * cos(2 * Double.pi * Double($0) / 320)) }
        var (power, echo) = ([Float](repeating: 0, count: 161), [Float](repeating: 0, count: 160))
        var spectrum = [Complex](repeating: Complex(), count: 161)
        var before = [Float](repeating: 0, count: 160)
        var (own, analysed): (Float, Float) = (0, 0)
        for _ in 0..<100 {
            let block = (0..<160).map { _ in noise.next() * 0.1 }
            filter.filter(block, into: &echo)
            filter.referencePower(into: &power)
            analysis.process(block)
            fft.forward(zip(before + block, window).map { $0 * $1 }, into: &spectrum)
            #expect(zip(power, spectrum).allSatisfy { abs($0 - 4 / 3 * $1.power) < 1e-4 }, "seed \(seed)")
            own += power.reduce(0, +)
            analysed += (0...160).reduce(0) { $0 + analysis.power[$1] }
            before = block
        }
        #expect(abs(Signals.decibels(own / analysed)) < 0.3, "seed \(seed)")
    }

    @Test("Before it is started it estimates silence")
    func notStarted() throws {
        var filter = try KalmanFilter(block: 160, partitions: 4)
        var echo = [Float](repeating: 1, count: 160)
        filter.filter([Float](repeating: 0.3, count: 160), into: &echo)
        filter.adapt(error: [Float](repeating: 0.3, count: 160), noiseWeight: 1, memory: 1)
        filter.filter([Float](repeating: 0.3, count: 160), into: &echo)
        #expect(echo.allSatisfy { $0 == 0 })
    }
}
