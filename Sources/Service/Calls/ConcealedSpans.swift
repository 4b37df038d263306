import Metrics
import Reporting
import Softphone

/// When sound of the other side was made up for, or missing, in a call, and why: by the seconds in which the call's figures are taken.
/// Seconds in a row with one cause are one span. What is beyond the limit is counted.
///
/// An event explains a second at once. That the sender's machine stood still, the call may only know seconds later (`gapsByCause`): until
/// then a second is the network's, and waits.
package struct ConcealedSpans: Sendable {
    package struct Span: Sendable, Equatable {
        package let from: Timestamp
        package var to: Timestamp
        /// Sound that was made up for within.
        package var milliseconds: Double
        package fileprivate(set) var cause: GapCause
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
        /// Of the gaps that are the sender's; `nil`: the call does not tell.
        let senderMilliseconds: Double?

        init(_ statistics: CallStatistics, _ time: Timestamp) {
            self.time = time
            milliseconds = statistics.concealedByReason.values.reduce(0, +)
            (lost, late) = (statistics.packetsLost ?? 0, statistics.packetsLate ?? 0)
            playoutGaps = statistics.playoutGaps ?? 0
            senderMilliseconds = statistics.gapsByCause?.sender.milliseconds
        }
    }

    /// Spans in the order of their times.
    private struct Row: Sendable {
        var spans: [Span] = []
        var leftOut = 0

        mutating func add(_ span: Span) {
            if let before = spans.last, before.to == span.from, before.cause == span.cause {
                spans[spans.count - 1].to = span.to
                spans[spans.count - 1].milliseconds += span.milliseconds
                spans[spans.count - 1].lost += span.lost
                spans[spans.count - 1].late += span.late
            } else if spans.count < ConcealedSpans.limit {
                spans.append(span)
            } else {
                leftOut += 1
            }
        }
    }

    /// A second whose gaps may still turn out to be the sender's.
    private struct Waiting: Sendable {
        var span: Span
        /// Nothing else explained it.
        let isUnexplained: Bool
        /// What the sender has not been found to have caused of it.
        var milliseconds: Double
    }

    /// Spans of a call at most.
    package static let limit = 200
    /// Less is not to be heard.
    static let leastMilliseconds = 1.0
    /// How long a second waits for the sender's word, ms: no longer than the call's own book of gaps waits, and the figures after that.
    static let patienceMilliseconds: Int64 = 23_000
    /// Seconds that wait at most.
    static let mostWaiting = 64

    private var settled = Row()
    private var waiting: [Waiting] = []
    private var last: Totals?
    private var interruption = LastInterruption()

    package init() {}

    package var spans: [Span] { row.spans }
    package var leftOut: Int { row.leftOut }

    /// All, as far as is known now.
    private var row: Row { waiting.reduce(into: settled) { $0.add($1.span) } }

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
        noteGrowth(from: last, to: now)
        while let first = waiting.first, isOver(first, at: now) { settled.add(waiting.removeFirst().span) }
    }

    /// Whether nobody tells any more that the first second that waits was the sender's. The clock may be set back meanwhile.
    private func isOver(_ first: Waiting, at now: Totals) -> Bool {
        now.senderMilliseconds == nil || waiting.count > Self.mostWaiting
            || now.time.millisecondsSince1970 - first.span.to.millisecondsSince1970 > Self.patienceMilliseconds
    }

    private mutating func noteGrowth(from last: Totals, to now: Totals) {
        // A call that moved on counts anew.
        func growth<Number: Comparable & SignedNumeric>(_ path: KeyPath<Totals, Number>) -> Number {
            max(0, now[keyPath: path] - last[keyPath: path])
        }
        let hasRunDry = growth(\.playoutGaps) > 0
        let made = growth(\.milliseconds)
        if made >= Self.leastMilliseconds || hasRunDry {
            let explained = interruption.cause(at: now.time.millisecondsSince1970) ?? (hasRunDry ? .machine : nil)
            let span = Span(
                from: begin(of: made, from: last.time, to: now.time), to: now.time, milliseconds: made,
                cause: explained ?? .network, lost: growth(\.lost), late: growth(\.late))
            waiting.append(Waiting(span: span, isUnexplained: explained == nil, milliseconds: span.milliseconds))
        }
        book(max(0, (now.senderMilliseconds ?? 0) - (last.senderMilliseconds ?? 0)))
    }

    /// What was taken for a pause is told of at once when it turns out to be none: where it is clearly more than the time since the last
    /// figures, it began before.
    private func begin(of milliseconds: Double, from: Timestamp, to: Timestamp) -> Timestamp {
        guard milliseconds > Double(to.millisecondsSince1970 - from.millisecondsSince1970) + 100 else { return from }
        let former = (waiting.last?.span ?? settled.spans.last)?.to.millisecondsSince1970 ?? .min
        let begin = max(former, to.millisecondsSince1970 - Int64(milliseconds))
        return Timestamp(millisecondsSince1970: min(from.millisecondsSince1970, begin))
    }

    /// Finds the seconds that the sender turned out to have caused. The call tells how long their gaps were, not when: those that the
    /// gaps fill best are taken, the longest first.
    private mutating func book(_ milliseconds: Double) {
        var rest = milliseconds
        while rest >= Self.leastMilliseconds {
            let fitting = waiting.indices.filter {
                waiting[$0].milliseconds >= Self.leastMilliseconds && waiting[$0].milliseconds <= rest + Self.leastMilliseconds
            }
            guard let index = fitting.max(by: { waiting[$0].milliseconds < waiting[$1].milliseconds }) else { break }
            rest -= waiting[index].milliseconds
            blame(index)
        }
        // Other gaps fell into the same second: it is the sender's if most of it is.
        guard rest >= Self.leastMilliseconds else { return }
        let larger = waiting.indices.filter { waiting[$0].milliseconds > rest }
        guard let index = larger.min(by: { waiting[$0].milliseconds < waiting[$1].milliseconds }) else { return }
        if 2 * rest >= waiting[index].span.milliseconds { blame(index) } else { waiting[index].milliseconds -= rest }
    }

    private mutating func blame(_ index: Int) {
        waiting[index].milliseconds = 0
        if waiting[index].isUnexplained { waiting[index].span.cause = .sender }
    }

    /// What stands beside the figures of a call that is over; nothing where nothing was made up for.
    var members: [JSONMember] {
        let row = row
        guard !row.spans.isEmpty else { return [] }
        return [
            JSONMember("concealed_spans", .array(row.spans.map(\.json))),
            JSONMember("concealed_spans_left_out", .integer(row.leftOut)),
        ]
    }
}
