/// How the losses of a stream cluster: RFC 3611 section 4.7.2's bursts and gaps, and plain runs. Lost and discarded (too
/// late) packets are both impairments; counts are since the stream began.
public struct LossPattern: Sendable, Hashable {
    /// Gmin: good packets in a row that end a burst, the RFC's recommended value.
    public static let gapThreshold = 16

    /// Packets judged.
    public private(set) var expected = 0
    /// Packets that never came.
    public private(set) var lost = 0
    /// Packets that came too late.
    public private(set) var discarded = 0

    private var runs = 0
    private var inRuns = 0
    private var previousWasBad = false

    private var burstPackets = 0
    private var burstLosses = 0
    private var bursts = 0
    private var gapPackets = 0
    private var gapLosses = 0
    private var gaps = 0
    private var gapLength = 0
    private var goodRun = 0
    private var clusterPackets = 0
    private var clusterLosses = 0

    public init() {}

    mutating func judge(isLost: Bool, isDiscarded: Bool) {
        expected += 1
        if isLost { lost += 1 }
        if isDiscarded { discarded += 1 }
        let isBad = isLost || isDiscarded
        defer { previousWasBad = isBad }
        guard isBad else {
            goodRun += 1
            return
        }
        if !previousWasBad { runs += 1 }
        inRuns += 1
        if clusterLosses > 0, goodRun < Self.gapThreshold {
            clusterPackets += goodRun + 1
            clusterLosses += 1
        } else {
            closeCluster()
            gapPackets += goodRun
            gapLength += goodRun
            clusterPackets = 1
            clusterLosses = 1
        }
        goodRun = 0
    }

    /// A packet that was judged lost came after all.
    mutating func noteLate() { lost = max(0, lost - 1) }
    /// And was too late.
    mutating func noteDiscardedLate() { discarded += 1 }

    /// An impairment alone belongs to the gap around it, two or more near each other are a burst.
    private mutating func closeCluster() {
        if clusterLosses == 1 {
            gapPackets += 1
            gapLength += 1
            gapLosses += 1
        } else if clusterLosses > 1 {
            burstPackets += clusterPackets
            burstLosses += clusterLosses
            bursts += 1
            if gapLength > 0 { gaps += 1 }
            gapLength = 0
        }
        clusterPackets = 0
        clusterLosses = 0
    }

    private var closed: LossPattern {
        var copy = self
        copy.closeCluster()
        copy.gapPackets += goodRun
        copy.gapLength += goodRun
        if copy.gapLength > 0 { copy.gaps += 1 }
        return copy
    }

    /// Bursts and gaps up to now; durations in packets.
    public var burstsAndGaps: BurstsAndGaps {
        let now = closed
        func ratio(_ part: Int, _ whole: Int) -> Double { whole == 0 ? 0 : Double(part) / Double(whole) }
        return BurstsAndGaps(
            burstDensity: ratio(now.burstLosses, now.burstPackets), gapDensity: ratio(now.gapLosses, now.gapPackets),
            burstPackets: ratio(now.burstPackets, now.bursts), gapPackets: ratio(now.gapPackets, now.gaps))
    }

    /// Impaired packets in a row, on average; nil when there was none.
    public var meanRun: Double? { runs == 0 ? nil : Double(inRuns) / Double(runs) }
    /// Lost of expected, 0...1; nil before a packet was judged.
    public var lostRatio: Double? { expected == 0 ? nil : Double(lost) / Double(expected) }
    /// Too late of expected, 0...1.
    public var discardedRatio: Double? { expected == 0 ? nil : Double(discarded) / Double(expected) }
}

/// RFC 3611 section 4.7.2.
public struct BurstsAndGaps: Sendable, Hashable {
    /// Impaired of the packets in bursts, 0...1.
    public let burstDensity: Double
    /// Impaired of the packets in gaps, 0...1.
    public let gapDensity: Double
    /// Mean length of a burst in packets; 0 when there was none.
    public let burstPackets: Double
    /// Mean length of a gap in packets.
    public let gapPackets: Double
}
