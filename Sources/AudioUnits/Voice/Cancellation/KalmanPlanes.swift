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
        for bin in 0..<bins {
            re[bin] = spectrum[bin].re
            im[bin] = spectrum[bin].im
            power[bin] = spectrum[bin].power
        }
    }

    /// Echo of the reference blocks by the weights, and the power that their variances expect it to miss.
    @_noLocks
    func estimate(
        newest: Int, re: UnsafeMutablePointer<Float>, im: UnsafeMutablePointer<Float>,
        missed: UnsafeMutablePointer<Float>
    ) {
        for index in 0..<vectors {
            re.setVector(index, Vector())
            im.setVector(index, Vector())
            missed.setVector(index, Vector())
        }
        for partition in 0..<partitions {
            let slot = slot(newest, partition)
            let (xRe, xIm, power) = (row(slot, of: referenceRe), row(slot, of: referenceIm), row(slot, of: referencePower))
            let (wRe, wIm) = (row(partition, of: weightRe), row(partition, of: weightIm))
            let p = row(partition, of: variance)
            for index in 0..<vectors {
                let (xr, xi) = (xRe.vector(index), xIm.vector(index))
                let (wr, wi) = (wRe.vector(index), wIm.vector(index))
                re.setVector(index, re.vector(index) + wr * xr - wi * xi)
                im.setVector(index, im.vector(index) + wr * xi + wi * xr)
                missed.setVector(index, missed.vector(index) + p.vector(index) * power.vector(index))
            }
        }
    }

    /// Moves weights along the error (`re`, `im`) and brings their variances up to date.
    @_noLocks
    func update(
        newest: Int, re: UnsafeMutablePointer<Float>, im: UnsafeMutablePointer<Float>,
        step: UnsafeMutablePointer<Float>, memory: Float
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
                p.setVector(index, kept * learnt + renewed * (wr * wr + wi * wi) + 1e-6 * first.vector(index))
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
