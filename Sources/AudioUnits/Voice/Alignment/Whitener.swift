import DSP

/// Takes most of the colour out of a spectrum, so that every band that rises over its own mean says as much as any other
/// about the delay (generalised cross-correlation: Knapp and Carter 1976).
struct Whitener: ~Copyable {
    private let bins: Int
    private let mean: UnsafeMutablePointer<Float>
    private let floor: Float

    /// Share of the newest block in the mean.
    private static var rate: Float { @_noLocks get { 0.02 } }
    /// How much of the mean a bin must have to count in full.
    private static var share: Float { @_noLocks get { 0.3 } }

    /// `floor`: magnitude under which a bin counts little, of an unscaled FFT.
    init(bins: Int, floor: Float) {
        self.bins = bins
        self.floor = floor
        mean = cleared(bins)
    }

    deinit { mean.deallocate() }

    /// Divides each bin V in place by (|V| + 0.3 root mean |V|² + floor) to the power of 7/8, which three square roots make.
    @_noLocks
    func process(_ spectrum: UnsafeMutablePointer<Complex>) {
        for bin in 0..<bins {
            let power = spectrum[bin].power
            mean[bin] += (power - mean[bin]) * Self.rate
            let size = FastMath.squareRoot(power) + Self.share * FastMath.squareRoot(mean[bin]) + floor
            let gain = FastMath.squareRoot(FastMath.squareRoot(FastMath.squareRoot(size))) / size
            spectrum[bin].re *= gain
            spectrum[bin].im *= gain
        }
    }
}
