import DSP

/// Estimates the echo by a partitioned frequency-domain Kalman filter (Enzner and Vary 2006; Kuech, Mabande and Enzner
/// 2014): overlap-save, one partition a block, a weight and its error variance for each bin of each partition.
///
/// The variances are what makes it robust: they turn the step size down by themselves while the near end speaks, and
/// their sum says how much echo will be left.
package struct KalmanFilter: ~Copyable {
    /// Samples of a block.
    package let block: Int
    /// Whether it learns.
    package private(set) var isStarted = false
    /// Partitions whose weights are cut back to causal responses, each block: with 1 the echo goes as well as with 2, but double
    /// talk loses up to 0.05 MOS.
    package var constraints = 2
    private let tuning: KalmanTuning
    private let partitions: Int
    private let bins: Int
    private let vectors: Int
    private let fft: RealFFT
    private let planes: KalmanPlanes
    private let work: KalmanWorkspace
    private var newest = 0
    private var constrained = 0

    /// - Parameters:
    ///   - block: samples of a block.
    ///   - partitions: blocks that the echo path is long, 1...100.
    package init(block: Int, partitions: Int, tuning: KalmanTuning = KalmanTuning()) throws(AudioUnitError) {
        fft = try makeFFT(length: 2 * block)
        self.block = block
        self.tuning = tuning
        self.partitions = partitions
        bins = block + 1
        vectors = Vector.count(for: bins)
        planes = KalmanPlanes(vectors: vectors, partitions: partitions)
        work = KalmanWorkspace(block: block, vectors: vectors, tuning: tuning)
    }

    deinit {
        planes.free()
        work.free()
    }

    /// Power that the filter expects of the echo it missed in the last block, per bin.
    package var missedPower: UnsafeMutablePointer<Float> {
        @_noLocks get { work.missed }
    }

    /// Forgets the path; the estimate is silence until `start`.
    @_noLocks
    package mutating func reset() {
        isStarted = false
        planes.forgetPath()
        work.forgetNoise(bins: bins)
    }

    /// Forgets the reference, of which what was taken in belonged to another delay.
    @_noLocks
    package mutating func forgetReference() {
        planes.forgetReference()
        for index in 0..<2 &* block { work.reference[index] = 0 }
    }

    /// Begins to learn a path of these power gains, one a bin.
    @_noLocks
    package mutating func start(gains: UnsafePointer<Float>) {
        planes.forgetPath()
        var share: Float = 1
        for partition in 0..<partitions {
            let prior = planes.row(partition, of: planes.prior)
            let variance = planes.row(partition, of: planes.variance)
            for bin in 0..<bins {
                prior[bin] = gains[bin] * share
                variance[bin] = prior[bin]
            }
            share *= tuning.decay
        }
        isStarted = true
    }

    /// A part of the path has changed: the weights stay, but are believed no more than at the start, up to `share`.
    @_noLocks
    package mutating func inflateVariance(to share: Float) { planes.widen(share: share) }

    /// Takes in a block of the reference and estimates its echo.
    @_noLocks
    package mutating func filter(_ reference: UnsafePointer<Float>, into echo: UnsafeMutablePointer<Float>) {
        newest = newest == 0 ? partitions &- 1 : newest &- 1
        for index in 0..<block {
            work.reference[index] = work.reference[block &+ index]
            work.reference[block &+ index] = reference[index]
        }
        fft.forward(work.reference, into: work.spectrum)
        planes.storeReference(work.spectrum, slot: newest, bins: bins)
        guard isStarted else {
            for index in 0..<block { echo[index] = 0 }
            return
        }
        planes.estimate(newest: newest, re: work.re, im: work.im, missed: work.missed)
        work.interleave(bins: bins)
        fft.inverse(work.spectrum, into: work.frame)
        for index in 0..<block { echo[index] = work.frame[block &+ index] }
    }

    /// Power of the last two blocks of the reference under a Hann window, scaled as that of `SpectralAnalysis`, one a bin: costs
    /// no transform.
    @_noLocks
    package func referencePower(into power: UnsafeMutablePointer<Float>) {
        planes.windowedPower(slot: newest, bins: bins, into: power)
    }

    /// Learns from what the estimate missed.
    ///
    /// - Parameters:
    ///   - error: microphone minus estimate, a block.
    ///   - noiseWeight: share of the error's power that counts as other than echo: 1; less while nothing is known.
    ///   - memory: how constant the path is held to be, just under 1.
    @_noLocks
    package mutating func adapt(error: UnsafePointer<Float>, noiseWeight: Float, memory: Float) {
        guard isStarted else { return }
        for index in 0..<block {
            work.frame[index] = 0
            work.frame[block &+ index] = error[index]
        }
        fft.forward(work.frame, into: work.spectrum)
        work.deinterleave(bins: bins)
        work.updateNoise(bins: bins)
        work.updateStep(noiseWeight: noiseWeight, vectors: vectors)
        planes.update(
            newest: newest, re: work.re, im: work.im, step: work.step, memory: memory,
            leastVariance: tuning.leastVariance)
        for _ in 0..<constraints { constrainNext() }
    }

    /// Cuts the second half off one partition's response: there the circular convolution wraps around.
    @_noLocks
    private mutating func constrainNext() {
        constrained = constrained &+ 1 < partitions ? constrained &+ 1 : 0
        let re = planes.row(constrained, of: planes.weightRe)
        let im = planes.row(constrained, of: planes.weightIm)
        work.spectrum.join(re, im, bins: bins)
        fft.inverse(work.spectrum, into: work.frame)
        for index in block..<2 &* block { work.frame[index] = 0 }
        fft.forward(work.frame, into: work.spectrum)
        UnsafePointer(work.spectrum).split(re, im, bins: bins)
    }
}
