import Realtime

/// The chances of one stream: what happens to its next packet.
struct NetworkEmulatorStream: Sendable {
    struct Fate {
        var isLost = false
        var isDuplicated = false
        var isReordered = false
        /// Milliseconds for the packet and for its second copy.
        var jitter = 0.0
        var secondJitter = 0.0
        var traceDelay = 0.0
    }

    private let conditions: NetworkConditions
    private let followsTrace: Bool
    private var losing = false
    private var traceIndex = 0
    private var loss: SplitMix64
    private var duplicate: SplitMix64
    private var reorder: SplitMix64
    private var jitter: SplitMix64

    init(conditions: NetworkConditions, seed: UInt64, stream: NetworkEmulator.Stream) {
        self.conditions = conditions
        followsTrace = stream == .rtp
        let base = UInt64(stream.rawValue) &* 16 &+ 1
        loss = SplitMix64(seed: seed, purpose: base)
        duplicate = SplitMix64(seed: seed, purpose: base &+ 1)
        reorder = SplitMix64(seed: seed, purpose: base &+ 2)
        jitter = SplitMix64(seed: seed, purpose: base &+ 3)
    }

    /// Every generator is drawn from for every packet, lost or not, so that the impairments stay independent.
    mutating func nextFate() -> Fate {
        var fate = Fate()
        fate.isLost = nextLoss()
        fate.isDuplicated = duplicate.unit() < conditions.duplicateRatio
        fate.isReordered = reorder.unit() < conditions.reorderRatio
        fate.jitter = jitter.unit() * conditions.jitterMilliseconds
        fate.secondJitter = jitter.unit() * conditions.jitterMilliseconds
        followTrace(&fate)
        return fate
    }

    /// Independent losses, or Gilbert's chain of two states: in the bad one everything is lost, and the chances of
    /// entering and leaving it give the mean burst length and the share of losses asked for.
    private mutating func nextLoss() -> Bool {
        let draw = loss.unit()
        let ratio = conditions.lossRatio
        guard let burst = conditions.meanBurstPackets, ratio < 1 else { return draw < ratio }
        let leave = 1 / burst
        let enter = ratio * leave / (1 - ratio)
        losing = losing ? draw >= leave : draw < enter
        return losing
    }

    /// The n-th RTP packet meets the trace's n-th row, from the start again when it ends. RTCP meets no row.
    private mutating func followTrace(_ fate: inout Fate) {
        guard followsTrace, let trace = conditions.trace else { return }
        if let delay = trace.delays[traceIndex] { fate.traceDelay = delay } else { fate.isLost = true }
        traceIndex = (traceIndex + 1) % trace.delays.count
    }
}
