import DSP
import Glibc
import Testing

@Suite("Real FFT")
struct RealFFTTests {
    @Test("A spectrum is that of a plain DFT, and the inverse undoes it", arguments: [160, 320, 640, 960])
    func plainDFT(length: Int) throws {
        let seed: UInt64 = 7
        let fft = try RealFFT(length: length)
        let input = Signals.noise(count: length, seed: seed)
        var spectrum = [Complex](repeating: Complex(), count: fft.bins)
        var back = [Float](repeating: 0, count: length)
        fft.forward(input, into: &spectrum)
        fft.inverse(spectrum, into: &back)
        for bin in stride(from: 0, to: fft.bins, by: 7) {
            var re = 0.0
            var im = 0.0
            for (n, x) in input.enumerated() {
                let angle = -2 * Double.pi * Double(bin * n % length) / Double(length)
                re += Double(x) * cos(angle)
                im += Double(x) * sin(angle)
            }
            #expect(abs(Double(spectrum[bin].re) - re) < 1e-3, "bin \(bin), seed \(seed)")
            #expect(abs(Double(spectrum[bin].im) - im) < 1e-3, "bin \(bin), seed \(seed)")
        }
        #expect(zip(input, back).allSatisfy { abs($0 - $1) < 1e-5 }, "seed \(seed)")
    }

    @Test("Lengths that would allocate in the transform are refused", arguments: [0, -4, 2, 15, 882, 98, 1 << 17])
    func refusedLengths(length: Int) {
        #expect(throws: DSPError.self) { _ = try RealFFT(length: length) }
    }
}
