import DSP

/// Numbers of the spectral half of echo control; blocks are 10 ms.
package struct SuppressionTuning: Tuning, BitwiseCopyable {
    package var leakage = LeakageTuning()
    package var residual = ResidualEchoTuning()
    package var nearEnd = NearEndTuning()
    package var confirmation = ConfirmationTuning()
    package var tail = RoomTailTuning()
    package var floor = NoiseFloorTuning()
    package var gain = SuppressionGainTuning()
    package var comfort = ComfortNoiseTuning()
    package var gate = StartGateTuning()
    package var suppressor = SuppressorTuning()

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        part("leakage", \.leakage) + part("residual", \.residual) + part("nearEnd", \.nearEnd)
            + part("confirmation", \.confirmation) + part("tail", \.tail) + part("floor", \.floor)
            + part("gain", \.gain) + part("comfort", \.comfort) + part("gate", \.gate)
            + part("suppressor", \.suppressor)
    }

    package var conflict: String? {
        leakage.conflict ?? residual.conflict ?? nearEnd.conflict ?? confirmation.conflict ?? tail.conflict
            ?? floor.conflict ?? gain.conflict ?? comfort.conflict ?? gate.conflict ?? suppressor.conflict
    }
}

/// Numbers of `EchoLeakage`.
package struct LeakageTuning: Tuning, BitwiseCopyable {
    /// Share of the newest block in the band's powers: 100 ms. By hand.
    package var averaging: Float = 0.1
    /// Echo over noise from which on there is something to learn: 10 dB. By hand.
    package var overNoise: Float = 10
    /// How fast the logarithm of the leakage falls, and rises. By hand.
    package var falling: Float = 0.1
    /// By hand. See `falling`.
    package var rising: Float = 0.01
    /// How fast it rises while the near end is heard, and while that is not confirmed. Measured: scripts/bench-voice.
    package var risingInDoubleTalk: Float = 0.0004
    /// Measured: scripts/bench-voice. See `risingInDoubleTalk`.
    package var risingUnconfirmed: Float = 0.03
    /// More nepers over the mean than this, 9 dB, is no distortion of a loudspeaker that plays now as it played before.
    /// By hand.
    package var mostUnconfirmed: Float = 2
    /// A single block's step in nepers is no longer: 13 dB. By hand.
    package var longestStep: Float = 3
    /// How fast the deviation is learnt. By hand.
    package var deviationRate: Float = 0.02
    /// Deviations over the mean that the leakage is held to be, and while near end is not confirmed. Measured:
    /// scripts/bench-voice.
    package var spread: Float = 0.7
    /// Measured: scripts/bench-voice. See `spread`.
    package var spreadUnconfirmed: Float = 1.5
    /// Least and greatest leakage. By hand.
    package var least: Float = 0.0005
    /// By hand. See `least`.
    package var most: Float = 2
    /// Share of the echo that is left at least, so that a logarithm can be taken. By hand.
    package var leastLeft: Float = 1e-4

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("averaging", \.averaging, 0.001...1), .init("overNoise", \.overNoise, 1...1000),
            .init("falling", \.falling, 0...1), .init("rising", \.rising, 0...1),
            .init("risingInDoubleTalk", \.risingInDoubleTalk, 0...1),
            .init("risingUnconfirmed", \.risingUnconfirmed, 0...1),
            .init("mostUnconfirmed", \.mostUnconfirmed, 0...10), .init("longestStep", \.longestStep, 0.1...10),
            .init("deviationRate", \.deviationRate, 0.001...1), .init("spread", \.spread, 0...10),
            .init("spreadUnconfirmed", \.spreadUnconfirmed, 0...10), .init("least", \.least, 1e-9...1),
            .init("most", \.most, 0.1...100), .init("leastLeft", \.leastLeft, 1e-9...1),
        ]
    }
}

/// Numbers of `ResidualEcho`.
package struct ResidualEchoTuning: Tuning, BitwiseCopyable {
    /// Share of the estimated echo's power that a block leaves: it rings on in the room. By hand.
    package var echoHold: Float = 0.7
    /// The same of the reference's power. By hand.
    package var referenceHold: Float = 0.75
    /// Weight of the leakage: 3 dB for its ups. By hand.
    package var overestimate: Float = 2
    /// Weight of what the Kalman filter expects to miss. By hand.
    package var missedShare: Float = 0.125
    /// Share of the residual echo's power that a block leaves. By hand.
    package var hold: Float = 0.6

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("echoHold", \.echoHold, 0...0.999), .init("referenceHold", \.referenceHold, 0...0.999),
            .init("overestimate", \.overestimate, 0.1...100), .init("missedShare", \.missedShare, 0...10),
            .init("hold", \.hold, 0...0.999),
        ]
    }
}

