import Reporting

/// Calls by SIP that nobody answered, by what was said instead.
package struct RefusedCalls {
    private var counts: [String: (calls: Int, text: String)] = [:]

    /// How many there are.
    package private(set) var count = 0

    package init() {}

    package mutating func add(_ ending: LoadEnding) {
        count += 1
        counts[ending.kind, default: (0, ending.text)].calls += 1
    }

    /// The most frequent first.
    private var sorted: [(kind: String, calls: Int, text: String)] {
        counts.map { ($0.key, $0.value.calls, $0.value.text) }
            .sorted { ($1.calls, $0.kind) < ($0.calls, $1.kind) }
    }

    /// `{"503": 3}`.
    package var json: JSONValue { .object(sorted.map { JSONMember($0.kind, .integer($0.calls)) }) }

    /// For a person; nil: there are none.
    package var line: String? {
        guard count > 0 else { return nil }
        return "refused: "
            + sorted.map { "\($0.calls) by \($0.kind)" + ($0.text.isEmpty ? "" : " (\($0.text))") }.joined(separator: ", ")
    }
}
