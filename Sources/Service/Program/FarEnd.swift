import Metrics
import Realtime

/// How long sound takes from our side's microphone to the other side's ear.
package struct FarEnd: Sendable, Equatable {
    package var milliseconds: Double
    /// Whether the other side tells its part (RTCP XR and APP) and RTCP the network's; else some of it is estimated.
    package var isMeasured: Bool

    /// Where nothing is known: a frame and its encoding, a short way, a jitter buffer and a loudspeaker as they usually are, ms.
    private static let usualSending = 25.0
    private static let usualBuffer = 40.0
    private static let usualLoudspeaker = 20.0

    /// By a call's ledger: our part, the network's, and what the other side says of its own. Of that, the best that is known counts: its
    /// delay from socket to loudspeaker; its jitter buffer; ours of what comes from it.
    package init(_ statistics: CallStatistics) {
        let own = statistics.local?.sendDelayMilliseconds
        let network = statistics.ledger.network
        let theirs = statistics.remote?.receiveDelayMilliseconds
        let buffer = statistics.remote?.jitterBufferMilliseconds ?? statistics.ledger.jitterBuffer ?? Self.usualBuffer
        milliseconds = (own ?? Self.usualSending) + (network ?? 0) + (theirs ?? buffer + Self.usualLoudspeaker)
        isMeasured = own != nil && network != nil && theirs != nil
    }
}

/// Marks on their way from our side's microphone to the other side's ear; it knows no clock.
package struct MarksOnTheWay: Sendable {
    private var waiting: [(mark: HeardMark, due: HostTime)] = []

    package init() {}

    /// When the next one is heard; `nil`: none is on its way.
    package var next: HostTime? { waiting.first?.due }

    /// A mark's sound was at the microphone.
    /// - Parameters:
    ///   - time: when.
    ///   - farEnd: how long it takes from there.
    package mutating func add(_ name: String, at time: HostTime, _ farEnd: FarEnd) {
        let mark = HeardMark(name: name, delayMilliseconds: farEnd.milliseconds, isMeasured: farEnd.isMeasured)
        // The order is kept, whatever becomes of the delay.
        let due = time.advanced(byMilliseconds: farEnd.milliseconds)
        waiting.append((mark, waiting.last.map { max($0.due, due) } ?? due))
    }

    /// Those that have been heard by now.
    package mutating func take(at now: HostTime) -> [HeardMark] {
        let count = waiting.prefix { $0.due <= now }.count
        defer { waiting.removeFirst(count) }
        return waiting[..<count].map(\.mark)
    }
}
