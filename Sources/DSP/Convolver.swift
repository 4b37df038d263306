import CKissFFT

/// Convolves a signal with a long impulse response: uniformly partitioned overlap-save (Stockham 1966; Kulp 1988), its
/// FFT by kissfft.
///
/// Adds no delay: a block out for each block in.
public final class Convolver {
    /// Samples of a block.
    public let blockLength: Int
    private let partitions: Int
    private let bins: Int
    private let forward: kiss_fftr_cfg
    private let inverse: kiss_fftr_cfg
    private let response: UnsafeMutablePointer<kiss_fft_cpx>
    private let spectra: UnsafeMutablePointer<kiss_fft_cpx>
    private let sum: UnsafeMutablePointer<kiss_fft_cpx>
    private let window: UnsafeMutablePointer<Float>
    private let result: UnsafeMutablePointer<Float>
    private var newest = 0

    /// - Parameters:
    ///   - impulseResponse: any length, at least one sample.
    ///   - blockLength: samples of a block, 16...65 536; twice it should be a product of small primes.
    public init(impulseResponse: [Float], blockLength: Int) throws(DSPError) {
        guard 16...65_536 ~= blockLength else { throw .outOfRange(parameter: "blockLength", allowed: "16...65536") }
        guard !impulseResponse.isEmpty else { throw .outOfRange(parameter: "impulseResponse", allowed: "1... samples") }
        guard let forward = kiss_fftr_alloc(Int32(2 * blockLength), 0, nil, nil) else { throw .noMemory }
        guard let inverse = kiss_fftr_alloc(Int32(2 * blockLength), 1, nil, nil) else {
            free(UnsafeMutableRawPointer(forward))
            throw .noMemory
        }
        self.blockLength = blockLength
        self.forward = forward
        self.inverse = inverse
        partitions = (impulseResponse.count + blockLength - 1) / blockLength
        bins = blockLength + 1
        let zero = kiss_fft_cpx(r: 0, i: 0)
        response = .allocate(capacity: partitions * bins)
        response.initialize(repeating: zero, count: partitions * bins)
        spectra = .allocate(capacity: partitions * bins)
        spectra.initialize(repeating: zero, count: partitions * bins)
        sum = .allocate(capacity: bins)
        sum.initialize(repeating: zero, count: bins)
        window = .allocate(capacity: 2 * blockLength)
        window.initialize(repeating: 0, count: 2 * blockLength)
        result = .allocate(capacity: 2 * blockLength)
        result.initialize(repeating: 0, count: 2 * blockLength)
        for partition in 0..<partitions {
            for i in 0..<2 * blockLength {
                let index = partition * blockLength + i
                // kissfft's inverse is not scaled; the response carries the scale.
                result[i] =
                    i < blockLength && index < impulseResponse.count
                    ? impulseResponse[index] / Float(2 * blockLength) : 0
            }
            kiss_fftr(forward, result, response + partition * bins)
        }
    }

    deinit {
        free(UnsafeMutableRawPointer(forward))
        free(UnsafeMutableRawPointer(inverse))
        for spectrum in [response, spectra, sum] { spectrum.deallocate() }
        window.deallocate()
        result.deallocate()
    }

    /// Convolves one block of `blockLength` samples; `output` may be `input`.
    public func process(_ input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>) {
        window.update(from: window + blockLength, count: blockLength)
        (window + blockLength).update(from: input, count: blockLength)
        newest = (newest + partitions - 1) % partitions
        kiss_fftr(forward, window, spectra + newest * bins)
        for bin in 0..<bins { sum[bin] = kiss_fft_cpx(r: 0, i: 0) }
        for partition in 0..<partitions {
            let x = spectra + ((newest + partition) % partitions) * bins
            let h = response + partition * bins
            for bin in 0..<bins {
                sum[bin].r += x[bin].r * h[bin].r - x[bin].i * h[bin].i
                sum[bin].i += x[bin].r * h[bin].i + x[bin].i * h[bin].r
            }
        }
        kiss_fftri(inverse, sum, result)
        output.update(from: result + blockLength, count: blockLength)
    }
}
