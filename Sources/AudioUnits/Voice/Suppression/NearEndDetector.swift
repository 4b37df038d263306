import DSP

/// How much near-end voice there is: the share of bands in which more is left than residual echo and noise explain.
package struct NearEndDetector: ~Copyable {
    /// 0 ... 1.
    package private(set) var presence: Float = 0
    private let tuning: NearEndTuning
    private let bandCount: Int
    private let weights: UnsafeMutablePointer<Float>
    private let heard: UnsafeMutablePointer<Float>
    private let explained: UnsafeMutablePointer<Float>

    /// - Parameter binHertz: distance of two bins.
    package init(
        bands: borrowing FrequencyBands, binHertz: Double, tuning: NearEndTuning = NearEndTuning()
    ) {
        self.tuning = tuning
        bandCount = bands.count
        weights = cleared(bands.count)
        heard = cleared(bands.count)
        explained = cleared(bands.count)
        // Room noise rules the lowest bands, sibilants of the echo the highest.
        var total: Float = 0
        for band in 0..<bands.count {
            let range = bands.bins(of: band)
            let centre = Double(range.lowerBound + range.upperBound - 1) / 2 * binHertz
            weights[band] = centre < 300 ? tuning.lowWeight : centre > 6000 ? tuning.highWeight : 1
            total += weights[band]
        }
        for band in 0..<bands.count { weights[band] /= total }
    }

    deinit {
        weights.deallocate()
        heard.deallocate()
        explained.deallocate()
    }

    /// Nobody is there.
    @_noLocks
    package mutating func restart() { presence = 0 }

    /// Takes in what is left of a block, and how much of it residual echo and noise are; powers, one a bin.
    @_noLocks
    package mutating func update(
        residual: UnsafePointer<Float>, echo: UnsafePointer<Float>, noise: UnsafePointer<Float>,
        bands: borrowing FrequencyBands
    ) {
        var share: Float = 0
        for band in 0..<bandCount {
            var left: Float = 0
            var known: Float = 0
            for bin in bands.bins(of: band) {
                left += residual[bin]
                known += echo[bin] + tuning.noiseMargin * noise[bin]
            }
            heard[band] = (1 - tuning.rate) * heard[band] + tuning.rate * left
            explained[band] = (1 - tuning.rate) * explained[band] + tuning.rate * known + 1e-12
            let excess = FastMath.decibels(power: heard[band] / explained[band])
            share += weights[band] * max(0, min(1, (excess - tuning.leastExcess) / tuning.excessRange))
        }
        let evidence = max(0, min(1, (share - tuning.leastShare) / tuning.shareRange))
        presence += (evidence > presence ? tuning.rising : tuning.falling) * (evidence - presence)
    }
}
