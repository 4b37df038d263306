import DSP

/// Numbers of the linear half of echo control.
package struct CancellationTuning: Tuning, BitwiseCopyable {
    package var signals = ConditionerTuning()
    package var kalman = KalmanTuning()
    package var estimator = EchoEstimatorTuning()
    package var combination = CombinationTuning()
    package var pathChange = PathChangeTuning()
    package var pathGain = PathGainTuning()
    package var control = EchoControlTuning()

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        part("signals", \.signals) + part("kalman", \.kalman) + part("estimator", \.estimator)
            + part("combination", \.combination) + part("pathChange", \.pathChange) + part("pathGain", \.pathGain)
            + part("control", \.control)
    }

    package var conflict: String? {
        signals.conflict ?? kalman.conflict ?? estimator.conflict ?? combination.conflict ?? pathChange.conflict
            ?? pathGain.conflict ?? control.conflict
    }
}

/// Numbers of `SignalConditioner`; the notch is SpeexDSP's own.
package struct ConditionerTuning: Tuning, BitwiseCopyable {
    /// Corner of the high-pass in Hz: lowest frequency of speech and of what small loudspeakers play. By hand.
    package var highPass: Double = 60

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("highPass", \.highPass, 1...300)
        ]
    }
}

/// Numbers of `KalmanFilter` (Enzner and Vary 2006; Kuech, Mabande and Enzner 2014).
package struct KalmanTuning: Tuning, BitwiseCopyable {
    /// How the prior variance falls from partition to partition of 10 ms. By hand: rooms of about half a second.
    package var decay: Float = 0.85
    /// Share of the newest block in the power of what is not echo: 100 ms. By hand.
    package var noiseRate: Float = 0.1
    /// Share of the expected missed echo in the step's denominator: overlap-save sees half of each block. From the
    /// filter's mathematics; lower is bolder.
    package var missedShare: Float = 0.5
    /// Weight of the other power in the step's denominator. By hand.
    package var noiseWeight: Float = 2
    /// Variance that comes back in each block, as a share of the prior one. By hand.
    package var leastVariance: Float = 1e-6

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("decay", \.decay, 0.1...1), .init("noiseRate", \.noiseRate, 0.001...1),
            .init("missedShare", \.missedShare, 0...10), .init("noiseWeight", \.noiseWeight, 0.1...100),
            .init("leastVariance", \.leastVariance, 0...1),
        ]
    }
}

/// Numbers of `EchoEstimator`; blocks are 10 ms.
package struct EchoEstimatorTuning: Tuning, BitwiseCopyable {
    /// Length of the Kalman filter's echo path. By hand: 300 ms.
    package var kalmanBlocks: Int = 30
    /// Length of SpeexDSP's filter at medium and at high effort; each block costs a hundredth of echo control. Measured:
    /// scripts/bench-voice.
    package var shortSpeexBlocks: Int = 4
    /// Measured: scripts/bench-voice. See `shortSpeexBlocks`.
    package var longSpeexBlocks: Int = 6
    /// Blocks until SpeexDSP's estimate counts after a rest: its filters of the microphone start from nothing. By hand.
    package var settlingBlocks: Int = 30
    /// Variance that the filter gets back, of that at the start, when a part of the path has changed. By hand.
    package var changedVariance: Float = 0.3
    /// Blocks of far-end speech in which the filter learns boldly while the far end speaks alone, and after which it
    /// learns as it always does. By hand.
    package var boldBlocks: Int = 200
    /// By hand. See `boldBlocks`.
    package var learningBlocks: Int = 400
    /// Share of the error's power that counts as other than echo in the first, and in the second of these times; 1 later
    /// and in double talk. By hand.
    package var boldWeight: Float = 0.1
    /// By hand. See `boldWeight`.
    package var learningWeight: Float = 0.5
    /// How constant the path is held to be in these times, and later: the filter's memory for a block. By hand.
    package var memoryAtFirst: Float = 0.9995
    /// By hand. See `memoryAtFirst`.
    package var memory: Float = 0.9998

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("kalmanBlocks", \.kalmanBlocks, 1...100), .init("shortSpeexBlocks", \.shortSpeexBlocks, 1...40),
            .init("longSpeexBlocks", \.longSpeexBlocks, 1...40), .init("settlingBlocks", \.settlingBlocks, 0...1000),
            .init("changedVariance", \.changedVariance, 0...1), .init("boldBlocks", \.boldBlocks, 0...100_000),
            .init("learningBlocks", \.learningBlocks, 0...100_000), .init("boldWeight", \.boldWeight, 0.001...1),
            .init("learningWeight", \.learningWeight, 0.001...1), .init("memoryAtFirst", \.memoryAtFirst, 0.9...1),
            .init("memory", \.memory, 0.9...1),
        ]
    }

    package var conflict: String? { boldBlocks > learningBlocks ? "estimator: boldBlocks is over learningBlocks" : nil }
}