/// Numbers of `NearEndDetector`.
package struct NearEndTuning: Tuning, BitwiseCopyable {
    /// Weight of bands under 300 Hz, which room noise rules. By hand.
    package var lowWeight: Float = 0.3
    /// Weight of bands over 6 kHz, which the echo's sibilants rule. By hand.
    package var highWeight: Float = 0.5
    /// Share of the newest block in the powers. By hand.
    package var rate: Float = 0.5
    /// The noise's own ups, as a ratio of powers. By hand.
    package var noiseMargin: Float = 2
    /// Excess in dB from which a band counts, and the range in dB in which it comes to count in full. By hand.
    package var leastExcess: Float = 3
    /// By hand. See `leastExcess`.
    package var excessRange: Float = 10
    /// Share of bands from which on somebody is there, and the range in which that becomes sure. By hand.
    package var leastShare: Float = 0.05
    /// By hand. See `leastShare`.
    package var shareRange: Float = 0.2
    /// How fast the presence rises, and falls. By hand.
    package var rising: Float = 0.7
    /// By hand. See `rising`.
    package var falling: Float = 0.04

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("lowWeight", \.lowWeight, 0...1), .init("highWeight", \.highWeight, 0...1),
            .init("rate", \.rate, 0.001...1), .init("noiseMargin", \.noiseMargin, 0...100),
            .init("leastExcess", \.leastExcess, 0...60), .init("excessRange", \.excessRange, 0.1...60),
            .init("leastShare", \.leastShare, 0...1), .init("shareRange", \.shareRange, 0.001...1),
            .init("rising", \.rising, 0.001...1), .init("falling", \.falling, 0.001...1),
        ]
    }
}

/// Numbers of `NearEndConfirmation`.
package struct ConfirmationTuning: Tuning, BitwiseCopyable {
    /// How far what is left must be over the whole echo, as a ratio of powers: 6 dB. By hand.
    package var overEcho: Float = 4
    /// And over the noise: 8 dB. By hand.
    package var overNoise: Float = 6
    /// The noise's own ups, as a ratio of powers. By hand.
    package var noiseMargin: Float = 2
    /// Blocks that it must be so: clicks, and reflections that outlast the echo's estimate, are shorter. By hand.
    package var blocks: Int = 3
    /// Blocks that a confirmation holds. By hand: 5 s, longer than anybody keeps silent within a turn.
    package var memory: Int = 500
    /// Blocks between the syllables of somebody who is over the tail. By hand.
    package var longestPause: Int = 20

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("overEcho", \.overEcho, 1...1000), .init("overNoise", \.overNoise, 1...1000),
            .init("noiseMargin", \.noiseMargin, 0...100), .init("blocks", \.blocks, 1...1000),
            .init("memory", \.memory, 1...100_000), .init("longestPause", \.longestPause, 0...1000),
        ]
    }
}

/// Numbers of `RoomTail`.
package struct RoomTailTuning: Tuning, BitwiseCopyable {
    /// What is left of an ordinary room's tail after a block: 60 dB in 0.8 s. By hand.
    package var earlyDecay: Float = 0.84
    /// The same of a hall's: 60 dB in 1.7 s. By hand.
    package var lateDecay: Float = 0.92
    /// Share of the echo's power that a hall's tail begins with. By hand.
    package var lateShare: Float = 0.1
    /// An echo so far under the tail, 10 dB, has ended. By hand.
    package var ended: Float = 0.1

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("earlyDecay", \.earlyDecay, 0...0.999), .init("lateDecay", \.lateDecay, 0...0.999),
            .init("lateShare", \.lateShare, 0...1), .init("ended", \.ended, 0...1),
        ]
    }
}

/// Numbers of `NoiseFloor` (minimum statistics, Martin 2001).
package struct NoiseFloorTuning: Tuning, BitwiseCopyable {
    /// Blocks of a stretch whose mean is taken; the least of 16 stretches counts. By hand.
    package var longestStretch: Int = 10
    /// The minimum lies under the mean: by 1.97 for white noise. By hand: a little less, for what fills in should not
    /// stand out.
    package var bias: Float = 1.6
    /// Share of what is heard from which on a bin is echo. By hand.
    package var echoShare: Float = 0.5
    /// Share of the bins that makes a stretch one of echo. By hand.
    package var echoBins: Float = 0.25
    /// What such a stretch counts. Measured: scripts/bench-voice. Noise that rises under a far end who never pauses is
    /// known after 5 s.
    package var echoTime: Float = 0.34

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("longestStretch", \.longestStretch, 2...100), .init("bias", \.bias, 1...10),
            .init("echoShare", \.echoShare, 0...1), .init("echoBins", \.echoBins, 0...1),
            .init("echoTime", \.echoTime, 0...1),
        ]
    }
}

