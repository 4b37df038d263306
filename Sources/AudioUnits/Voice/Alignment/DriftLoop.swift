import DSP

/// Follows the drift of the playback clock against the capture clock by what it does to the adaptive filter.
///
/// A filter that adapts lags behind an echo that moves by drift times its time constant; that lag is the slope of the phase
/// between the microphone and the filter's estimate of the echo. A proportional-integral loop brings it to zero: the
/// integral is the drift. Bins count by their coherence, so that near-end speech weighs little; the loop is slower while
/// somebody speaks there. Times are seconds, drift is a fraction: 1e-6 is 1 ppm.
package struct DriftLoop: ~Copyable {
    /// The most drift that is followed.
    package static var limit: Double { @_noLocks get { 400e-6 } }

    /// Reference samples for each of the microphone, less 1.
    package private(set) var drift = 0.0
    /// Seconds in which the lag could be told, since the last restart.
    package private(set) var observedSeconds = 0.0
    /// By how much the echo last came after its estimate, in seconds.
    package private(set) var lag = 0.0

    private let tuning: DriftLoopTuning
    /// Near-end presence from which the loop is slower.
    private let presence: Float
    private let bins: Int
    /// Bins that are looked at: four by four, up to 8 kHz.
    private let count: Int
    /// Radians a bin and 1/16,000 s.
    private let step: Float
    private let leastPower: Float
    private let cross: UnsafeMutablePointer<Complex>
    private let microphonePower: UnsafeMutablePointer<Float>
    private let echoPower: UnsafeMutablePointer<Float>

    private static var seconds: Double { @_noLocks get { 0.01 } }
    /// The lag is told in units of 1/16,000 s.
    private static var unit: Double { @_noLocks get { 16_000 } }

    /// A loop over blocks of 10 ms and their spectra of two blocks.
    ///
    /// - Parameters:
    ///   - rate: of the signals, in Hz.
    ///   - bins: of the spectra; the last lies at half the rate.
    package init(
        rate: Int, bins: Int, tuning: DriftLoopTuning = DriftLoopTuning(), activity: ActivityTuning = ActivityTuning()
    ) {
        self.tuning = tuning
        presence = activity.presence
        self.bins = bins
        let width = Double(rate) / 2 / Double(max(1, bins - 1))
        count = min(bins, Int(8000 / width)) & ~3
        step = Float(2 * Double.pi * width / Self.unit)
        leastPower = Float(tuning.leastPower * Double(rate) / Self.unit)
        cross = clearedSpectrum(bins)
        microphonePower = cleared(bins)
        echoPower = cleared(bins)
    }

    deinit {
        cross.deallocate()
        microphonePower.deallocate()
        echoPower.deallocate()
    }

    /// Takes in a block's spectra, and says by how many seconds the reference must be read further on at once.
    ///
    /// `presence`: near-end speech, 0 ... 1.
    @_noLocks
    package mutating func update(
        microphone: UnsafePointer<Complex>, echo: UnsafePointer<Complex>, presence: Float
    ) -> Double {
        guard let measured = measure(microphone, echo) else { return 0 }
        lag = -measured / Self.unit
        observedSeconds += Self.seconds
        let isTalkedOver = presence > self.presence
        let ki = tuning.integral * (isTalkedOver ? tuning.integralInDoubleTalk : 1)
        let kp = tuning.proportional * (isTalkedOver ? tuning.proportionalInDoubleTalk : 1)
        let moved = drift + ki * measured / Self.unit * Self.seconds
        drift = max(-Self.limit, min(Self.limit, moved))
        return kp * measured / Self.unit * Self.seconds
    }

    /// The reference was placed anew: half of what was believed stands, and nothing of what was averaged.
    @_noLocks
    package mutating func restart() {
        drift *= tuning.keptAfterMove
        observedSeconds = 0
        forget()
    }

    @_noLocks
    private func forget() {
        for bin in 0..<bins {
            cross[bin] = Complex()
            microphonePower[bin] = 0
            echoPower[bin] = 0
        }
    }

    /// By how much the microphone comes before the estimate, in 1/16,000 s; nil where too little is coherent to tell.
    @_noLocks
    private func measure(_ microphone: UnsafePointer<Complex>, _ echo: UnsafePointer<Complex>) -> Double? {
        var (sums, weights, totals) = (SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>())
        var omega = step * SIMD4<Float>(0, 1, 2, 3)
        for bin in stride(from: 0, to: count, by: 4) {
            let (d, y) = (microphone.quad(bin), echo.quad(bin))
            let c = UnsafePointer(cross).quad(bin)
            let re = c.re + (d.re * y.re + d.im * y.im - c.re) * tuning.rate
            let im = c.im + (d.im * y.re - d.re * y.im - c.im) * tuning.rate
            cross.setQuad(bin, BinVector(re, im))
            let heard = UnsafePointer(microphonePower).quad(bin)
            let expected = UnsafePointer(echoPower).quad(bin)
            let powers = (heard + (d.squares - heard) * tuning.rate, expected + (y.squares - expected) * tuning.rate)
            microphonePower.setQuad(bin, powers.0)
            echoPower.setQuad(bin, powers.1)
            totals += powers.0 + powers.1
            let raw = (re * re + im * im) / (powers.0 * powers.1 + 1e-30)
            let coherence = raw.replacing(with: 1, where: raw .> 1)
            let counts = (coherence .> tuning.leastCoherence) .& (powers.1 .> leastPower)
            let share = (coherence / (1.02 - coherence)) * omega
            let w = SIMD4<Float>().replacing(with: share, where: counts)
            sums += w * Self.phase(re, im)
            weights += w * omega
            omega += 4 * step
        }
        let (sum, weight, total) = (sums.sum(), weights.sum(), totals.sum())
        guard sum.isFinite, weight.isFinite, total.isFinite else {
            forget()
            return nil
        }
        guard weight > tuning.leastWeight else { return nil }
        return Double(max(-tuning.mostLag, min(tuning.mostLag, sum / weight)))
    }

    /// arg z to 2e-4 rad: an odd polynomial for the arc tangent up to 1 (Abramowitz and Stegun 4.4.49, shortened), and
    /// symmetry for the rest.
    @_noLocks
    private static func phase(_ re: SIMD4<Float>, _ im: SIMD4<Float>) -> SIMD4<Float> {
        let x = re.replacing(with: -re, where: re .< 0)
        let y = im.replacing(with: -im, where: im .< 0)
        let isSteep = y .> x
        let greater = x.replacing(with: y, where: isSteep) + 1e-30
        let t = y.replacing(with: x, where: isSteep) / greater
        let s = t * t
        let high: SIMD4<Float> = 0.180_141_0 + s * (-0.085_133_0 + s * 0.020_835_1)
        var angle: SIMD4<Float> = t * (0.999_866_0 + s * (-0.330_299_5 + s * high))
        angle.replace(with: Float.pi / 2 - angle, where: isSteep)
        angle.replace(with: Float.pi - angle, where: re .< 0)
        return angle.replacing(with: -angle, where: im .< 0)
    }
}
