import DSP

/// Short-time spectrum of a signal that comes in blocks: the last two under `OverlapWindow`.
///
/// Not scaled: noise of power s² has bins of power s² × block. The constants of echo control are meant for that.
package struct SpectralAnalysis: ~Copyable {
    /// Of the last two blocks, `block + 1` bins.
    package let spectrum: UnsafeMutablePointer<Complex>
    /// |spectrum|².
    package let power: UnsafeMutablePointer<Float>
    private let fft: RealFFT
    private let block: Int
    private let window: UnsafeMutablePointer<Float>
    private let history: UnsafeMutablePointer<Float>
    private let windowed: UnsafeMutablePointer<Float>

    /// - Parameter block: samples of a block.
    package init(block: Int) throws(AudioUnitError) {
        fft = try makeFFT(length: 2 * block)
        self.block = block
        spectrum = clearedSpectrum(block + 1)
        power = cleared(block + 1)
        window = OverlapWindow.make(block: block)
        history = cleared(2 * block)
        windowed = cleared(2 * block)
    }

    deinit {
        spectrum.deallocate()
        power.deallocate()
        window.deallocate()
        history.deallocate()
        windowed.deallocate()
    }

    /// Takes in a block.
    @_noLocks
    package mutating func process(_ samples: UnsafePointer<Float>) {
        for index in 0..<block {
            history[index] = history[block &+ index]
            history[block &+ index] = samples[index]
        }
        for index in 0..<2 &* block { windowed[index] = history[index] * window[index] }
        fft.forward(windowed, into: spectrum)
        UnsafePointer(spectrum).squares(into: power, bins: block &+ 1)
    }
}

/// A plan for blocks whose length follows from a rate that has been checked.
func makeFFT(length: Int) throws(AudioUnitError) -> RealFFT {
    do {
        return try RealFFT(length: length)
    } catch {
        throw .noResources(reason: "FFT of \(length): \(error)")
    }
}
