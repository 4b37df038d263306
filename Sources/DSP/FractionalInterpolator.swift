/// Values between the samples of a signal: windowed sinc of 16 taps and 256 phases, linear between phases (Smith and
/// Gossett 1984).
///
/// A tone up to a third of the sampling rate keeps its level and comes out with noise 80 dB below it; above that, images
/// grow (0.4: 30 dB below).
///
/// Sendable: the table is filled once, before anybody has its address, and never freed.
package struct FractionalInterpolator: BitwiseCopyable, @unchecked Sendable {
    /// Taps of the interpolator.
    package static var taps: Int { @_noLocks get { 16 } }
    /// Samples before the one that a fraction of 0 stands for; `taps - 1` less this many follow it.
    package static var samplesBefore: Int { @_noLocks get { 7 } }

    private let table: UnsafePointer<Float>

    package init() { table = InterpolationTable.coefficients }

    /// The value `fraction` (0 ... 1) of a sample after `samples[samplesBefore]`; reads `taps` samples.
    ///
    /// Vectors, since the compiler must keep the order of a scalar sum and so cannot vectorise it.
    @_noLocks @inline(__always)
    func value(_ samples: UnsafePointer<Float>, fraction: Double) -> Float {
        let scaled = fraction * 256
        let phase = Int(scaled)
        let between = Float(scaled - Double(phase))
        let row = UnsafeRawPointer(table + phase &* 16)
        let low = row.loadUnaligned(as: SIMD16<Float>.self)
        let high = (row + 64).loadUnaligned(as: SIMD16<Float>.self)
        let taps = low + (high - low) * between
        let products = UnsafeRawPointer(samples).loadUnaligned(as: SIMD16<Float>.self) * taps
        let eight = products.lowHalf + products.highHalf
        let four = eight.lowHalf + eight.highHalf
        let two = four.lowHalf + four.highHalf
        return two.x + two.y
    }

    /// `count` values at `position`, `position + step` ... after `samples[samplesBefore]`.
    ///
    /// - Parameters:
    ///   - samples: as many as the last position needs, `taps` more.
    ///   - position: 0 or more, in samples.
    ///   - step: 0 or more, in samples.
    @_noLocks
    package func read(
        _ samples: UnsafePointer<Float>, position: Double, step: Double, count: Int,
        into output: UnsafeMutablePointer<Float>
    ) {
        for index in 0..<count {
            let place = position + Double(index) * step
            let whole = Int(place)
            output[index] = value(samples + whole, fraction: place - Double(whole))
        }
    }
}
