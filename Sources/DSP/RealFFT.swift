import CKissFFT

/// One bin of a spectrum.
package struct Complex: BitwiseCopyable, Sendable, Equatable {
    package var re: Float
    package var im: Float

    @inlinable @_noLocks
    package init(_ re: Float = 0, _ im: Float = 0) {
        self.re = re
        self.im = im
    }

    /// |z|².
    @inlinable package var power: Float {
        @_noLocks get { re * re + im * im }
    }
}

/// FFT of real blocks for render threads, by kissfft.
///
/// `length` real samples have `length / 2 + 1` bins; bin k lies at k · rate / length Hz. The forward transform is not scaled,
/// the inverse by 1 / length, so that one undoes the other.
package struct RealFFT: ~Copyable {
    /// Samples of a block.
    package let length: Int
    /// Bins of a spectrum.
    package let bins: Int
    private let forwardPlan: kiss_fftr_cfg
    private let inversePlan: kiss_fftr_cfg

    /// - Parameter length: even, 4...65 536, with no prime factor over 5: others would allocate in the transform.
    package init(length: Int) throws(DSPError) {
        var rest = length
        for factor in [2, 3, 5] where rest > 0 { while rest % factor == 0 { rest /= factor } }
        guard 4...65_536 ~= length, length % 2 == 0, rest == 1 else {
            throw .outOfRange(parameter: "FFT length", allowed: "even, 4...65536, a product of 2, 3 and 5")
        }
        guard let forward = kiss_fftr_alloc(Int32(length), 0, nil, nil) else { throw .noMemory }
        guard let inverse = kiss_fftr_alloc(Int32(length), 1, nil, nil) else {
            free(UnsafeMutableRawPointer(forward))
            throw .noMemory
        }
        self.length = length
        bins = length / 2 + 1
        forwardPlan = forward
        inversePlan = inverse
    }

    deinit {
        free(UnsafeMutableRawPointer(forwardPlan))
        free(UnsafeMutableRawPointer(inversePlan))
    }

    /// `length` samples to `bins` bins.
    @_noLocks
    package func forward(_ samples: UnsafePointer<Float>, into spectrum: UnsafeMutablePointer<Complex>) {
        ckissfft_forward(forwardPlan, samples, spectrum)
    }

    /// `bins` bins to `length` samples; the imaginary parts of the first and the last bin count as 0.
    @_noLocks
    package func inverse(_ spectrum: UnsafePointer<Complex>, into samples: UnsafeMutablePointer<Float>) {
        ckissfft_inverse(inversePlan, spectrum, samples)
        let scale = 1 / Float(length)
        for index in 0..<length { samples[index] *= scale }
    }
}
