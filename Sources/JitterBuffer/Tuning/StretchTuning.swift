import DSP

/// Numbers of `Stretcher`, `PauseDetector`, `Accelerate` and `Decelerate`.
package struct StretchTuning: Tuning {
    /// Speech is not stretched before so many milliseconds without a settled pause. Measured: scripts/bench-receive;
    /// stretching speech costs half a point of PESQ, and its next settled pause is seldom further away.
    package var patience = 5000.0
    /// Sound without pauses is music or noise: the way in milliseconds that is worth it when patience ends, and the
    /// milliseconds after which any way is. By hand.
    package var greatWay = 100.0
    package var lastPatience = 15_000.0
    /// Milliseconds without a settled pause after which any join will do: noise has no pitch. By hand.
    package var patienceForPitch = 7000.0
    /// A delay this far above its target is lowered in a shorter pause too, once that has lasted so long; milliseconds.
    /// Measured: scripts/bench-receive; settled pauses may be seconds apart in fluent speech. Over recorded networks it cost
    /// no PESQ, and made the mean delay 0.4 ms shorter, with longer clips 1.7 ms.
    package var farAbove = 50.0
    package var shortPause = 80.0
    /// How often a tone is looked for while the delay waits for a pause, in milliseconds. Measured: instructions of a pull.
    package var toneInterval = 500.0
    /// Correlation from which sound counts as a tone. By hand, as `ConcealmentTuning.steadyTone`.
    package var steadyTone: Float = 0.98
    /// Energy of a frame under which it is digital silence. By hand.
    package var silence: Float = 1e-9
    /// Least correlation at which sound is joined to itself. By hand, as in WSOLA (Verhelst and Roelands 1993).
    package var leastCorrelation: Float = 0.6

    /// A pause is settled when it has lasted this long, in milliseconds: word gaps are not. By hand.
    package var settledPause = 160.0
    /// Mean square under which sound is silence whatever came before: -90 dB of full scale. By hand.
    package var quietest: Float = 1e-9
    /// How fast the background's estimate falls, a frame, and the factor by which it rises. By hand.
    package var backgroundFall: Float = 0.3
    package var backgroundRise: Float = 1.01
    /// How fast the speech level's estimate rises, a frame, and the factor by which it falls. By hand.
    package var speechRise: Float = 0.3
    package var speechFall: Float = 0.9995
    /// A frame is quiet under so many times the background, or so much of the speech level, but never over the last share of
    /// it; powers. By hand.
    package var overBackground: Float = 4
    package var underSpeech: Float = 1e-4
    package var mostOfSpeech: Float = 1e-2

    /// Cross-fade in a pause, and how far around the wanted length the best join is looked for, in microseconds. By hand.
    package var pauseFade = 5000
    package var pauseSearch = 2500
    /// Cross-fade in sound, and the periods of pitch that are looked for, in microseconds: 67 to 400 Hz. By hand.
    package var soundFade = 10_000
    package var shortestPeriod = 2500
    package var longestPeriod = 15_000

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("patience", \.patience, 0...600_000), .init("greatWay", \.greatWay, 0...1000),
            .init("lastPatience", \.lastPatience, 1...600_000), .init("patienceForPitch", \.patienceForPitch, 0...600_000),
            .init("farAbove", \.farAbove, 0...1000), .init("shortPause", \.shortPause, 0...1000),
            .init("toneInterval", \.toneInterval, 0...60_000), .init("steadyTone", \.steadyTone, 0.5...1),
            .init("silence", \.silence, 0...1e-3), .init("leastCorrelation", \.leastCorrelation, -1...1),
            .init("settledPause", \.settledPause, 0...10_000), .init("quietest", \.quietest, 0...1e-3),
            .init("backgroundFall", \.backgroundFall, 0.001...1), .init("backgroundRise", \.backgroundRise, 1...10),
            .init("speechRise", \.speechRise, 0.001...1), .init("speechFall", \.speechFall, 0...1),
            .init("overBackground", \.overBackground, 1...1000), .init("underSpeech", \.underSpeech, 0...1),
            .init("mostOfSpeech", \.mostOfSpeech, 0...1), .init("pauseFade", \.pauseFade, 100...10_000),
            .init("pauseSearch", \.pauseSearch, 0...10_000), .init("soundFade", \.soundFade, 100...10_000),
            .init("shortestPeriod", \.shortestPeriod, 1000...10_000),
            .init("longestPeriod", \.longestPeriod, 1000...15_000),
        ]
    }

    package var conflict: String? {
        if shortestPeriod > longestPeriod { return "shortestPeriod is over longestPeriod" }
        return lastPatience > patience ? nil : "lastPatience is not over patience"
    }
}
