import DSP

/// Numbers of the reference's alignment.
package struct AlignmentTuning: Tuning, BitwiseCopyable {
    package var finder = DelayFinderTuning()
    package var absence = EchoAbsenceTuning()
    package var lock = DelayLockTuning()
    package var spectrum = DelaySpectrumTuning()
    package var window = FinderWindowTuning()
    package var stamps = StampedPlacementTuning()
    package var drift = DriftLoopTuning()
    package var aligner = AlignerTuning()

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        part("finder", \.finder) + part("absence", \.absence) + part("lock", \.lock) + part("spectrum", \.spectrum)
            + part("window", \.window) + part("stamps", \.stamps) + part("drift", \.drift)
            + part("aligner", \.aligner)
    }

    package var conflict: String? {
        finder.conflict ?? absence.conflict ?? lock.conflict ?? spectrum.conflict ?? window.conflict
            ?? stamps.conflict ?? drift.conflict ?? aligner.conflict
    }
}

/// Numbers of `DelayFinder`; blocks are 20 ms.
package struct DelayFinderTuning: Tuning, BitwiseCopyable {
    /// Blocks of far-end speech before the first lock. By hand.
    package var leastFarBlocks: Int = 5
    /// Blocks of far-end speech after which the microphone's level no longer matters: 3 s. By hand.
    package var impatientBlocks: Int = 150
    /// Blocks that the correlation has learnt from in which a quick lock is believed: 1 s. By hand.
    package var earlyBlocks: Int = 50
    /// Blocks of far-end speech in which no time may be lost: 1 s. By hand.
    package var hurriedBlocks: Int = 50
    /// Power over the microphone's noise from which it is loud: 6 dB. By hand.
    package var overFloor: Float = 4
    /// Share by which the noise's estimate falls to a quieter block. By hand.
    package var floorFall: Float = 0.3
    /// Factor by which it rises in each louder one. By hand.
    package var floorRise: Float = 1.01

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("leastFarBlocks", \.leastFarBlocks, 0...1000),
            .init("impatientBlocks", \.impatientBlocks, 1...10_000), .init("earlyBlocks", \.earlyBlocks, 0...10_000),
            .init("hurriedBlocks", \.hurriedBlocks, 0...10_000), .init("overFloor", \.overFloor, 1...1000),
            .init("floorFall", \.floorFall, 0.001...1), .init("floorRise", \.floorRise, 1...2),
        ]
    }
}

/// Numbers of `EchoAbsence`; blocks are 20 ms.
package struct EchoAbsenceTuning: Tuning, BitwiseCopyable {
    /// A path that damps lows and passes highs, and reverberation that adds up, make up for no more than 20 dB. By hand.
    package var margin: Float = 100
    /// Blocks that are too loud for an echo: clicks are shorter. By hand.
    package var leastNear: Int = 2
    /// Blocks of a loud microphone after which the correlation is trusted. By hand.
    package var enough: Int = 10
    /// Power of the densest 2 ms over the mean that unrelated speech stays under. Measured on speech in rooms; that
    /// script was not kept.
    package var chance: Float = 6.5
    /// The same that an echo comes over. Measured on speech in rooms; that script was not kept.
    package var certain: Float = 9

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("margin", \.margin, 1...1e6), .init("leastNear", \.leastNear, 1...100),
            .init("enough", \.enough, 1...1000), .init("chance", \.chance, 1...100),
            .init("certain", \.certain, 1...100),
        ]
    }

    package var conflict: String? { chance > certain ? "absence: chance is over certain" : nil }
}

