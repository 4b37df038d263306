import DSP

/// Numbers of `DecisionLogic` and `GapPolicy`. Times are milliseconds.
package struct DecisionTuning: Tuning {
    /// Arrivals before a stream starts at the target instead of the profile's start delay. By hand.
    package var eventsBeforeTarget = 50
    /// Longest stretch concealed before looking again. By hand: half of a usual packet.
    package var step = 10.0
    /// Lateness up to which nothing is given up, even if the delay goes above the target by as much. By hand.
    package var nearMiss = 40.0
    /// How far above the target speech may go on after a longer gap. Measured: scripts/bench-receive, on recorded Wi-Fi and
    /// LTE: 0, 40, 100 and 150 ms give PESQ 0.09, 0.06, 0.10 and 0.12 over the line through fixed buffers.
    package var roomAfterLongMiss = 150.0
    /// Delay above the fastest packets that speech does not exceed after such a gap: the price of delay is steep there
    /// (ITU-T G.107).
    package var mostAfterLongMiss = 240.0
    /// How far above the target a talk spurt may begin that comes late after a pause of the sender, and how much of what a
    /// player missed while it stood still is kept: the next pause takes it back. By hand.
    package var roomAfterPause = 120.0
    /// A gap longer than this is an outage: the delay may be set anew. By hand.
    package var outage = 500.0
    /// The delay may exceed its target by this much, and by this share of the target, before sound is stretched. By hand:
    /// small on calm lines.
    package var deadZone = 0.5
    package var deadZoneShare = 0.08
    /// Share of the target's margin that the delay may fall short of without loss, before sound is stretched. By hand.
    package var shortfallShare = 0.75
    /// Share of the target's margin that may cover what the place below the target lacks. By hand.
    package var marginShare = 0.5
    /// What a move must win in delay before it is made for a lower cost alone. By hand.
    package var leastGain = 1.0
    /// How much more the lower place may cost where packets are lost: one more gap among many is less than it costs
    /// elsewhere. Measured: scripts/bench-receive; over random and bursty loss 8 ms made the delay 2 to 5 ms shorter and
    /// took 0.00 to 0.04 off PESQ.
    package var lossAllowance = 8.0

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("eventsBeforeTarget", \.eventsBeforeTarget, 0...10_000), .init("step", \.step, 1...100),
            .init("nearMiss", \.nearMiss, 0...1000), .init("roomAfterLongMiss", \.roomAfterLongMiss, 0...1000),
            .init("mostAfterLongMiss", \.mostAfterLongMiss, 0...2000),
            .init("roomAfterPause", \.roomAfterPause, 0...1000), .init("outage", \.outage, 20...10_000),
            .init("deadZone", \.deadZone, 0.1...100), .init("deadZoneShare", \.deadZoneShare, 0...1),
            .init("shortfallShare", \.shortfallShare, 0...10), .init("marginShare", \.marginShare, 0...1),
            .init("leastGain", \.leastGain, 0...100), .init("lossAllowance", \.lossAllowance, 0...1000),
        ]
    }
}
