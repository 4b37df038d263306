import DSP

/// Every number of the jitter buffer that is found by measurement. A sweep sets them by name, `decision.nearMiss`, and hands
/// the value over in `JitterBufferConfiguration.tuning`.
package struct JitterBufferTuning: Tuning {
    package var arrivals = ArrivalTuning()
    package var rhythm = RhythmTuning()
    package var drift = DriftTuning()
    package var loss = LossTuning()
    package var target = TargetTuning()
    package var clock = PullClockTuning()
    package var stream = StreamTuning()
    package var decision = DecisionTuning()
    package var stretch = StretchTuning()
    package var concealment = ConcealmentTuning()
    package var pitch = PitchTuning()

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        part("arrivals", \.arrivals) + part("rhythm", \.rhythm) + part("drift", \.drift) + part("loss", \.loss)
            + part("target", \.target) + part("clock", \.clock) + part("stream", \.stream)
            + part("decision", \.decision) + part("stretch", \.stretch) + part("concealment", \.concealment)
            + part("pitch", \.pitch)
    }

    package var conflict: String? { target.conflict ?? stretch.conflict ?? concealment.conflict ?? pitch.conflict }
}
