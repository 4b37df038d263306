import DSP
import Glibc
import Testing

/// The largest peak the meter sees in a signal that comes in blocks of `block`.
private func peak(_ samples: [Float], block: Int, threshold: Float = 0) -> Float {
    var meter = TruePeakMeter(largestBlock: block)
    var peaks = [Float](repeating: 0, count: block)
    var largest: Float = 0
    samples.withUnsafeBufferPointer { all in
        for start in stride(from: 0, to: all.count - block + 1, by: block) {
            if meter.process(all.baseAddress! + start, count: block, threshold: threshold, into: &peaks) {
                largest = max(largest, peaks.max() ?? 0)
            }
        }
    }
    return largest
}

@Suite("True-peak meter")
struct TruePeakMeterTests {
    @Test(
        "tones read within 0.3 dB of their amplitude, whatever their phase, up to 0.42 of the rate",
        arguments: [0.01, 0.1, 0.25, 0.3, 0.4], [16, 160, 480])
    func tones(frequency: Double, block: Int) {
        for phase in stride(from: 0.0, to: 3.1, by: 0.3) {
            let tone = (0..<4800).map { index -> Float in
                let swell = min(1, Double(index) / 400)
                let angle = 2 * Double.pi * frequency * Double(index) + phase
                return Float(0.8 * swell * sin(angle))
            }
            let read = 20 * log10(Double(peak(tone, block: block)) / 0.8)
            #expect(read > -0.3 - 0.7 * max(0, frequency - 0.3) / 0.1 && read < 0.3, "\(read) dB at phase \(phase)")
        }
    }

    @Test("blocks of different lengths see the same")
    func blocks() {
        var state: UInt64 = 5
        let noise = (0..<4800).map { _ -> Float in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Float(Int64(bitPattern: state) >> 40) / 8_388_608
        }
        let whole = peak(noise, block: 4800)
        for block in [16, 48, 160, 480] { #expect(peak(noise, block: block) == whole) }
    }

    @Test("what cannot reach the threshold is not looked at, what can is never missed")
    func threshold() {
        let quiet = (0..<1600).map { Float(0.4 * sin(0.7 * Double($0))) }
        #expect(peak(quiet, block: 160, threshold: 0.87) == 0)
        // Every sample at 0.71 of the peak.
        let loud = (0..<1600).map { index -> Float in
            let angle = Double.pi * (Double(index) / 2 + 0.25)
            return Float(0.95 * sin(angle))
        }
        #expect(abs(peak(loud, block: 160, threshold: 0.87) - 0.95) < 0.12)
    }
}