/// Numbers of `DelayLock`; blocks are 20 ms, scores the power of a peak over the mean power. Measured: somebody else's
/// speech gets to a score of 50 about once in a minute of both talking.
package struct DelayLockTuning: Tuning, BitwiseCopyable {
    /// Score of the first lock as the call begins, and the blocks in which the peak must stay in its place. Measured on
    /// speech in rooms; that script was not kept.
    package var firstScore: Float = 50
    /// By hand. See `firstScore`.
    package var firstBlocks: Int = 5
    /// The same where reverberation spreads the correlation. Measured on speech in rooms; that script was not kept.
    package var earlyScore: Float = 28
    /// By hand. See `earlyScore`.
    package var earlyBlocks: Int = 14
    /// The same of a first lock that comes later, when chance is likelier. Measured on speech in rooms; that script was
    /// not kept.
    package var patientScore: Float = 45
    /// By hand. See `patientScore`.
    package var patientBlocks: Int = 25
    /// The same of a move, which costs what the filters have learnt; twice as long while they cancel. Measured on speech
    /// in rooms; that script was not kept.
    package var laterScore: Float = 75
    /// By hand. See `laterScore`.
    package var laterBlocks: Int = 25
    /// Share of the peak's power that forbids a move when it stands where the delay was. By hand.
    package var present: Float = 0.5
    /// Milliseconds before and after the held delay that are still its place. By hand.
    package var before: Int = 2
    /// By hand. See `before`.
    package var after: Int = 16
    /// Milliseconds before the highest peak in which the direct sound is looked for. By hand.
    package var directSearch: Int = 10
    /// Share of the highest peak's power that makes an earlier one the direct sound. By hand.
    package var directShare: Float = 0.4

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("firstScore", \.firstScore, 1...10_000), .init("firstBlocks", \.firstBlocks, 1...1000),
            .init("earlyScore", \.earlyScore, 1...10_000), .init("earlyBlocks", \.earlyBlocks, 1...1000),
            .init("patientScore", \.patientScore, 1...10_000), .init("patientBlocks", \.patientBlocks, 1...1000),
            .init("laterScore", \.laterScore, 1...10_000), .init("laterBlocks", \.laterBlocks, 1...1000),
            .init("present", \.present, 0...1), .init("before", \.before, 0...100), .init("after", \.after, 0...100),
            .init("directSearch", \.directSearch, 0...100), .init("directShare", \.directShare, 0...1),
        ]
    }
}

/// Numbers of `DelaySpectrum` and `Whitener`; blocks are 20 ms.
package struct DelaySpectrumTuning: Tuning, BitwiseCopyable {
    /// Share of the cross-spectrum that each block leaves: 1 s. By hand.
    package var memory: Float = 0.98
    /// The same while a held delay does not cancel: 0.4 s. By hand.
    package var shortMemory: Float = 0.95
    /// Blocks that make a partition count. By hand.
    package var leastHeard: Int = 3
    /// Share of the newest block in the mean spectrum. By hand.
    package var whiteningRate: Float = 0.02
    /// Share of the mean that a bin must have to count in full. By hand.
    package var whiteningShare: Float = 0.3
    /// Magnitude under which a bin of the far end, and of the microphone, counts little; of an unscaled transform. By
    /// hand.
    package var farFloor: Float = 0.02
    /// By hand. See `farFloor`.
    package var microphoneFloor: Float = 0.001

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("memory", \.memory, 0...0.9999), .init("shortMemory", \.shortMemory, 0...0.9999),
            .init("leastHeard", \.leastHeard, 1...100), .init("whiteningRate", \.whiteningRate, 0.001...1),
            .init("whiteningShare", \.whiteningShare, 0...10), .init("farFloor", \.farFloor, 0...10),
            .init("microphoneFloor", \.microphoneFloor, 0...10),
        ]
    }
}

/// Numbers of `FinderWindow`, in seconds.
package struct FinderWindowTuning: Tuning, BitwiseCopyable {
    /// How far ahead of what the stamps say lag 0 is put. By hand: stamps may be wrong by so much to one side and by 0.4
    /// s to the other.
    package var guardTime: Double = 0.1
    /// How long a window must be off before it is put anew. By hand.
    package var patience: Double = 0.5
    /// Lags between which a held delay should lie, and where it is put otherwise. By hand.
    package var leastLag: Double = 0.01
    /// By hand. See `leastLag`.
    package var mostLag: Double = 0.44
    /// By hand. See `leastLag`.
    package var restingLag: Double = 0.1
    /// How far the window lies before and after what the stamps say when the streams have jumped. By hand.
    package var lostBefore: Double = 0.1
    /// By hand. See `lostBefore`.
    package var lostAfter: Double = 0.5
    /// The same when it should be put anew while no delay is held. By hand.
    package var offBefore: Double = 0.02
    /// By hand. See `offBefore`.
    package var offAfter: Double = 0.2
    /// A move shorter than this is none. By hand.
    package var leastMove: Double = 0.02

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("guardTime", \.guardTime, 0...0.4), .init("patience", \.patience, 0.01...60),
            .init("leastLag", \.leastLag, 0...0.5), .init("mostLag", \.mostLag, 0...0.54),
            .init("restingLag", \.restingLag, 0...0.5), .init("lostBefore", \.lostBefore, 0...10),
            .init("lostAfter", \.lostAfter, 0...10), .init("offBefore", \.offBefore, 0...10),
            .init("offAfter", \.offAfter, 0...10), .init("leastMove", \.leastMove, 0...1),
        ]
    }

    package var conflict: String? {
        restingLag < leastLag || restingLag > mostLag
            ? "window: restingLag is not between leastLag and mostLag" : nil
    }
}

