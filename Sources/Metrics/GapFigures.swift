/// Gaps in what was heard, by who caused them.
///
/// A gap is sound that was made up because packets were missing, or silence because the loudspeaker had nothing to play.
public struct GapFigures: Sendable, Equatable {
    /// This machine stood still, or its device had nothing.
    public var machine = GapSum()
    /// Packets were lost, or held up on their way; also where nobody knows better.
    public var network = GapSum()
    /// The sender's machine stood still, as it told.
    public var sender = GapSum()

    public init() {}
}

/// Gaps of one cause.
public struct GapSum: Sendable, Equatable {
    /// How many began, whatever their length.
    public var count: Int
    /// Those of them in which sound was made up for more than 60 ms.
    public var long: Int
    /// How long they were together, ms.
    public var milliseconds: Double

    /// So many gaps.
    /// - Parameters:
    ///   - count: how many began.
    ///   - long: those in which sound was made up for more than 60 ms.
    ///   - milliseconds: how long they were together.
    public init(count: Int = 0, long: Int = 0, milliseconds: Double = 0) {
        self.count = count
        self.long = long
        self.milliseconds = milliseconds
    }

    /// Adds other gaps of the same cause.
    /// - Parameter other: what is added.
    public mutating func add(_ other: GapSum) {
        count += other.count
        long += other.long
        milliseconds += other.milliseconds
    }
}

extension CallStatistics {
    /// Adds what the loudspeaker did not get to this machine's gaps: `playoutGaps` and the underruns of the device, which are known.
    public mutating func bookPlayoutGaps() {
        gapsByCause?.machine.add(GapSum(count: playoutGaps ?? 0, milliseconds: playoutGapMilliseconds ?? 0))
        gapsByCause?.machine.add(GapSum(count: xruns.playback ?? 0, milliseconds: xruns.silentMilliseconds ?? 0))
    }
}
