import AudioUnits
import DSP
import Glibc
import Testing

/// Spectra of two blocks of 10 ms under a sine window, block by block, of a signal read at any position.
private final class Spectra {
    let samples: [Float]
    let transform: RealFFT
    private let frames: Int
    private let interpolator = FractionalInterpolator()

    init(_ samples: [Float], frames: Int) throws {
        self.samples = samples
        self.frames = frames
        transform = try RealFFT(length: 2 * frames)
    }

    func take(at position: Double) -> [Complex] {
        let length = 2 * frames
        var block = [Float](repeating: 0, count: length)
        samples.withUnsafeBufferPointer {
            interpolator.read($0.baseAddress!, position: position, step: 1, count: length, into: &block)
        }
        for index in block.indices { block[index] *= Float(sin(.pi * (Double(index) + 0.5) / Double(length))) }
        var spectrum = [Complex](repeating: Complex(), count: frames + 1)
        transform.forward(block, into: &spectrum)
        return spectrum
    }
}

@Suite("Drift loop")
struct DriftLoopTests {
    /// A filter that follows the echo with a time constant of half a second, in place of one that adapts: what is left to
    /// the loop is the whole of the drift. Returns the drift found, in ppm, after each second.
    private func run(
        ppm: Double, seconds: Int, rate: Int = 16_000, presence: Float = 0, seed: UInt64 = 21
    ) throws -> (drift: [Double], misplaced: Double) {
        let frames = rate / 100
        let signal = Signals.speechLike(rate: Double(rate), seconds: Double(seconds) + 1, seed: seed)
        let spectra = try Spectra(signal, frames: frames)
        var loop = DriftLoop(rate: rate, bins: frames + 1)
        var found: [Double] = []
        // Samples: the echo's way ahead of the first microphone block, the reference's, and the filter's belief in between.
        var reference = 0.0
        var belief = 0.0
        for block in 0..<(seconds * 100) {
            let truth = Double(block * frames) * ppm * 1e-6
            belief += (truth - reference - belief) * 0.02
            let base = 100 + Double(block * frames)
            let seconds = loop.update(
                microphone: spectra.take(at: base + truth), echo: spectra.take(at: base + reference + belief),
                presence: presence)
            reference += seconds * Double(rate) + Double(frames) * loop.drift
            if block % 100 == 99 { found.append(loop.drift * 1e6) }
        }
        let truth = Double(seconds * 100 * frames) * ppm * 1e-6
        return (found, (truth - reference - belief) / Double(rate))
    }

    @Test(
        "finds the drift to 15 ppm in 4 s and to 5 ppm in 8 s",
        arguments: [-300.0, -50, 0, 120, 300], [8000, 16_000])
    func finds(ppm: Double, rate: Int) throws {
        let result = try run(ppm: ppm, seconds: 10, rate: rate)
        print("drift \(ppm) ppm at \(rate) Hz: \(result.drift)")
        #expect(abs(result.drift[3] - ppm) < 15)
        #expect(abs(result.drift[7] - ppm) < 5)
        #expect(abs(result.misplaced) < 20e-6)
    }

    @Test("is slower while somebody speaks, and still right in the end")
    func presence() throws {
        let quick = try run(ppm: 100, seconds: 20)
        let slow = try run(ppm: 100, seconds: 20, presence: 1)
        #expect(slow.drift[1] < quick.drift[1])
        #expect(abs(slow.drift[19] - 100) < 15)
    }

    @Test("speech that has nothing to do with the estimate does not carry it away in a minute")
    func unrelated() throws {
        let near = try Spectra(Signals.speechLike(rate: 16_000, seconds: 61, seed: 31), frames: 160)
        let other = try Spectra(Signals.speechLike(rate: 16_000, seconds: 61, seed: 32), frames: 160)
        var loop = DriftLoop(rate: 16_000, bins: 161)
        var worst = 0.0
        for block in 0..<6000 {
            let base = 100 + Double(block * 160)
            // A filter without an echo path believes in little.
            let echo = other.take(at: base).map { Complex($0.re * 0.02, $0.im * 0.02) }
            _ = loop.update(microphone: near.take(at: base), echo: echo, presence: 1)
            worst = max(worst, loop.drift.magnitude * 1e6)
        }
        print("unrelated speech: \(worst) ppm")
        #expect(worst < 60)
    }

    @Test("never goes past 400 ppm")
    func limit() throws {
        let result = try run(ppm: 480, seconds: 5)
        #expect(result.drift.allSatisfy { $0 <= 400.001 })
        #expect(result.drift[4] > 390)
    }

    @Test("a restart keeps half of the drift")
    func restart() throws {
        let frames = 160
        let spectra = try Spectra(Signals.speechLike(rate: 16_000, seconds: 3, seed: 41), frames: frames)
        var loop = DriftLoop(rate: 16_000, bins: 161)
        for block in 0..<100 {
            let base = 100 + Double(block * frames)
            _ = loop.update(microphone: spectra.take(at: base + 0.2), echo: spectra.take(at: base), presence: 0)
        }
        let drift = loop.drift
        #expect(drift > 20e-6)
        #expect(abs(loop.lag + 0.2 / 16_000) < 4e-6)
        #expect(loop.observedSeconds > 0.5)
        loop.restart()
        #expect(loop.drift == drift / 2)
        #expect(loop.observedSeconds == 0)
    }

    @Test("what is no number neither moves it nor stays")
    func nonsense() throws {
        let spectra = try Spectra(Signals.speechLike(rate: 16_000, seconds: 4, seed: 51), frames: 160)
        var loop = DriftLoop(rate: 16_000, bins: 161)
        for value in [Float.nan, .infinity, 1e30] {
            let bad = [Complex](repeating: Complex(value, -value), count: 161)
            let moved = loop.update(microphone: bad, echo: bad, presence: 0)
            #expect(moved == 0)
            #expect(loop.drift == 0)
        }
        let zeros = [Complex](repeating: Complex(), count: 161)
        #expect(loop.update(microphone: zeros, echo: zeros, presence: .nan) == 0)
        for block in 0..<200 {
            let base = 100 + Double(block * 160)
            _ = loop.update(microphone: spectra.take(at: base + 0.2), echo: spectra.take(at: base), presence: 0)
        }
        #expect(loop.drift > 20e-6)
    }
}
