import DSP

/// Takes most of the colour out of a spectrum, so that every band that rises over its own mean says as much as any other
/// about the delay (generalised cross-correlation: Knapp and Carter 1976).
struct Whitener: ~Copyable {
    private let tuning: DelaySpectrumTuning
    private let bins: Int
    private let vectors: Int
    private let power: UnsafeMutablePointer<Float>
    private let gains: UnsafeMutablePointer<Float>
    private let mean: UnsafeMutablePointer<Float>
    private let floor: Float

    /// `floor`: magnitude under which a bin counts little, of an unscaled FFT.
    init(bins: Int, floor: Float, tuning: DelaySpectrumTuning) {
        self.tuning = tuning
        self.bins = bins
        self.floor = floor
        vectors = Vector.count(for: bins)
        power = cleared(8 * vectors)
        gains = cleared(8 * vectors)
        mean = cleared(8 * vectors)
    }

    deinit { for plane in [power, gains, mean] { plane.deallocate() } }

    /// Divides each bin V in place by (|V| + share root mean |V|² + floor) to the power of 7/8, which three square roots make.
    @_noLocks
    func process(_ spectrum: UnsafeMutablePointer<Complex>) {
        UnsafePointer(spectrum).squares(into: power, bins: bins)
        for index in 0..<vectors {
            let new = power.vector(index)
            let known = mean.vector(index)
            let mixed = known + (new - known) * tuning.whiteningRate
            mean.setVector(index, mixed)
            let size = new.squareRoots() + tuning.whiteningShare * mixed.squareRoots() + floor
            gains.setVector(index, size.squareRoots().squareRoots().squareRoots() / size)
        }
        for bin in 0..<bins {
            spectrum[bin].re *= gains[bin]
            spectrum[bin].im *= gains[bin]
        }
    }
}
