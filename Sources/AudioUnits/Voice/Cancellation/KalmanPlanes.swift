import DSP

/// The numbers of a `KalmanFilter`, each kind in a plane of its own so that eight bins are computed at a time.
///
/// A plane has a row for each partition (weights, variances) or reference block (spectra), `vectors` long.
struct KalmanPlanes: BitwiseCopyable {
    let weightRe: UnsafeMutablePointer<Float>
    let weightIm: UnsafeMutablePointer<Float>
    /// Error variance of the weights, and what it was before anything was learnt.
    let variance: UnsafeMutablePointer<Float>
    let prior: UnsafeMutablePointer<Float>
    private let referenceRe: UnsafeMutablePointer<Float>
    private let referenceIm: UnsafeMutablePointer<Float>
    private let referencePower: UnsafeMutablePointer<Float>
    private let vectors: Int
    private let partitions: Int

    init(vectors: Int, partitions: Int) {
        let size = 8 * vectors * partitions
        weightRe = cleared(7 * size)
        weightIm = weightRe + size
        variance = weightRe + 2 * size
        prior = weightRe + 3 * size
        referenceRe = weightRe + 4 * size
        referenceIm = weightRe + 5 * size
        referencePower = weightRe + 6 * size
        self.vectors = vectors
        self.partitions = partitions
    }

    func free() { weightRe.deallocate() }

    /// A row of a plane.
    @_noLocks
    func row(_ row: Int, of plane: UnsafeMutablePointer<Float>) -> UnsafeMutablePointer<Float> {
        plane + row &* vectors &* 8
    }

    @_noLocks
    func forgetPath() {
        for index in 0..<4 &* partitions &* vectors { weightRe.setVector(index, Vector()) }
    }

    /// No variance is less than `share` of what it was at first.
    @_noLocks
    func widen(share: Float) {
        for index in 0..<partitions &* vectors {
            let least = share * prior.vector(index)
            let present = variance.vector(index)
            variance.setVector(index, present.replacing(with: least, where: present .< least))
        }
    }

    @_noLocks
    func forgetReference() {
        for index in 0..<3 &* partitions &* vectors { referenceRe.setVector(index, Vector()) }
    }

    @_noLocks
    func storeReference(_ spectrum: UnsafePointer<Complex>, slot: Int, bins: Int) {
        let re = row(slot, of: referenceRe)
        let im = row(slot, of: referenceIm)
        let power = row(slot, of: referencePower)
        spectrum.split(re, im, bins: bins)
        spectrum.squares(into: power, bins: bins)
    }

    /// Power of a reference block and the one before it under a Hann window, which three neighbours of a spectrum without one
    /// make; scaled as those of `SpectralAnalysis` are.
    @_noLocks
    func windowedPower(slot: Int, bins: Int, into power: UnsafeMutablePointer<Float>) {
        let re = UnsafePointer(row(slot, of: referenceRe))
        let im = UnsafePointer(row(slot, of: referenceIm))
        let last = bins &- 1
        // The window's mean square is 3/8 of two blocks.
        let scale: Float = 4.0 / 3
        for bin in 1..<last {
            let windowedRe = 0.5 * re[bin] - 0.25 * (re[bin &- 1] + re[bin &+ 1])
            let windowedIm = 0.5 * im[bin] - 0.25 * (im[bin &- 1] + im[bin &+ 1])
            power[bin] = scale * (windowedRe * windowedRe + windowedIm * windowedIm)
        }
        let (first, highest) = (0.5 * (re[0] - re[1]), 0.5 * (re[last] - re[last &- 1]))
        power[0] = scale * first * first
        power[last] = scale * highest * highest
    }

    /// Echo of the reference blocks by the weights, and the power that their variances expect it to miss.
    @_noLocks
    func estimate(
        newest: Int, re: UnsafeMutablePointer<Float>, im: UnsafeMutablePointer<Float>,
        missed: UnsafeMutablePointer<Float>
    ) {
        // Partitions inside: the sums stay in registers.
        for index in 0..<vectors {
            var (sumRe, sumIm, sumMissed) = (Vector(), Vector(), Vector())
            var x = newest &* vectors &+ index
            var w = index
            for _ in 0..<partitions {
                defer {
                    w &+= vectors
                    x &+= vectors
                    if x >= partitions &* vectors { x &-= partitions &* vectors }
                }
                let (xr, xi) = (referenceRe.vector(x), referenceIm.vector(x))
                let (wr, wi) = (weightRe.vector(w), weightIm.vector(w))
                sumRe = sumRe + wr * xr - wi * xi
                sumIm = sumIm + wr * xi + wi * xr
                sumMissed += variance.vector(w) * referencePower.vector(x)
            }
            re.setVector(index, sumRe)
            im.setVector(index, sumIm)
            missed.setVector(index, sumMissed)
        }
    }

    /// Moves weights along the error (`re`, `im`) and brings their variances up to date.
    @_noLocks
    func update(
        newest: Int, re: UnsafeMutablePointer<Float>, im: UnsafeMutablePointer<Float>,
        step: UnsafeMutablePointer<Float>, memory: Float, leastVariance: Float
    ) {
        let kept = Vector(repeating: memory * memory)
        let renewed = 1 - kept
        for partition in 0..<partitions {
            let slot = slot(newest, partition)
            let (xRe, xIm, power) = (row(slot, of: referenceRe), row(slot, of: referenceIm), row(slot, of: referencePower))
            let (wRe, wIm) = (row(partition, of: weightRe), row(partition, of: weightIm))
            let (p, first) = (row(partition, of: variance), row(partition, of: prior))
            for index in 0..<vectors {
                let (xr, xi) = (xRe.vector(index), xIm.vector(index))
                let (er, ei) = (re.vector(index), im.vector(index))
                let gain = p.vector(index) * step.vector(index)
                let wr = wRe.vector(index) + gain * (xr * er + xi * ei)
                let wi = wIm.vector(index) + gain * (xr * ei - xi * er)
                wRe.setVector(index, wr)
                wIm.setVector(index, wi)
                // Overlap-save sees half of each block: hence the half.
                let learnt = p.vector(index) * (1 - 0.5 * gain * power.vector(index))
                p.setVector(index, kept * learnt + renewed * (wr * wr + wi * wi) + leastVariance * first.vector(index))
            }
        }
    }

    /// Row of the reference block that `partition` weighs.
    @_noLocks @inline(__always)
    private func slot(_ newest: Int, _ partition: Int) -> Int {
        let row = newest &+ partition
        return row < partitions ? row : row &- partitions
    }
}
