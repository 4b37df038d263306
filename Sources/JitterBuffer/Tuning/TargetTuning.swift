import DSP

/// Numbers of `TargetDelay`; what late packets are worth is `LatencyProfile`'s.
package struct TargetTuning: Tuning {
    /// How often the target is worked out, in milliseconds. By hand.
    package var interval = 40.0
    /// Packetisation that the cost of delay starts from, in milliseconds: the usual.
    package var packet = 20.0
    /// Delay up to which a millisecond costs 1, and what it costs beyond: the shape of the E-model's delay impairment
    /// (ITU-T G.107).
    package var freeDelay = 150.0
    package var steepPrice = 2.5
    /// What is expected of a calm line beyond what was seen: so many late packets, thinning out by e over so many
    /// milliseconds. Measured: scripts/bench-receive. The first spike of a call is seldom its highest, and each one that
    /// exceeds the target costs a shift in speech.
    package var calmLatePackets = 1.0
    package var calmLateScale = 20.0
    /// The same of a line whose spread reached `wildSpread` milliseconds; in between lines are in between.
    package var wildLatePackets = 8.0
    package var wildLateScale = 100.0
    package var wildSpread = 100.0
    /// Loss from which packets come late because they are repaired, 0...1: that delay has an end and bodes nothing worse.
    /// By hand.
    package var repairedLoss = 0.05
    /// Loss from which a wider margin buys nothing that is heard, 0...1. Measured: scripts/bench-receive.
    package var leastLoss = 0.01
    /// Margin over the delay that costs least, in milliseconds: at least, at most beyond that, and as a share of the delay.
    /// Measured: scripts/bench-receive.
    package var leastMargin = 2.0
    package var extraMargin = 6.0
    package var marginShare = 0.3
    /// Share of late packets beyond which the delays are held to end. By hand.
    package var tail = 0.05
    /// Share of the weight that a bin must exceed to count as seen. By hand.
    package var leastShare = 1e-4
    /// What the start delay exceeds the highest delay that is looked at before anything was seen, in milliseconds. By hand.
    package var startMargin = 5.0

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("interval", \.interval, 1...10_000), .init("packet", \.packet, 0...120),
            .init("freeDelay", \.freeDelay, 0...1000), .init("steepPrice", \.steepPrice, 0...100),
            .init("calmLatePackets", \.calmLatePackets, 0...1000), .init("calmLateScale", \.calmLateScale, 1...10_000),
            .init("wildLatePackets", \.wildLatePackets, 0...1000), .init("wildLateScale", \.wildLateScale, 1...10_000),
            .init("wildSpread", \.wildSpread, 1...1000), .init("repairedLoss", \.repairedLoss, 1e-6...1),
            .init("leastLoss", \.leastLoss, 0...1), .init("leastMargin", \.leastMargin, 0...100),
            .init("extraMargin", \.extraMargin, 0...100), .init("marginShare", \.marginShare, 0...1),
            .init("tail", \.tail, 0...1), .init("leastShare", \.leastShare, 0...0.1),
            .init("startMargin", \.startMargin, 0...10),
        ]
    }
}
