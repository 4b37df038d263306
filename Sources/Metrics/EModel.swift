import Glibc

/// The E-model, ITU-T G.107 (2015), for a call whose other parameters have the recommendation's default values:
/// R = Ro - Is - Id - Ie,eff. Symbols are those of the recommendation.
public struct EModel: Sendable, Equatable {
    /// A codec's constants.
    public struct Codec: Sendable, Equatable {
        /// Ie: equipment impairment without loss.
        public var impairment: Double
        /// Bpl: robustness against loss, the loss in per cent that halves what is left of the quality.
        public var lossRobustness: Double

        public init(impairment: Double, lossRobustness: Double) {
            self.impairment = impairment
            self.lossRobustness = lossRobustness
        }
    }

    /// R of a call without delay, loss and codec impairment: Ro - Is - Id at Ta = 0, all at their default values.
    public static let defaultRating = 93.2
    /// Ro and Roe: signal to noise, at the default SLR 8 dB, RLR 2 dB and No -61.18 dBm0p.
    static let basicSignalToNoise = 94.77
    /// TELR, talker echo loudness rating, in dB: the default, what a good echo canceller leaves.
    static let talkerEchoLoudness = 65.0
    /// WEPL, weighted echo path loss, in dB.
    static let weightedEchoPathLoss = 110.0

    /// Ie,eff.
    public let effectiveImpairment: Double

    /// - Parameters:
    ///   - codec: its constants.
    ///   - lossRatio: packets (or time) lost after every repair but concealment, 0...1: Ppl.
    ///   - meanLossRun: of packets lost in a row; with the mean that independent losses would have it makes BurstR.
    public init(codec: Codec, lossRatio: Double, meanLossRun: Double = 1) {
        let ratio = min(max(lossRatio, 0), 1)
        let percent = 100 * ratio
        let burstRatio = max(1, meanLossRun * (1 - ratio))
        effectiveImpairment =
            codec.impairment
            + (95 - codec.impairment) * percent / (percent / burstRatio + codec.lossRobustness)
    }

    /// R, 0...100.
    public func rating(oneWayMilliseconds: Double) -> Double {
        let delay = max(0, oneWayMilliseconds)
        let atNoDelay = Self.delayImpairment(milliseconds: 0)
        let rating = Self.defaultRating - (Self.delayImpairment(milliseconds: delay) - atNoDelay) - effectiveImpairment
        return min(max(rating, 0), 100)
    }

    /// Id = Idte + Idle + Idd for T = Ta = Tr / 2, G.107 section 7.4.
    static func delayImpairment(milliseconds delay: Double) -> Double {
        // Idte, talker echo, for the default sidetone.
        let loudness =
            talkerEchoLoudness - 40 * log10((1 + delay / 10) / (1 + delay / 150)) + 6 * exp(-0.3 * delay * delay)
        let echo = basicSignalToNoise - (80 + 2.5 * (loudness - 14))
        let talker = delay < 1 ? 0 : (echo / 2 + (echo * echo / 4 + 100).squareRoot() - 1) * (1 - exp(-delay))
        // Idle, listener echo.
        let path = basicSignalToNoise - 10.5 * (weightedEchoPathLoss + 7) * pow(2 * delay + 1, -0.25)
        let listener = path / 2 + (path * path / 4 + 169).squareRoot()
        // Idd, the delay itself.
        guard delay > 100 else { return talker + listener }
        let x = log2(delay / 100)
        let pure = 25 * (pow(1 + pow(x, 6), 1 / 6) - 3 * pow(1 + pow(x / 3, 6), 1 / 6) + 2)
        return talker + listener + pure
    }

    /// Mean opinion score of a rating, 1...4.5: G.107 annex B.
    public static func mos(_ rating: Double) -> Double {
        guard rating > 0 else { return 1 }
        guard rating < 100 else { return 4.5 }
        // The polynomial dips below 1 for the smallest ratings.
        return max(1, 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6)
    }
}
