import DSP

/// Numbers of noise suppression.
package struct NoiseTuning: Tuning, BitwiseCopyable {
    package var power = NoisePowerTuning()
    package var suppressor = NoiseSuppressorTuning()

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        part("power", \.power) + part("suppressor", \.suppressor)
    }

    package var conflict: String? {
        power.conflict ?? suppressor.conflict
    }
}

/// Numbers of `NoisePower` (Gerkmann and Hendriks 2012); blocks are 10 ms.
package struct NoisePowerTuning: Tuning, BitwiseCopyable {
    /// Ratio of speech to noise where there is speech: 18 dB. Measured: DNSMOS and PESQ over 16 clips at 15 dB, by hand
    /// beside scripts/bench-voice; the paper has 15 dB.
    package var prior: Float = 63.095_734
    /// Its share xi / (1 + xi), which has to go with it.
    package var priorShare: Float = 0.984_398_4
    /// Share of the noise's power that a block leaves. Measured as `prior`.
    package var memory: Float = 0.9
    /// Share of the newest block in the smoothed probability of speech. From the paper.
    package var presenceRate: Float = 0.1
    /// Probability beyond which what goes on for ever was noise all the time. From the paper.
    package var stuck: Float = 0.99
    /// Mean power of a bin under which no converter's own noise lies: 20 dB under that of 16 bits.
    package var silence: Float = 1e-10

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("prior", \.prior, 1...10_000), .init("priorShare", \.priorShare, 0.5...1),
            .init("memory", \.memory, 0...0.999), .init("presenceRate", \.presenceRate, 0.001...1),
            .init("stuck", \.stuck, 0.5...1), .init("silence", \.silence, 0...1e-3),
        ]
    }

    package var conflict: String? {
        abs(priorShare - prior / (1 + prior)) > 1e-5
            ? "power: priorShare is not prior / (1 + prior)" : nil
    }
}

/// Numbers of `NoiseSuppressor` (Ephraim and Malah 1985).
package struct NoiseSuppressorTuning: Tuning, BitwiseCopyable {
    /// Weight of the last block's speech in the a-priori ratio; the block itself has the rest. Measured: DNSMOS and PESQ
    /// over 16 clips at 15 dB, by hand beside scripts/bench-voice.
    package var memory: Float = 0.97
    /// Least a-priori ratio: -25 dB. Measured as `memory`.
    package var leastPrior: Float = 0.003_162_278
    /// Greatest a-posteriori ratio: 30 dB. By hand.
    package var mostPosterior: Float = 1_000

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("memory", \.memory, 0...0.999), .init("leastPrior", \.leastPrior, 1e-9...1),
            .init("mostPosterior", \.mostPosterior, 1...1e9),
        ]
    }
}
