import DSP

/// Numbers of gain control and limiter.
package struct GainTuning: Tuning, BitwiseCopyable {
    package var control = GainControlTuning()
    package var level = VoiceLevelTuning()
    package var limiter = LimiterTuning()

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        part("control", \.control) + part("level", \.level) + part("limiter", \.limiter)
    }

    package var conflict: String? {
        control.conflict ?? level.conflict ?? limiter.conflict
    }
}

/// Numbers of `GainControl`; blocks are 10 ms.
package struct GainControlTuning: Tuning, BitwiseCopyable {
    /// Least gain: -12 dB. By hand.
    package var least: Float = 0.25
    /// Blocks of speech, 1.6 s, in which the gain may move faster: nothing was right before. By hand.
    package var firstBlocks: Int = 160
    /// A first phrase is usually louder than what follows, by 4 dB. Measured on speech in rooms; that script was not
    /// kept.
    package var firstBoost: Float = 1.58
    /// How many times faster the gain comes up in that time. By hand.
    package var firstSpeed: Double = 4
    /// How far the gain comes down in a block, in dB: 40 dB a second. By hand.
    package var fall: Double = -0.4
    /// Most the gain in force may rise within a block of speech: 2 dB. By hand.
    package var glide: Float = 1.259
    /// The same otherwise: 0.2 dB. By hand.
    package var slowGlide: Float = 1.0233
    /// Power over the target's from which speech is lowered at once: 11 dB. By hand.
    package var loud: Float = 12
    /// Wanted over present gain under which the gain comes down, and over which it comes up. By hand: 0.5 dB either way.
    package var tooMuch: Float = 0.94
    /// By hand. See `tooMuch`.
    package var tooLittle: Float = 1.06

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("least", \.least, 0.001...1), .init("firstBlocks", \.firstBlocks, 0...100_000),
            .init("firstBoost", \.firstBoost, 0.1...10), .init("firstSpeed", \.firstSpeed, 1...100),
            .init("fall", \.fall, -10...0), .init("glide", \.glide, 1...10), .init("slowGlide", \.slowGlide, 1...10),
            .init("loud", \.loud, 1...1000), .init("tooMuch", \.tooMuch, 0.1...1),
            .init("tooLittle", \.tooLittle, 1...10),
        ]
    }
}

/// Numbers of `VoiceLevel`, after the idea of ITU-T P.56; blocks are 10 ms.
package struct VoiceLevelTuning: Tuning, BitwiseCopyable {
    /// Power over the least of the last second from which there is speech: 9 dB. By hand.
    package var overFloor: Float = 8
    /// And the mean power: -62 dBFS. By hand.
    package var quietest: Float = 6e-7
    /// Blocks after which the window of the minimum moves on: it spans one to two of these. By hand.
    package var window: Int = 60
    /// A sound without a dip is no speech after so many blocks. By hand.
    package var longestSteady: Int = 100
    /// A sound of fewer loud blocks is a click. By hand.
    package var shortest: Int = 6
    /// Pauses up to so many blocks belong to speech: 200 ms as in P.56.
    package var longestPause: Int = 20
    /// Mean power of speech over that of its syllables' mean level, at the least: 1.2 dB. Measured on speech in rooms;
    /// that script was not kept.
    package var overMean: Float = 1.32
    /// What was heard before counts as at most so many blocks. By hand.
    package var memory: Float = 150
    /// Share of the newest block in the recent power: 40 ms. By hand.
    package var recentRate: Float = 0.25
    /// Power under the peak to which speech dips with every syllable: 10 dB. By hand.
    package var dip: Float = 0.1
    /// Octaves of power, 9 dB, beyond which a louder sound is believed sooner than a quieter one, which may be the same
    /// voice trailing off. By hand.
    package var louder: Float = 3
    /// Share of the memory that then counts. By hand.
    package var louderMemory: Float = 0.5

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("overFloor", \.overFloor, 1...1000), .init("quietest", \.quietest, 0...1),
            .init("window", \.window, 1...10_000), .init("longestSteady", \.longestSteady, 1...10_000),
            .init("shortest", \.shortest, 0...1000), .init("longestPause", \.longestPause, 0...1000),
            .init("overMean", \.overMean, 1...10), .init("memory", \.memory, 1...100_000),
            .init("recentRate", \.recentRate, 0.001...1), .init("dip", \.dip, 0...1),
            .init("louder", \.louder, 0...20), .init("louderMemory", \.louderMemory, 0...1),
        ]
    }
}

/// Numbers of `TruePeakLimiter`.
package struct LimiterTuning: Tuning, BitwiseCopyable {
    /// Highest peak let out as the meter sees it: -2.3 dBFS. By hand, for -1 dBTP: what lies between the last samples of
    /// a block is only known in the next.
    package var ceiling: Float = 0.77
    /// The same under 12 kHz, -2.9 dBFS: 12 taps see too little of what lies close to half the rate.
    package var lowRateCeiling: Float = 0.72
    /// Time in which the gain recovers, in seconds. By hand.
    package var release: Double = 0.1
    /// Time in which the gain could fall from 1 to 0, in seconds. By hand.
    package var slope: Double = 0.001

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("ceiling", \.ceiling, 0.01...0.89), .init("lowRateCeiling", \.lowRateCeiling, 0.01...0.89),
            .init("release", \.release, 0.001...10), .init("slope", \.slope, 0.0001...1),
        ]
    }
}
