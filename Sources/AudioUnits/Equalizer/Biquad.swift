import Glibc

/// One second-order filter section: H(z) = (b0 + b1 z⁻¹ + b2 z⁻²) / (1 + a1 z⁻¹ + a2 z⁻²).
///
/// Designs after R. Bristow-Johnson, "Cookbook formulae for audio EQ biquad filter coefficients".
struct Biquad: BitwiseCopyable, Equatable {
    var b0 = 1.0
    var b1 = 0.0
    var b2 = 0.0
    var a1 = 0.0
    var a2 = 0.0

    /// Passes everything.
    static var identity: Biquad { @_noLocks get { Biquad() } }

    @_noLocks
    init() {}

    /// The section of a band at a sampling rate; identity when the band is off.
    ///
    /// Frequencies past 0.49 of the rate are taken as that.
    init(_ band: EqualizerBand, sampleRate: Double) {
        self.init()
        guard band.isEnabled else { return }
        let gain = pow(10, band.gain / 40)
        let omega = 2 * Double.pi * min(band.frequency / sampleRate, 0.49)
        let (sine, cosine) = (sin(omega), cos(omega))
        let alpha = sine / (2 * band.quality)
        let root = 2 * gain.squareRoot() * alpha
        switch band.kind {
        case .peak:
            set((1 + alpha * gain, -2 * cosine, 1 - alpha * gain), (1 + alpha / gain, -2 * cosine, 1 - alpha / gain))
        case .lowShelf:
            set(
                (
                    gain * ((gain + 1) - (gain - 1) * cosine + root), 2 * gain * ((gain - 1) - (gain + 1) * cosine),
                    gain * ((gain + 1) - (gain - 1) * cosine - root)
                ),
                (
                    (gain + 1) + (gain - 1) * cosine + root, -2 * ((gain - 1) + (gain + 1) * cosine),
                    (gain + 1) + (gain - 1) * cosine - root
                ))
        case .highShelf:
            set(
                (
                    gain * ((gain + 1) + (gain - 1) * cosine + root), -2 * gain * ((gain - 1) + (gain + 1) * cosine),
                    gain * ((gain + 1) + (gain - 1) * cosine - root)
                ),
                (
                    (gain + 1) - (gain - 1) * cosine + root, 2 * ((gain - 1) - (gain + 1) * cosine),
                    (gain + 1) - (gain - 1) * cosine - root
                ))
        case .lowPass:
            set(((1 - cosine) / 2, 1 - cosine, (1 - cosine) / 2), (1 + alpha, -2 * cosine, 1 - alpha))
        case .highPass:
            set(((1 + cosine) / 2, -1 - cosine, (1 + cosine) / 2), (1 + alpha, -2 * cosine, 1 - alpha))
        case .bandPass:
            set((alpha, 0, -alpha), (1 + alpha, -2 * cosine, 1 - alpha))
        case .notch:
            set((1, -2 * cosine, 1), (1 + alpha, -2 * cosine, 1 - alpha))
        }
    }

    private mutating func set(_ b: (Double, Double, Double), _ a: (Double, Double, Double)) {
        (b0, b1, b2) = (b.0 / a.0, b.1 / a.0, b.2 / a.0)
        (a1, a2) = (a.1 / a.0, a.2 / a.0)
    }

    /// |H|² at `frequency`.
    func power(at frequency: Double, sampleRate: Double) -> Double {
        let omega = 2 * Double.pi * frequency / sampleRate
        let (c1, c2, s1, s2) = (cos(omega), cos(2 * omega), sin(omega), sin(2 * omega))
        let numerator = (b0 + b1 * c1 + b2 * c2, b1 * s1 + b2 * s2)
        let denominator = (1 + a1 * c1 + a2 * c2, a1 * s1 + a2 * s2)
        return (numerator.0 * numerator.0 + numerator.1 * numerator.1)
            / (denominator.0 * denominator.0 + denominator.1 * denominator.1)
    }

    /// Part of the way to another section. What lies between two stable sections is stable, because the coefficients of
    /// stable ones fill a triangle.
    @_noLocks @inline(__always)
    func mixed(with other: Biquad, part: Double) -> Biquad {
        var result = self
        result.b0 += (other.b0 - b0) * part
        result.b1 += (other.b1 - b1) * part
        result.b2 += (other.b2 - b2) * part
        result.a1 += (other.a1 - a1) * part
        result.a2 += (other.a2 - a2) * part
        return result
    }
}

/// What a section remembers of one channel (transposed direct form II, which takes moving coefficients well).
struct BiquadState: BitwiseCopyable {
    private var first = 0.0
    private var second = 0.0

    @_noLocks
    init() {}

    @_noLocks @inline(__always)
    mutating func process(_ input: Double, _ section: Biquad) -> Double {
        let output = section.b0 * input + first
        first = section.b1 * input - section.a1 * output + second
        second = section.b2 * input - section.a2 * output
        return output
    }

    /// Away with what is not a number, and with what is too small to be heard but slow to compute with.
    @_noLocks
    mutating func settle() {
        if !(first.magnitude > 1e-30 && first.magnitude < 1e12) { first = 0 }
        if !(second.magnitude > 1e-30 && second.magnitude < 1e12) { second = 0 }
    }
}
