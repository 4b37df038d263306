import DSP

/// The share of the echo that the filters left in each band lately. Starts at 1: a band has to show that it is cancelled.
///
/// It falls at once and rises slowly, and hardly changes while the near end is heard. What looks like near
/// end but was never confirmed (`NearEndConfirmation`) may be a loudspeaker that distorts: then it rises faster, to the upper
/// end of what is left, until a confirmation takes that back.
package struct EchoLeakage: ~Copyable {
    /// What decides how far a block is believed.
    package struct Context: BitwiseCopyable {
        /// Near-end voice over the residual echo, 0 ... 1, and whether it was confirmed lately.
        let presence: Float
        let isConfirmed: Bool

        /// `presence`: 0 ... 1.
        @_noLocks
        package init(presence: Float, isConfirmed: Bool) {
            self.presence = presence
            self.isConfirmed = isConfirmed
        }
    }

    /// Residual over echo, one a band.
    package let ratios: UnsafeMutablePointer<Float>
    private let tuning: LeakageTuning
    /// From here on a presence counts as somebody who speaks.
    private let somebody: Float
    private let bandCount: Int
    /// Averages over 100 ms.
    private let residualMean: UnsafeMutablePointer<Float>
    private let echoMean: UnsafeMutablePointer<Float>
    /// Natural logarithm of the ratio, its mean and deviation; and both as they were while no near end was unconfirmed.
    private let logarithm: UnsafeMutablePointer<Float>
    private let deviation: UnsafeMutablePointer<Float>
    private let settledLogarithm: UnsafeMutablePointer<Float>
    private let settledDeviation: UnsafeMutablePointer<Float>
    private var wasConfirmed = false

    private static var ln2: Float { @_noLocks get { 0.693_147_2 } }

    /// For so many bands.
    package init(
        bandCount: Int, tuning: LeakageTuning = LeakageTuning(), activity: ActivityTuning = ActivityTuning()
    ) {
        self.tuning = tuning
        somebody = activity.presence
        self.bandCount = bandCount
        ratios = cleared(bandCount)
        residualMean = cleared(bandCount)
        echoMean = cleared(bandCount)
        logarithm = cleared(bandCount)
        deviation = cleared(bandCount)
        settledLogarithm = cleared(bandCount)
        settledDeviation = cleared(bandCount)
        for band in 0..<bandCount { ratios[band] = 1 }
    }

    deinit {
        for plane in [ratios, residualMean, echoMean] { plane.deallocate() }
        for plane in [logarithm, deviation, settledLogarithm, settledDeviation] { plane.deallocate() }
    }

    /// The filters started anew: nothing is cancelled yet.
    @_noLocks
    package mutating func restart() {
        for band in 0..<bandCount {
            ratios[band] = 1
            logarithm[band] = 0
            deviation[band] = 0
            settledLogarithm[band] = 0
            settledDeviation[band] = 0
        }
        wasConfirmed = false
    }

    /// Mean of the ratios, bands weighed by their echo.
    package var mean: Float {
        @_noLocks get {
            var above: Float = 0
            var below: Float = 1e-15
            for band in 0..<bandCount {
                above += ratios[band] * echoMean[band]
                below += echoMean[band]
            }
            return above / below
        }
    }

    @_noLocks
    private func isDoubleTalk(_ context: Context) -> Bool { context.presence > somebody }

    @_noLocks
    private func isUnconfirmed(_ context: Context) -> Bool { isDoubleTalk(context) && !context.isConfirmed }

    /// Before the bands of a block: a confirmation takes back what was learnt without one.
    @_noLocks
    package mutating func begin(_ context: Context) {
        if context.isConfirmed && !wasConfirmed {
            for band in 0..<bandCount {
                logarithm[band] = min(logarithm[band], settledLogarithm[band])
                deviation[band] = min(deviation[band], settledDeviation[band])
            }
        } else if !isUnconfirmed(context) {
            for band in 0..<bandCount {
                settledLogarithm[band] = logarithm[band]
                settledDeviation[band] = deviation[band]
            }
        }
        wasConfirmed = context.isConfirmed
    }

    /// Follows a band where its echo stands out of the noise; powers of the band in this block.
    @_noLocks
    package mutating func learn(band: Int, residual: Float, echo: Float, noise: Float, _ context: Context) {
        residualMean[band] += tuning.averaging * (residual - residualMean[band])
        echoMean[band] += tuning.averaging * (echo - echoMean[band])
        guard echoMean[band] > tuning.overNoise * noise, echoMean[band] > 1e-9 else { return }
        let left = max(residualMean[band] - noise, tuning.leastLeft * echoMean[band])
        let jump = Self.ln2 * FastMath.log2(left / echoMean[band]) - logarithm[band]
        let step = min(tuning.longestStep, jump)
        let isDistortion = isUnconfirmed(context) && jump <= tuning.mostUnconfirmed
        let inDoubleTalk = isDistortion ? tuning.risingUnconfirmed : tuning.risingInDoubleTalk
        let rate = isDoubleTalk(context) ? inDoubleTalk : tuning.rising
        logarithm[band] += (step < 0 ? tuning.falling : rate) * step
        if !isDoubleTalk(context) || isDistortion || step < 0 {
            deviation[band] += tuning.deviationRate * (step.magnitude - deviation[band])
        }
        let spread = isUnconfirmed(context) ? tuning.spreadUnconfirmed : tuning.spread
        let wanted = FastMath.exp2((logarithm[band] + spread * deviation[band]) / Self.ln2)
        ratios[band] = max(tuning.least, min(tuning.most, wanted))
    }
}
