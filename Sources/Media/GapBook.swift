import JitterBuffer
import Metrics
import Realtime

/// Books each gap in what is heard of a stream to who caused it: this machine, the sender's, or the network.
///
/// A gap is the machine's that stood still then, and at least as long. Stops of ours are known at once. Those of the sender come with
/// its next report, seconds after the gap (docs/rtcp-delay-app.md): until then a gap waits, and is booked once, so that the figures
/// only grow. A gap is the network's when the report says nothing of it, when none comes in time, when too many wait, and at once
/// where the sender tells nothing of itself. What still waits when the call is over is the network's too.
package struct GapBook {
    /// Gaps that wait, and stops of either side that are remembered.
    package static let mostWaiting = 32
    /// A report is waited for so long, in milliseconds: two of the longest intervals of RFC 3550 section 6.2, so that one may be lost.
    package static let patience = 20_000.0
    /// Concealed sound this close together, in milliseconds, is one gap: a device pulls in blocks of its own.
    private static let blockMilliseconds = 25.0
    /// A gap is at the time of a stop of ours when they are this close together, in milliseconds: what stood still is done soon after.
    private static let closeness = 10.0
    /// A report made so soon after a gap, in milliseconds, may not know of the stop yet.
    private static let noticeMilliseconds = 200.0

    private typealias Cause = WritableKeyPath<GapFigures, GapSum>

    private struct Gap {
        var begin: HostTime
        var end: HostTime
        var sum = GapSum()
    }

    private var booked = GapFigures()
    /// The one that goes on.
    private var open: Gap?
    /// Those whose cause the sender may tell, in order.
    private var waiting: [Gap] = []
    private var ownStops: [MachineStop] = []
    private var senderStops: [MachineStop] = []
    private var lastTold: HostTime?
    /// What of the concealed sound is known.
    private var seen = GapSum()
    /// What of it had been taken for a pause before.
    private var seenPauseMilliseconds = 0.0

    package init() {}

    /// This machine stood still.
    /// - Parameter stop: when.
    package mutating func note(_ stop: MachineStop) { Self.remember([stop], in: &ownStops) }

    /// A report of the sender came.
    /// - Parameters:
    ///   - stops: when its machine stood still since its report before, on our clock; empty: it did not.
    ///   - arrival: when the report came.
    package mutating func told(_ stops: [MachineStop], at arrival: HostTime) {
        lastTold = arrival
        Self.remember(stops, in: &senderStops)
        let all = waiting
        waiting = []
        for gap in all {
            if let cause = cause(of: gap) {
                booked[keyPath: cause].add(gap.sum)
            } else if arrival.milliseconds(since: gap.end) > Self.noticeMilliseconds {
                booked.network.add(gap.sum)
            } else {
                waiting.append(gap)
            }
        }
    }

    /// Sound was pulled.
    /// - Parameters:
    ///   - sound: the stream's totals after that.
    ///   - now: when.
    package mutating func pulled(_ sound: JitterBufferStatistics, at now: HostTime) {
        let milliseconds = sound.concealShortMs + sound.concealLongMs
        let made = milliseconds - seen.milliseconds
        if made > Self.leastMilliseconds {
            if sound.concealments > seen.count { close() }
            // What was taken for a pause was heard before now.
            let heard = min(made, max(0, sound.concealedPauseMs - seenPauseMilliseconds))
            let begin = now.advanced(byMilliseconds: -heard)
            var gap = open ?? Gap(begin: begin, end: now)
            gap.begin = min(gap.begin, begin)
            gap.sum.add(
                GapSum(count: sound.concealments - seen.count, long: sound.longConcealments - seen.long, milliseconds: made))
            gap.end = now.advanced(byMilliseconds: made - heard)
            open = gap
            seenPauseMilliseconds = sound.concealedPauseMs
            seen = GapSum(count: sound.concealments, long: sound.longConcealments, milliseconds: milliseconds)
        } else if let open, now.milliseconds(since: open.end) > Self.blockMilliseconds {
            close()
        }
        while let first = waiting.first, now.milliseconds(since: first.end) > Self.patience { giveUp() }
    }

    /// Less than a sample lasts, in milliseconds: a sum's rounding is no sound.
    private static let leastMilliseconds = 0.001

    /// What is booked.
    /// - Parameter isOver: whether nothing more comes.
    package func figures(isOver: Bool) -> GapFigures {
        guard isOver else { return booked }
        var all = booked
        for gap in waiting + [open].compactMap(\.self) { all[keyPath: cause(of: gap) ?? \.network].add(gap.sum) }
        return all
    }

    private mutating func close() {
        guard let gap = open else { return }
        open = nil
        if let cause = cause(of: gap) {
            booked[keyPath: cause].add(gap.sum)
        } else if let lastTold, gap.end.milliseconds(since: lastTold) <= Self.patience {
            waiting.append(gap)
            if waiting.count > Self.mostWaiting { giveUp() }
        } else {
            booked.network.add(gap.sum)
        }
    }

    /// Nobody told of the oldest.
    private mutating func giveUp() { booked.network.add(waiting.removeFirst().sum) }

    /// Whose stop explains a gap; `nil`: none that is known.
    private func cause(of gap: Gap) -> Cause? {
        if ownStops.contains(where: { Self.explains($0, gap, within: Self.closeness) }) { return \.machine }
        return senderStops.contains { Self.explains($0, gap, within: MachineStop.closeness) } ? \.sender : nil
    }

    private static func explains(_ stop: MachineStop, _ gap: Gap, within milliseconds: Double) -> Bool {
        gap.begin.milliseconds(since: stop.end) <= milliseconds && stop.begin.milliseconds(since: gap.end) <= milliseconds
            && gap.sum.milliseconds <= stop.milliseconds
    }

    private static func remember(_ stops: [MachineStop], in memory: inout [MachineStop]) {
        memory += stops
        if memory.count > mostWaiting { memory.removeFirst(memory.count - mostWaiting) }
    }
}
