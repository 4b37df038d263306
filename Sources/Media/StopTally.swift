import RTP
import Realtime

/// This machine's stops, for the next report to the other side.
package struct StopTally {
    /// That a stop was, or that none came after it, is news for so long after it, in milliseconds.
    package static let newsMilliseconds = 10_000.0
    /// How long it stood still since the call began, in milliseconds.
    package private(set) var totalMilliseconds = 0.0
    private var count = 0
    private var longest = 0.0
    private var unreported = 0.0
    /// The latest, in order.
    private var latest: [MachineStop] = []
    /// When the latest of all was over.
    private var lastEnd: HostTime?

    package init() {}

    /// The machine stood still.
    /// - Parameter stop: when.
    package mutating func note(_ stop: MachineStop) {
        let milliseconds = max(0, stop.milliseconds)
        totalMilliseconds += milliseconds
        count += 1
        longest = max(longest, milliseconds)
        unreported += milliseconds
        lastEnd = stop.end
        if latest.count == DelayLedgerMessage.RecentStops.mostListed { latest.removeFirst() }
        latest.append(stop)
    }

    /// Whether there was none since `take`.
    package var isEmpty: Bool { count == 0 }

    /// Whether the other side waits for a report: the sooner it knows, the less it pays for stops that are over.
    /// - Parameter now: when the report is made.
    package func isNews(at now: HostTime) -> Bool {
        lastEnd.map { now.milliseconds(since: $0) <= Self.newsMilliseconds } ?? false
    }

    /// The stops since this was asked last; nil: there were none.
    /// - Parameter now: when the report is made.
    package mutating func take(at now: HostTime) -> DelayLedgerMessage.RecentStops? {
        guard count > 0 else { return nil }
        defer { (count, longest, unreported, latest) = (0, 0, 0, []) }
        return DelayLedgerMessage.RecentStops(
            count: count, longestMilliseconds: whole(longest), totalMilliseconds: whole(unreported),
            latest: latest.map {
                DelayLedgerMessage.RecentStops.Stop(
                    agoMilliseconds: whole(now.milliseconds(since: $0.end)), milliseconds: whole($0.milliseconds))
            })
    }

    /// In whole milliseconds, no stop shorter than it was; within what any report holds.
    private func whole(_ milliseconds: Double) -> Int { Int(min(max(milliseconds, 0), 1e9).rounded(.up)) }
}

extension MachineStop {
    /// A stop that the other side told of, on this machine's clock: its report took as long to come as the packets that it held up.
    /// - Parameters:
    ///   - told: what the report says.
    ///   - arrival: when the report came.
    package init(_ told: DelayLedgerMessage.RecentStops.Stop, arrival: HostTime) {
        let end = arrival.advanced(byMilliseconds: -Double(told.agoMilliseconds))
        self.init(end: end, microseconds: 1000 * Double(told.milliseconds))
    }
}
