import DSP

/// Every number of voice processing that is found by measurement. A sweep sets them by name,
/// `suppression.leakage.rising`, and hands the value over in `VoiceProcessingConfiguration.tuning`.
package struct VoiceTuning: Tuning, BitwiseCopyable {
    package var activity = ActivityTuning()
    package var alignment = AlignmentTuning()
    package var cancellation = CancellationTuning()
    package var suppression = SuppressionTuning()
    package var noise = NoiseTuning()
    package var gain = GainTuning()
    package var monitor = MonitorTuning()

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        part("activity", \.activity) + part("alignment", \.alignment) + part("cancellation", \.cancellation)
            + part("suppression", \.suppression) + part("noise", \.noise) + part("gain", \.gain)
            + part("monitor", \.monitor)
    }

    package var conflict: String? {
        activity.conflict ?? alignment.conflict ?? cancellation.conflict ?? suppression.conflict ?? noise.conflict
            ?? gain.conflict ?? monitor.conflict
    }
}

/// Who speaks: thresholds that several parts share.
package struct ActivityTuning: Tuning, BitwiseCopyable {
    /// Mean power of a block from which the far end speaks, full scale 1: -50 dBFS. By hand.
    package var farThreshold: Float = 1e-5
    /// Near-end presence from which somebody may speak: such a block tells little of the echo. By hand.
    package var presence: Float = 0.3
    /// Near-end presence from which a block is held to be near-end speech, or double talk. By hand.
    package var surePresence: Float = 0.5

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("farThreshold", \.farThreshold, 1e-9...1), .init("presence", \.presence, 0...1),
            .init("surePresence", \.surePresence, 0...1),
        ]
    }
}