/// Numbers of `SuppressionGain` (Ephraim and Malah 1984).
package struct SuppressionGainTuning: Tuning, BitwiseCopyable {
    /// Logarithm to base 2 of the weight of the echo where the far end speaks alone: 4. Measured: scripts/bench-voice.
    package var overestimate: Float = 2
    /// The same where both speak: 0.3. Measured: scripts/bench-voice.
    package var overestimateInDoubleTalk: Float = -1.736_965_6
    /// Logarithm to base 2 of the least gain where the far end speaks alone: 0.01. Measured: scripts/bench-voice.
    package var floor: Float = -6.643_856_2
    /// The same where both speak: 0.1. Measured: scripts/bench-voice.
    package var floorInDoubleTalk: Float = -3.321_928_1
    /// Share of the newest block in the power of what is left. By hand.
    package var rate: Float = 0.7
    /// Weight of the block itself in the decision-directed ratio; the last block's voice has the rest. By hand.
    package var newVoice: Float = 0.15
    /// Power over what was expected that echo may have had after the gains: 9 dB for its ups. Measured: scripts/bench-
    /// voice.
    package var ups: Float = 8

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("overestimate", \.overestimate, -10...10),
            .init("overestimateInDoubleTalk", \.overestimateInDoubleTalk, -10...10), .init("floor", \.floor, -20...0),
            .init("floorInDoubleTalk", \.floorInDoubleTalk, -20...0), .init("rate", \.rate, 0.001...1),
            .init("newVoice", \.newVoice, 0.001...1), .init("ups", \.ups, 0...100),
        ]
    }
}

/// Numbers of `ComfortNoise`.
package struct ComfortNoiseTuning: Tuning, BitwiseCopyable {
    /// Mean power over which a noise is no room's: -30 dBFS. By hand.
    package var loudest: Float = 1e-3
    /// Share of the power that is left out while the near end speaks, whose voice covers the room. Measured:
    /// scripts/bench-voice. Worth 0.08 MOS in double talk.
    package var covered: Float = 0.85

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("loudest", \.loudest, 0...1), .init("covered", \.covered, 0...1),
        ]
    }
}

/// Numbers of `StartGate`.
package struct StartGateTuning: Tuning, BitwiseCopyable {
    /// Blocks of far-end speech after which the gate opens at the latest: 3 s. By hand.
    package var patience: Int = 300
    /// Blocks of it with a loud microphone: 700 ms. Measured on speech in rooms; that script was not kept.
    package var loudPatience: Int = 70
    /// Blocks that echo rings on for after the far end: 500 ms. By hand.
    package var hangover: Int = 50
    /// Power over the microphone's noise from which it is loud: 6 dB. By hand.
    package var overFloor: Float = 4
    /// Share by which the noise's estimate falls to a quieter block. By hand.
    package var floorFall: Float = 0.3
    /// Factor by which it rises in each louder one. By hand.
    package var floorRise: Float = 1.01

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("patience", \.patience, 0...100_000), .init("loudPatience", \.loudPatience, 0...100_000),
            .init("hangover", \.hangover, 0...1000), .init("overFloor", \.overFloor, 1...1000),
            .init("floorFall", \.floorFall, 0.001...1), .init("floorRise", \.floorRise, 1...2),
        ]
    }
}

/// Numbers of `ResidualSuppressor`.
package struct SuppressorTuning: Tuning, BitwiseCopyable {
    /// Mean leakage in dB from which an unconfirmed presence may be a loudspeaker that distorts: 4 % speak for good
    /// filters and a talker. Measured: scripts/bench-voice.
    package var distortionFrom: Float = -14
    /// Range in dB in which that becomes sure: 16 % speak for such a loudspeaker. Measured: scripts/bench-voice.
    package var distortionRange: Float = 6
    /// Lowest bin of 50 Hz by which somebody is confirmed: under 300 Hz rumble is louder than anybody. By hand.
    package var lowestBin: Int = 6

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("distortionFrom", \.distortionFrom, -60...0), .init("distortionRange", \.distortionRange, 0.1...60),
            .init("lowestBin", \.lowestBin, 0...80),
        ]
    }
}