/// Numbers of `FilterCombination` (Arenas-Garcia et al. 2006).
package struct CombinationTuning: Tuning, BitwiseCopyable {
    /// Share of the mix's sums that a block of 10 ms leaves: 100 ms. By hand.
    package var mixMemory: Float = 0.9
    /// The same of the sums that tell how much of the estimate is in the microphone: 60 ms. By hand.
    package var memory: Float = 0.85
    /// Projection of the microphone on the estimate from which all of the estimate is taken out. By hand.
    package var whole: Float = 0.9

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("mixMemory", \.mixMemory, 0...0.999), .init("memory", \.memory, 0...0.999),
            .init("whole", \.whole, 0...1),
        ]
    }
}

/// Numbers of `PathChangeDetector`; blocks are 10 ms.
package struct PathChangeTuning: Tuning, BitwiseCopyable {
    /// Mean projection under which the filters count as wrong. By hand.
    package var threshold: Float = 0.4
    /// Blocks for which it must stay there. By hand.
    package var persistence: Int = 4
    /// The same two for a part of the path. By hand.
    package var partThreshold: Float = 0.7
    /// By hand. See `partThreshold`.
    package var partPersistence: Int = 10
    /// Blocks of far-end speech that the filters get to learn before they are judged. By hand.
    package var patience: Int = 150
    /// Bands that must hold an echo estimate so far over the noise. By hand.
    package var bandsNeeded: Int = 6
    /// Power of the estimate over the noise that it takes: 9 dB. By hand.
    package var overNoise: Float = 8

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("threshold", \.threshold, 0...1), .init("persistence", \.persistence, 1...1000),
            .init("partThreshold", \.partThreshold, 0...1), .init("partPersistence", \.partPersistence, 1...1000),
            .init("patience", \.patience, 0...100_000), .init("bandsNeeded", \.bandsNeeded, 1...30),
            .init("overNoise", \.overNoise, 1...1000),
        ]
    }

    package var conflict: String? { threshold > partThreshold ? "pathChange: threshold is over partThreshold" : nil }
}

/// Numbers of `PathGain`.
package struct PathGainTuning: Tuning, BitwiseCopyable {
    /// Blocks of far-end speech of 10 ms that are averaged. By hand.
    package var enough: Int = 8
    /// Bins to either side that are averaged. By hand.
    package var reach: Int = 4
    /// Least and greatest power of the echo over the reference's that is believed. By hand.
    package var least: Float = 1e-6
    /// By hand. See `least`.
    package var most: Float = 4

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("enough", \.enough, 1...1000), .init("reach", \.reach, 0...100), .init("least", \.least, 1e-12...1),
            .init("most", \.most, 0.01...1000),
        ]
    }
}

/// Numbers of `EchoController` and `EchoStage`.
package struct EchoControlTuning: Tuning, BitwiseCopyable {
    /// Share of the newest block in what the filters are measured to achieve: 300 ms. By hand.
    package var cancellationRate: Float = 0.03
    /// Power before over power after the filters from which they cancel: 5 dB. By hand.
    package var cancels: Float = 3.16
    /// Mean leakage under which the filters track, and up to which they still do once they did. By hand.
    package var trackingLeakage: Float = 0.1
    /// By hand. See `trackingLeakage`.
    package var keptLeakage: Float = 0.2

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("cancellationRate", \.cancellationRate, 0.001...1), .init("cancels", \.cancels, 1...1000),
            .init("trackingLeakage", \.trackingLeakage, 0...2), .init("keptLeakage", \.keptLeakage, 0...2),
        ]
    }

    package var conflict: String? {
        trackingLeakage > keptLeakage
            ? "control: trackingLeakage is over keptLeakage" : nil
    }
}
