import Realtime

/// When calls of a load heard gaps: whether all did at once, as when a machine stands still, or one now and then.
package struct GapTimes: Sendable {
    /// Gaps that ended within one step.
    package struct Moment: Sendable, Equatable {
        /// Seconds since the first packet of the load left.
        package let seconds: Double
        package let gaps: Int
    }

    /// Gaps of one call whose time is kept, and moments that are told; all are counted.
    static let mostOfCall = 256
    static let mostTold = 1000
    /// So finely moments are told apart, in milliseconds.
    private static let step = 100.0

    private var times: [HostTime] = []
    private var began: HostTime?

    package init() {}

    /// A call's gaps.
    /// - Parameters:
    ///   - times: when each ended.
    ///   - firstSent: when its first packet left; nil: none did.
    mutating func add(_ times: [HostTime], ofCallFrom firstSent: HostTime?) {
        self.times += times
        if let firstSent { began = min(began ?? firstSent, firstSent) }
    }

    /// The first `mostTold` of them, in their order.
    package var moments: [Moment] {
        guard let began else { return [] }
        var counts: [Int: Int] = [:]
        for time in times { counts[Int(max(0, time.milliseconds(since: began)) / Self.step), default: 0] += 1 }
        return counts.sorted { $0.key < $1.key }.prefix(Self.mostTold)
            .map { Moment(seconds: Double($0.key) * Self.step / 1000, gaps: $0.value) }
    }
}
