import Glibc

/// Test signals and how near a signal comes to a tone.
enum Signals {
    /// A sine of amplitude 0.5 from sample 0 on.
    static func tone(_ hertz: Double, rate: Double, count: Int) -> [Float] {
        (0..<count).map { Float(0.5 * sin(2 * .pi * hertz * Double($0) / rate)) }
    }

    /// White noise in -0.5 ..< 0.5 (xorshift64*, Vigna 2016).
    static func noise(count: Int, seed: UInt64) -> [Float] {
        var state = seed | 1
        return (0..<count).map { _ in
            state ^= state >> 12
            state ^= state << 25
            state ^= state >> 27
            return Float((state &* 0x2545_F491_4F6C_DD1D) >> 40) / Float(1 << 24) - 0.5
        }
    }

    /// Noise in bare memory: an array might be freed in the middle of an audit, after its last use.
    static func block(_ count: Int, seed: UInt64) -> UnsafeMutablePointer<Float> {
        let block = UnsafeMutablePointer<Float>.allocate(capacity: count)
        block.initialize(from: noise(count: count, seed: seed), count: count)
        return block
    }

    /// The part of `signal` that is a tone of that frequency, found by least squares.
    /// - Returns: its amplitude, its phase at sample 0 in radians, and its power against all the rest in dB.
    static func fit(
        _ hertz: Double, rate: Double, in signal: ArraySlice<Float>
    ) -> (amplitude: Double, phase: Double, snr: Double) {
        var ss = 0.0, cc = 0.0, sc = 0.0, xs = 0.0, xc = 0.0
        for i in signal.indices {
            let angle = 2 * .pi * hertz * Double(i) / rate
            let (s, c, x) = (sin(angle), cos(angle), Double(signal[i]))
            ss += s * s
            cc += c * c
            sc += s * c
            xs += x * s
            xc += x * c
        }
        let determinant = ss * cc - sc * sc
        let a = (xs * cc - xc * sc) / determinant
        let b = (xc * ss - xs * sc) / determinant
        var wanted = 0.0, rest = 0.0
        for i in signal.indices {
            let angle = 2 * .pi * hertz * Double(i) / rate
            let part = a * sin(angle) + b * cos(angle)
            wanted += part * part
            rest += (Double(signal[i]) - part) * (Double(signal[i]) - part)
        }
        return ((a * a + b * b).squareRoot(), atan2(b, a), 10 * log10(wanted / rest))
    }

    /// Root mean square in dB of full scale.
    static func level(_ signal: ArraySlice<Float>) -> Double {
        10 * log10(signal.reduce(0) { $0 + Double($1) * Double($1) } / Double(signal.count) + 1e-20)
    }
}
