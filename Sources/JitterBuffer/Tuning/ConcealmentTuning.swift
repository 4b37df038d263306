import DSP

/// Numbers of `GapFiller` and what it is made of: `Concealment`, `Interpolation`, `Merge`, `BackgroundNoise`.
package struct ConcealmentTuning: Tuning {
    /// Gaps up to here count as short, in milliseconds; a name in reports.
    package var shortGap = 60.0
    /// From here on the background's noise is heard through what fades, in milliseconds. By hand.
    package var noiseAfter = 60.0
    /// Longest stretch of missing sound that the kept decoder conceals to catch up, in milliseconds: by then its own fade
    /// has made it quiet. By hand.
    package var longestCatchUp = 100

    /// Correlation from which sound counts as a tone or a held note: repeating it is what really came next, so it outdoes any
    /// codec's concealment and may last longer. Speech seldom gets there. By hand.
    package var steadyTone: Float = 0.98
    /// Milliseconds at full level, and level lost a second after that, of speech and of a tone. Measured: a slower fade than
    /// in G.711 Appendix I (1999), which has 10 ms and 20 a second.
    package var hold = 20
    package var fade: Float = 10
    package var toneHold = 80
    package var toneFade: Float = 5
    /// Correlation under which two, and under which three cycles are repeated: a short cycle of unvoiced sound buzzes.
    /// By hand.
    package var twoCycles: Float = 0.7
    package var threeCycles: Float = 0.4

    /// Cross-fade from the concealment into what follows, and the stretch searched for the best place, in milliseconds.
    /// By hand.
    package var mergeMilliseconds = 10
    /// Taken off the correlation at the far end of that stretch. By hand.
    package var mergePenalty: Float = 0.1

    /// Stretch around the gap's end over which both sides are compared, in microseconds before and after it. By hand.
    package var reach = 6250
    /// Least warp of the forward side, the step to the next of 41, and the penalty of a warp on the correlation. Measured:
    /// against repetition alone interpolation wins half a point of PESQ at 5 to 10 % loss of G.711 (scripts/bench-receive).
    package var leastWarp: Float = 0.9
    package var warpStep: Float = 0.005
    package var warpPenalty: Float = 0.3

    /// Loudest noise made of a background that was guessed, -50 dB of full scale as mean square: a wrong guess must not
    /// hiss. One that the sender described may be louder, to -30 dB. By hand.
    package var loudestGuess: Float = 1e-5
    package var loudestTold: Float = 1e-3
    /// How fast the background's colour is learnt, a frame. By hand: about ten frames.
    package var noiseRate: Float = 0.1

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("shortGap", \.shortGap, 0...10_000), .init("noiseAfter", \.noiseAfter, 0...10_000),
            .init("longestCatchUp", \.longestCatchUp, 0...1000), .init("steadyTone", \.steadyTone, 0.5...1),
            .init("hold", \.hold, 0...1000), .init("fade", \.fade, 0...1000), .init("toneHold", \.toneHold, 0...1000),
            .init("toneFade", \.toneFade, 0...1000), .init("twoCycles", \.twoCycles, 0...1),
            .init("threeCycles", \.threeCycles, 0...1), .init("mergeMilliseconds", \.mergeMilliseconds, 1...20),
            .init("mergePenalty", \.mergePenalty, 0...1), .init("reach", \.reach, 1000...10_000),
            .init("leastWarp", \.leastWarp, 0.899...1), .init("warpStep", \.warpStep, 0...0.005),
            .init("warpPenalty", \.warpPenalty, 0...10),
            .init("loudestGuess", \.loudestGuess, 0...1e-2), .init("loudestTold", \.loudestTold, 0...1e-1),
            .init("noiseRate", \.noiseRate, 0.001...1),
        ]
    }

    package var conflict: String? { threeCycles > twoCycles ? "threeCycles is over twoCycles" : nil }
}