/// Numbers of `StampedPlacement`, in seconds.
package struct StampedPlacementTuning: Tuning, BitwiseCopyable {
    /// Allowed error of the placement. By hand.
    package var tolerance: Double = 0.0045
    /// How early the reference is placed. By hand.
    package var lead: Double = 0.003
    /// How much later than what there is of it a reference that starves is placed. By hand: 10 s at 100 ppm, and less
    /// than sound needs from a loudspeaker to a microphone 35 cm away.
    package var slack: Double = 0.001
    /// How long the placement must be off before it is set anew. By hand.
    package var patience: Double = 0.5
    /// Starved blocks in a row that count as starving. By hand.
    package var starvedBlocks: Int = 3

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("tolerance", \.tolerance, 0.0001...1), .init("lead", \.lead, 0...0.1),
            .init("slack", \.slack, 0...0.1), .init("patience", \.patience, 0.01...60),
            .init("starvedBlocks", \.starvedBlocks, 1...1000),
        ]
    }
}

/// Numbers of `DriftLoop`, a proportional-integral loop over blocks of 10 ms.
package struct DriftLoopTuning: Tuning, BitwiseCopyable {
    /// Share of the newest block in the averages: 80 ms. By hand.
    package var rate: Float = 0.1175
    /// Gain of the integral and of the proportional branch. By hand: locks in a second, overshoots little.
    package var integral: Double = 8
    /// By hand. See `integral`.
    package var proportional: Double = 4
    /// Share of both gains that is left while somebody speaks at the near end. By hand.
    package var integralInDoubleTalk: Double = 0.1
    /// By hand. See `integralInDoubleTalk`.
    package var proportionalInDoubleTalk: Double = 0.3
    /// Coherence of microphone and estimate from which a bin counts. By hand.
    package var leastCoherence: Float = 0.3
    /// Summed weight of the bins from which the lag can be told. By hand.
    package var leastWeight: Float = 3
    /// Largest lag believed in a block, in 1/16,000 s. By hand.
    package var mostLag: Float = 2
    /// Power of the estimate from which a bin counts, at 16 kHz. By hand.
    package var leastPower: Double = 1e-7
    /// Share of the drift that is still believed after the reference was placed anew. By hand.
    package var keptAfterMove: Double = 0.5

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("rate", \.rate, 0.001...1), .init("integral", \.integral, 0...1000),
            .init("proportional", \.proportional, 0...1000),
            .init("integralInDoubleTalk", \.integralInDoubleTalk, 0...1),
            .init("proportionalInDoubleTalk", \.proportionalInDoubleTalk, 0...1),
            .init("leastCoherence", \.leastCoherence, 0...1), .init("leastWeight", \.leastWeight, 0...1000),
            .init("mostLag", \.mostLag, 0.1...8), .init("leastPower", \.leastPower, 0...1),
            .init("keptAfterMove", \.keptAfterMove, 0...1),
        ]
    }
}

/// Numbers of `ReferenceAligner`, in seconds.
package struct AlignerTuning: Tuning, BitwiseCopyable {
    /// How far before its echo the reference should stand. By hand.
    package var lead: Double = 0.004
    /// A placement this close to the lead is as good. By hand.
    package var leadTolerance: Double = 0.002
    /// Share of the newest block in the delay that is told. By hand.
    package var delayRate: Double = 0.02
    /// Observation after which the drift is told. By hand.
    package var driftSeconds: Double = 1

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("lead", \.lead, 0...0.1), .init("leadTolerance", \.leadTolerance, 0...0.1),
            .init("delayRate", \.delayRate, 0.001...1), .init("driftSeconds", \.driftSeconds, 0...60),
        ]
    }
}
