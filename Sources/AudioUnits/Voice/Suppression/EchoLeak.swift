import DSP

/// The share of the echo that the filters left in each band lately. Starts at 1: a band has to show that it is cancelled.
///
/// It follows what falls at once and what rises slowly, and hardly at all while the near end is heard. What looks like near
/// end but was never proven to be (`NearEndProof`) may be a loudspeaker that distorts: then it rises faster, to the upper end
/// of what is left, until a proof takes that back.
package struct EchoLeak: ~Copyable {
    /// What decides how far a block is believed.
    package struct Context: BitwiseCopyable {
        /// Near-end voice over the residual echo, 0 ... 1, and whether there was a proof of it lately.
        let presence: Float
        let isProven: Bool

        /// `presence`: 0 ... 1.
        @_noLocks
        package init(presence: Float, isProven: Bool) {
            self.presence = presence
            self.isProven = isProven
        }

        /// From here on a presence counts as somebody who speaks.
        private static var somebody: Float { @_noLocks get { 0.3 } }

        var isDoubleTalk: Bool { @_noLocks get { presence > Self.somebody } }
        var isDoubtful: Bool { @_noLocks get { isDoubleTalk && !isProven } }
    }

    /// Residual over echo, one a band.
    package let ratios: UnsafeMutablePointer<Float>
    private let bandCount: Int
    /// Averages over 100 ms.
    private let residualMean: UnsafeMutablePointer<Float>
    private let echoMean: UnsafeMutablePointer<Float>
    /// Natural logarithm of the ratio, its mean and deviation; and both as they were before near end was in doubt.
    private let logarithm: UnsafeMutablePointer<Float>
    private let deviation: UnsafeMutablePointer<Float>
    private let settledLogarithm: UnsafeMutablePointer<Float>
    private let settledDeviation: UnsafeMutablePointer<Float>
    private var wasProven = false

    private static var averaging: Float { @_noLocks get { 0.1 } }
    /// Echo over noise from which on there is something to learn: 10 dB.
    private static var overNoise: Float { @_noLocks get { 10 } }
    private static var falling: Float { @_noLocks get { 0.1 } }
    private static var rising: Float { @_noLocks get { 0.01 } }
    /// While the near end is heard, and while that is in doubt.
    private static var risingInDoubleTalk: Float { @_noLocks get { 0.0004 } }
    private static var risingInDoubt: Float { @_noLocks get { 0.03 } }
    /// More than so many nepers over the mean, 9 dB, is no distortion of a loudspeaker that plays now as it played before.
    private static var mostInDoubt: Float { @_noLocks get { 2 } }
    /// A single block's step is no longer: 13 dB.
    private static var longestStep: Float { @_noLocks get { 3 } }
    private static var deviationRate: Float { @_noLocks get { 0.02 } }
    /// Deviations over the mean that the ratio is held to be.
    private static var spread: Float { @_noLocks get { 0.7 } }
    private static var spreadInDoubt: Float { @_noLocks get { 1.5 } }
    private static var ln2: Float { @_noLocks get { 0.693_147_2 } }

    /// For so many bands.
    package init(bandCount: Int) {
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
        wasProven = false
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

    /// Before the bands of a block: a proof takes back what was learnt in doubt.
    @_noLocks
    package mutating func begin(_ context: Context) {
        if context.isProven && !wasProven {
            for band in 0..<bandCount {
                logarithm[band] = min(logarithm[band], settledLogarithm[band])
                deviation[band] = min(deviation[band], settledDeviation[band])
            }
        } else if !context.isDoubtful {
            for band in 0..<bandCount {
                settledLogarithm[band] = logarithm[band]
                settledDeviation[band] = deviation[band]
            }
        }
        wasProven = context.isProven
    }

    /// Follows a band where its echo stands out of the noise; powers of the band in this block.
    @_noLocks
    package mutating func learn(band: Int, residual: Float, echo: Float, noise: Float, _ context: Context) {
        residualMean[band] += Self.averaging * (residual - residualMean[band])
        echoMean[band] += Self.averaging * (echo - echoMean[band])
        guard echoMean[band] > Self.overNoise * noise, echoMean[band] > 1e-9 else { return }
        let left = max(residualMean[band] - noise, 1e-4 * echoMean[band])
        let jump = Self.ln2 * FastMath.log2(left / echoMean[band]) - logarithm[band]
        let step = min(Self.longestStep, jump)
        let isDistortion = context.isDoubtful && jump <= Self.mostInDoubt
        let rate = context.isDoubleTalk ? (isDistortion ? Self.risingInDoubt : Self.risingInDoubleTalk) : Self.rising
        logarithm[band] += (step < 0 ? Self.falling : rate) * step
        if !context.isDoubleTalk || isDistortion || step < 0 {
            deviation[band] += Self.deviationRate * (step.magnitude - deviation[band])
        }
        let spread = context.isDoubtful ? Self.spreadInDoubt : Self.spread
        let wanted = FastMath.exp2((logarithm[band] + spread * deviation[band]) / Self.ln2)
        ratios[band] = max(0.0005, min(2, wanted))
    }
}
