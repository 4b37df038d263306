import Media
import Realtime
import Reporting
import Softphone

/// Counts of calls since the start.
package final class CallCounters: Sendable {
    private struct State {
        var began: [CallRecord.Direction: Int] = [:]
        var ended: [String: Int] = [:]
        var refused: [Refusal: Int] = [:]
        var figures = CallFigures()
    }

    /// Why a call had no place.
    package enum Refusal: String, CaseIterable, Sendable {
        /// As many run as `softphone.calls` allows.
        case full
        /// The turns of the calls that run come late, or there is work nearly all of the time.
        case late
        /// The process nears its limit on memory.
        case memory
        /// The service is ending.
        case draining
        /// More went out within a minute than `softphone.calls_per_minute` allows.
        case pace
    }

    private let state = Lock(State())

    package init() {}

    func noteBegin(_ direction: CallRecord.Direction) { state.withLock { $0.began[direction, default: 0] += 1 } }

    func noteRefusal(_ refusal: Refusal) { state.withLock { $0.refused[refusal, default: 0] += 1 } }

    package func refused(_ refusal: Refusal) -> Int { state.withLock { $0.refused[refusal] ?? 0 } }

    func noteEnd(_ record: CallRecord) {
        // A reason is one of a fixed list, so that the network cannot make new ones.
        let reason = record.endReason.flatMap { Media.EndReason(rawValue: $0) } ?? .localHangup
        state.withLock { $0.ended[reason.rawValue, default: 0] += 1 }
    }

    /// Takes note of what a call told.
    /// - Parameter record: knows of it already.
    package func note(_ event: PartyEvent, of record: CallRecord) {
        let news = PartyNews(body: event.body, milliseconds: event.time.millisecondsSince1970)
        state.withLock { $0.figures.note(news, of: record) }
    }

    /// Takes a call's report; nothing comes of the call any more.
    package func noteClosed(_ record: CallRecord, _ report: CallReport?) {
        state.withLock { $0.figures.noteEnd(report, of: record) }
    }

    var figures: CallFigures { state.withLock { $0.figures } }

    func began(_ direction: CallRecord.Direction) -> Int { state.withLock { $0.began[direction] ?? 0 } }
    func ended(_ reason: Media.EndReason) -> Int { state.withLock { $0.ended[reason.rawValue] ?? 0 } }
}
