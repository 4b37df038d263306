import DSP
import Glibc

/// Noise like the room's in place of what the suppressor took, so that the far side hears no pumping.
package struct ComfortNoise: ~Copyable {
    /// Values of magnitude 1 and random phase. Over many bins they add up to Gaussian noise; in one they never stand out.
    private let table: UnsafeMutablePointer<Complex>
    private var state: UInt64
    private let tuning: ComfortNoiseTuning

    private static var tableLength: Int { @_noLocks get { 1024 } }

    /// - Parameter seed: of the noise.
    package init(seed: UInt64, tuning: ComfortNoiseTuning = ComfortNoiseTuning()) {
        self.tuning = tuning
        var generator = seed | 1
        func uniform() -> Double {
            generator = generator &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (Double(generator >> 33) + 0.5) / 2_147_483_648
        }
        table = .allocate(capacity: Self.tableLength)
        for index in 0..<Self.tableLength {
            let angle = 2 * Double.pi * uniform()
            (table + index).initialize(to: Complex(Float(cos(angle)), Float(sin(angle))))
        }
        state = generator
    }

    deinit { table.deallocate() }

    /// The next value.
    @_noLocks @inline(__always)
    package mutating func next() -> Complex {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return table[Int(truncatingIfNeeded: state >> 40) & (Self.tableLength &- 1)]
    }

    /// Adds to `spectrum` what the `gains` took of the noise, but no more than makes it as loud as `microphone`, the power
    /// that came in: a tone, or music on hold, looks like a noise floor too. Little of it where the near end speaks, whose
    /// presence is 0 ... 1. `bins`: all of them, from 0 on.
    @_noLocks
    package mutating func fill(
        _ spectrum: UnsafeMutablePointer<Complex>, gains: UnsafePointer<Float>, noise: UnsafePointer<Float>,
        microphone: UnsafePointer<Float>, nearEndPresence: Float, bins: Range<Int>
    ) {
        var room: Float = 0
        var added: Float = 0
        for bin in bins {
            room += microphone[bin] - spectrum[bin].square
            added += noise[bin] * max(0, 1 - gains[bin] * gains[bin])
        }
        let count = Float(bins.count)
        let most = max(0, min(room, tuning.loudest * count * (count - 1)))
        let share = (added > most ? most / added : 1) * (1 - tuning.covered * nearEndPresence)
        for bin in bins {
            // Independent blocks overlap with half the power of what the window's two slopes add up to: hence the 2.
            let level = FastMath.squareRoot(2 * share * noise[bin] * max(0, 1 - gains[bin] * gains[bin]))
            let value = next()
            spectrum[bin].re += level * value.re
            spectrum[bin].im += level * value.im
        }
    }
}
