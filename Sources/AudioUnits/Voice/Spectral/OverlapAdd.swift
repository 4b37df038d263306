import DSP

/// Spectra back to blocks: inverse transform under `OverlapWindow`, overlap, add (Allen and Rabiner 1977).
///
/// What comes out is 7/8 of a block older than what went into the analysis.
package struct OverlapAdd: ~Copyable {
    private let fft: RealFFT
    private let block: Int
    private let window: UnsafeMutablePointer<Float>
    private let frame: UnsafeMutablePointer<Float>
    /// Tails of earlier frames, from the window's first non-zero sample on.
    private let tail: UnsafeMutablePointer<Float>

    /// - Parameter block: samples of a block.
    package init(block: Int) throws(AudioUnitError) {
        fft = try makeFFT(length: 2 * block)
        self.block = block
        window = OverlapWindow.make(block: block)
        frame = cleared(2 * block)
        tail = cleared(2 * block)
    }

    deinit {
        window.deallocate()
        frame.deallocate()
        tail.deallocate()
    }

    /// One spectrum to one block.
    @_noLocks
    package mutating func process(_ spectrum: UnsafePointer<Complex>, into output: UnsafeMutablePointer<Float>) {
        fft.inverse(spectrum, into: frame)
        let lead = OverlapWindow.lead(block: block)
        let length = 2 &* block &- lead
        for index in 0..<length {
            frame[index] = tail[index] + frame[lead &+ index] * window[lead &+ index]
        }
        for index in 0..<block { output[index] = frame[index] }
        for index in 0..<length &- block { tail[index] = frame[block &+ index] }
    }
}
