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

    private let bins: Int
    /// Highest bin that is looked at: 8 kHz.
    private let end: Int
    /// Radians a bin and 1/16,000 s.
    private let step: Float
    private let leastPower: Float
    private let cross: UnsafeMutablePointer<Complex>
    private let microphonePower: UnsafeMutablePointer<Float>
    private let echoPower: UnsafeMutablePointer<Float>

    private static var seconds: Double { @_noLocks get { 0.01 } }
    /// The lag is told in units of 1/16,000 s.
    private static var unit: Double { @_noLocks get { 16_000 } }
    /// Share of the newest block in the averages: 80 ms.
    private static var rate: Float { @_noLocks get { 0.1175 } }
    private static var integral: Double { @_noLocks get { 8 } }
    private static var proportional: Double { @_noLocks get { 4 } }

    /// A loop over blocks of 10 ms and their spectra of two blocks.
    ///
    /// - Parameters:
    ///   - rate: of the signals, in Hz.
    ///   - bins: of the spectra; the last lies at half the rate.
    package init(rate: Int, bins: Int) {
        self.bins = bins
        let width = Double(rate) / 2 / Double(max(1, bins - 1))
        end = min(bins - 1, Int(8000 / width))
        step = Float(2 * Double.pi * width / Self.unit)
        leastPower = Float(1e-7 * Double(rate) / Self.unit)
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
        let isTalkedOver = presence > 0.3
        let ki = Self.integral * (isTalkedOver ? 0.1 : 1)
        let kp = Self.proportional * (isTalkedOver ? 0.3 : 1)
        let moved = drift + ki * measured / Self.unit * Self.seconds
        drift = max(-Self.limit, min(Self.limit, moved))
        return kp * measured / Self.unit * Self.seconds
    }

    /// The reference was placed anew: half of what was believed stands, and nothing of what was averaged.
    @_noLocks
    package mutating func restart() {
        drift *= 0.5
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
        var sum: Float = 0
        var weight: Float = 0
        var total: Float = 0
        for bin in 1...max(1, end) {
            let d = microphone[bin]
            let y = echo[bin]
            cross[bin].re += (d.re * y.re + d.im * y.im - cross[bin].re) * Self.rate
            cross[bin].im += (d.im * y.re - d.re * y.im - cross[bin].im) * Self.rate
            microphonePower[bin] += (d.square - microphonePower[bin]) * Self.rate
            echoPower[bin] += (y.square - echoPower[bin]) * Self.rate
            total += echoPower[bin] + microphonePower[bin]
            guard echoPower[bin] > leastPower else { continue }
            let coherence = min(1, cross[bin].square / (echoPower[bin] * microphonePower[bin] + 1e-30))
            guard coherence > 0.3 else { continue }
            let w = coherence / (1.02 - coherence)
            let omega = step * Float(bin)
            sum += w * omega * phase(cross[bin])
            weight += w * omega * omega
        }
        guard sum.isFinite, weight.isFinite, total.isFinite else {
            forget()
            return nil
        }
        guard weight > 3 else { return nil }
        return Double(max(-2, min(2, sum / weight)))
    }

    /// arg z to 2e-4 rad: an odd polynomial for the arc tangent up to 1 (Abramowitz and Stegun 4.4.49, shortened), and
    /// symmetry for the rest.
    @_noLocks
    private func phase(_ z: Complex) -> Float {
        let x = z.re.magnitude
        let y = z.im.magnitude
        let greater = max(x, y)
        guard greater > 0 else { return 0 }
        let t = min(x, y) / greater
        let s = t * t
        var angle = t * (0.999_866_0 + s * (-0.330_299_5 + s * (0.180_141_0 + s * (-0.085_133_0 + s * 0.020_835_1))))
        if y > x { angle = Float.pi / 2 - angle }
        if z.re < 0 { angle = Float.pi - angle }
        return z.im < 0 ? -angle : angle
    }
}
