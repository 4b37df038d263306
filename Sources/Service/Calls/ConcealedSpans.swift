import Metrics
import Reporting
import Softphone

/// When sound of the other side was made up for, or missing, in a call, and why: by the seconds in which the call's figures are taken.
/// Seconds in a row with one cause are one span. What is beyond the limit is counted.
package struct ConcealedSpans: Sendable {
    package struct Span: Sendable, Equatable {
        package let from: Timestamp
        package var to: Timestamp
        /// Sound that was made up for within.
        package var milliseconds: Double
        package let cause: GapCause
        /// Packets that never came, and that came too late.
        package var lost: Int
        package var late: Int

        /// - Parameters:
        ///   - from: the figures before.
        ///   - to: the figures that tell of it.
        ///   - milliseconds: of sound that was made up for.
        ///   - cause: why.
        ///   - lost: packets that never came.
        ///   - late: packets that came too late.
        package init(from: Timestamp, to: Timestamp, milliseconds: Double, cause: GapCause, lost: Int, late: Int) {
            (self.from, self.to, self.milliseconds) = (from, to, milliseconds)
            (self.cause, self.lost, self.late) = (cause, lost, late)
        }

        var json: JSONValue {
            .object([
                JSONMember("from", .string(from.text)), JSONMember("to", .string(to.text)),
                JSONMember("ms", .number(milliseconds, decimals: 1)), JSONMember("cause", .string(cause.rawValue)),
                JSONMember("lost", .integer(lost)), JSONMember("late", .integer(late)),
            ])
        }
    }

    /// What the figures have counted so far.
    private struct Totals: Sendable {
        let time: Timestamp
        let milliseconds: Double
        let lost: Int
        let late: Int
        let playoutGaps: Int

        init(_ statistics: CallStatistics, _ time: Timestamp) {
            self.time = time
            milliseconds = statistics.concealedByReason.values.reduce(0, +)
            (lost, late) = (statistics.packetsLost ?? 0, statistics.packetsLate ?? 0)
            playoutGaps = statistics.playoutGaps ?? 0
        }
    }

    /// Spans of a call at most.
    package static let limit = 200
    /// Less is not to be heard.
    static let leastMilliseconds = 1.0

    package private(set) var spans: [Span] = []
    package private(set) var leftOut = 0
    private var last: Totals?
    private var interruption = LastInterruption()

    package init() {}

    /// Takes note of what a call told; figures count.
    /// - Parameters:
    ///   - event: of the call.
    ///   - isAnswered: whether the call was, before this.
    package mutating func note(_ event: PartyEvent, isAnswered: Bool) {
        interruption.note(event.body, at: event.time.millisecondsSince1970, isAnswered: isAnswered)
        guard case .stats(let statistics) = event.body else { return }
        let now = Totals(statistics, event.time)
        defer { last = now }
        // What was made up for before anybody looked has no time.
        guard let last else { return }
        // A call that moved on counts anew.
        func growth<Number: Comparable & SignedNumeric>(_ path: KeyPath<Totals, Number>) -> Number {
            max(0, now[keyPath: path] - last[keyPath: path])
        }
        let hasRunDry = growth(\.playoutGaps) > 0
        guard growth(\.milliseconds) >= Self.leastMilliseconds || hasRunDry else { return }
        let cause = interruption.cause(at: event.time.millisecondsSince1970) ?? (hasRunDry ? .machine : .network)
        add(
            Span(
                from: last.time, to: now.time, milliseconds: growth(\.milliseconds), cause: cause, lost: growth(\.lost),
                late: growth(\.late)))
    }

    private mutating func add(_ span: Span) {
        if let before = spans.last, before.to == span.from, before.cause == span.cause {
            spans[spans.count - 1].to = span.to
            spans[spans.count - 1].milliseconds += span.milliseconds
            spans[spans.count - 1].lost += span.lost
            spans[spans.count - 1].late += span.late
        } else if spans.count < Self.limit {
            spans.append(span)
        } else {
            leftOut += 1
        }
    }

    /// What stands beside the figures of a call that is over; nothing where nothing was made up for.
    var members: [JSONMember] {
        guard !spans.isEmpty else { return [] }
        return [
            JSONMember("concealed_spans", .array(spans.map(\.json))), JSONMember("concealed_spans_left_out", .integer(leftOut)),
        ]
    }
}
