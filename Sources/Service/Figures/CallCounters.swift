import Media
import Realtime

/// Counts of calls since the start.
package final class CallCounters: Sendable {
    private struct State {
        var began: [CallRecord.Direction: Int] = [:]
        var ended: [String: Int] = [:]
    }

    private let state = Lock(State())

    package init() {}

    func noteBegin(_ direction: CallRecord.Direction) { state.withLock { $0.began[direction, default: 0] += 1 } }

    func noteEnd(_ record: CallRecord) {
        // A reason is one of a fixed list, so that the network cannot make new ones.
        let reason = record.endReason.flatMap { Media.EndReason(rawValue: $0) } ?? .localHangup
        state.withLock { $0.ended[reason.rawValue, default: 0] += 1 }
    }

    func began(_ direction: CallRecord.Direction) -> Int { state.withLock { $0.began[direction] ?? 0 } }
    func ended(_ reason: Media.EndReason) -> Int { state.withLock { $0.ended[reason.rawValue] ?? 0 } }
}
