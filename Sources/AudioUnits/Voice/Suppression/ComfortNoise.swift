import DSP
import Glibc

/// Noise like the room's in place of what the suppressor took, so that the far side hears no pumping.
struct ComfortNoise: ~Copyable {
    /// Complex Gaussian values of variance 1.
    private let table: UnsafeMutablePointer<Complex>
    private var state: UInt64

    private static var tableLength: Int { @_noLocks get { 1024 } }

    /// - Parameter seed: of the noise.
    init(seed: UInt64) {
        var generator = seed | 1
        func uniform() -> Double {
            generator = generator &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (Double(generator >> 33) + 0.5) / 2_147_483_648
        }
        table = .allocate(capacity: Self.tableLength)
        for index in 0..<Self.tableLength {
            // Box and Muller 1958.
            let radius = (-log(uniform())).squareRoot()
            let angle = 2 * Double.pi * uniform()
            (table + index).initialize(to: Complex(Float(radius * cos(angle)), Float(radius * sin(angle))))
        }
        state = generator
    }

    deinit { table.deallocate() }

    /// The next value.
    @_noLocks @inline(__always)
    mutating func next() -> Complex {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return table[Int(truncatingIfNeeded: state >> 40) & (Self.tableLength &- 1)]
    }

    /// Adds to `spectrum` what the `gains` took of the noise.
    @_noLocks
    mutating func fill(
        _ spectrum: UnsafeMutablePointer<Complex>, gains: UnsafePointer<Float>, noise: UnsafePointer<Float>,
        bins: Range<Int>
    ) {
        for bin in bins {
            // Independent blocks overlap with half the power of what the window's two slopes add up to: hence the 2.
            let level = FastMath.squareRoot(2 * noise[bin] * max(0, 1 - gains[bin] * gains[bin]))
            let value = next()
            spectrum[bin].re += level * value.re
            spectrum[bin].im += level * value.im
        }
    }
}
