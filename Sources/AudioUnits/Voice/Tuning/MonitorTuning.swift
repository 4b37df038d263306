import DSP

/// Numbers of what is told of echo control.
package struct MonitorTuning: Tuning, BitwiseCopyable {
    package var echo = EchoMonitorTuning()
    package var health = VoiceHealthTuning()

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        part("echo", \.echo) + part("health", \.health)
    }

    package var conflict: String? {
        echo.conflict ?? health.conflict
    }
}

/// Numbers of `EchoMonitor`; blocks are 10 ms, ratios of powers.
package struct EchoMonitorTuning: Tuning, BitwiseCopyable {
    /// Blocks that the room rings on for after the far end. By hand.
    package var hangover: Int = 30
    /// Share of the newest block in the powers: half a second. By hand.
    package var rate: Float = 0.02
    /// The same over 40 ms. By hand.
    package var recentRate: Float = 0.25
    /// Output over microphone of the last 40 ms from which what is heard may be believed. By hand.
    package var mostlyNear: Float = 0.25
    /// Output over what is usually left of the echo from which the near end speaks, where nothing else tells: 12 dB. By
    /// hand.
    package var overResidual: Float = 16
    /// Ratio of microphone to output from which echo control has converged, and under which it no longer has. By hand.
    package var converged: Float = 10
    /// By hand. See `converged`.
    package var lost: Float = 4
    /// Blocks for which it must be so. By hand.
    package var steadyBlocks: Int = 50
    /// Output over microphone that tells of the near end once echo control has converged. By hand.
    package var undecidedShare: Float = 0.5
    /// Blocks for which that is believed: 3 s. By hand.
    package var undecidedBlocks: Int = 300

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("hangover", \.hangover, 0...1000), .init("rate", \.rate, 0.001...1),
            .init("recentRate", \.recentRate, 0.001...1), .init("mostlyNear", \.mostlyNear, 0...1),
            .init("overResidual", \.overResidual, 1...1000), .init("converged", \.converged, 1...1000),
            .init("lost", \.lost, 1...1000), .init("steadyBlocks", \.steadyBlocks, 1...10_000),
            .init("undecidedShare", \.undecidedShare, 0...1), .init("undecidedBlocks", \.undecidedBlocks, 0...10_000),
        ]
    }
}

/// Numbers of `VoiceHealth`; blocks are 10 ms.
package struct VoiceHealthTuning: Tuning, BitwiseCopyable {
    /// Blocks of digital silence before it is told: 1 s. By hand.
    package var silentBlocks: Int = 100
    /// Samples this close to full scale are clipped. By hand.
    package var fullScale: Float = 0.985
    /// When so many follow each other. By hand.
    package var clippedRun: Int = 3
    /// Share of the measure of clipping that a block leaves: five clipped blocks in about a second set it, three seconds
    /// without one take it back. By hand.
    package var clippingDecay: Float = 0.99
    /// What a clipped block adds to it. By hand.
    package var clippingStep: Float = 0.2
    /// Where clipping is told, and where it is no longer. By hand.
    package var clippingSet: Float = 0.8
    /// By hand. See `clippingSet`.
    package var clippingClear: Float = 0.04
    /// Blocks of far-end speech in which no echo was found: 6 s. By hand.
    package var echolessBlocks: Int = 600
    /// Mean power from which residual echo is heard, -50 dBFS, when it is not so far down as `audibleRatio` says. By
    /// hand.
    package var audiblePower: Float = 1e-5
    /// Microphone over output: 10 dB. By hand.
    package var audibleRatio: Float = 10
    /// Blocks of far-end speech for which it must be so: 3 s. By hand.
    package var patience: Int = 300
    /// Blocks that one without audible echo takes back. By hand.
    package var recovery: Int = 3

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("silentBlocks", \.silentBlocks, 1...100_000), .init("fullScale", \.fullScale, 0.1...1),
            .init("clippedRun", \.clippedRun, 1...100), .init("clippingDecay", \.clippingDecay, 0...0.999),
            .init("clippingStep", \.clippingStep, 0...1), .init("clippingSet", \.clippingSet, 0...10),
            .init("clippingClear", \.clippingClear, 0...10), .init("echolessBlocks", \.echolessBlocks, 1...100_000),
            .init("audiblePower", \.audiblePower, 0...1), .init("audibleRatio", \.audibleRatio, 1...1000),
            .init("patience", \.patience, 1...100_000), .init("recovery", \.recovery, 1...1000),
        ]
    }
}
