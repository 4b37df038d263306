import DSP
import Glibc

/// The gain that makes the error of the logarithmic spectrum least: xi / (1 + xi) · exp(E1(v) / 2) with v = gamma xi / (1 + xi)
/// (Ephraim and Malah 1985). The exponential integral comes from a table.
struct LogSpectralGain: ~Copyable {
    /// exp(E1(v) / 2) for v = 2^(index / 8 - 12).
    private let table: UnsafeMutablePointer<Float>

    private static var entries: Int { @_noLocks get { 136 } }
    private static var perOctave: Float { @_noLocks get { 8 } }
    private static var lowestOctave: Float { @_noLocks get { -12 } }

    init() {
        table = .allocate(capacity: Self.entries + 1)
        for index in 0...Self.entries {
            let v = exp2(Double(Float(index) / Self.perOctave + Self.lowestOctave))
            (table + index).initialize(to: Float(exp(0.5 * Self.exponentialIntegral(v))))
        }
    }

    deinit { table.deallocate() }

    /// - Parameters:
    ///   - prior: a-priori ratio of speech to noise, xi > 0.
    ///   - posterior: power over noise, gamma >= 0.
    @_noLocks @inline(__always)
    func gain(prior: Float, posterior: Float) -> Float {
        let share = prior / (1 + prior)
        let place = (FastMath.log2(posterior * share + 1e-9) - Self.lowestOctave) * Self.perOctave
        let last = Float(Self.entries &- 1)
        let limited = place > 0 ? (place < last ? place : last) : 0
        let index = Int(limited)
        let fraction = limited - Float(index)
        return share * (table[index] + fraction * (table[index &+ 1] - table[index]))
    }

    /// E1(v), v > 0 (Abramowitz and Stegun 5.1.11 and 5.1.22): the series for small v, the continued fraction for large.
    private static func exponentialIntegral(_ v: Double) -> Double {
        guard v > 1 else {
            var sum = -0.577_215_664_901_532_9 - log(v)
            var term = 1.0
            for n in 1..<30 {
                term *= -v / Double(n)
                sum -= term / Double(n)
            }
            return sum
        }
        var fraction = v
        for n in stride(from: 60, to: 0, by: -1) { fraction = v + Double(n) / (1 + Double(n) / fraction) }
        return exp(-v) / fraction
    }
}
