internal import Reporting

/// How a list of calls is printed.
public enum HistoryForm: Sendable, CaseIterable {
    /// Lines for people.
    case text
    /// A line of JSON for each call, with its report.
    case json
    /// RFC 4180, with a line of names.
    case csv

    /// What stands before the first call; `nil`: nothing does.
    public var heading: String? {
        switch self {
        case .text, .json: nil
        case .csv: CallEntry.columns.joined(separator: ",")
        }
    }

    /// A call's line.
    public func line(_ call: CallEntry) -> String {
        switch self {
        case .text: Self.text(call)
        case .json: call.wholeJSON.text
        case .csv: call.values.map(Self.cell).joined(separator: ",")
        }
    }

    private static func text(_ call: CallEntry) -> String {
        var words = [
            call.started, call.direction == "incoming" ? "from" : "to", call.peer ?? "-", "as", call.account ?? "-",
            call.endReason ?? "running",
        ]
        if let code = call.sipCode { words.append("(\(code))") }
        if let seconds = call.durationSeconds { words.append("\(JSONValue.number(seconds, decimals: 1).text) s") }
        if let codec = call.codec { words.append(codec) }
        if let delay = call.mouthToEarMilliseconds { words.append("\(Int(delay.rounded())) ms") }
        if let gaps = call.gaps, gaps > 0 { words.append("\(gaps) gaps") }
        words.append(call.id)
        return words.joined(separator: " ")
    }

    private static func cell(_ value: JSONValue) -> String {
        guard case .string(var text) = value else { return value == .null ? "" : value.text }
        // What another side chose must not become a spreadsheet's formula. Those read scalars: a sign with a mark behind it is
        // another character, and the same scalar.
        if let first = text.unicodeScalars.first, "=+-@\t\r\n".unicodeScalars.contains(first) { text = "'" + text }
        guard text.unicodeScalars.contains(where: { $0 == "," || $0 == "\"" || Character($0).isNewline }) else { return text }
        var quoted = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.append(scalar) }
            quoted.append(scalar)
        }
        return "\"" + String(quoted) + "\""
    }
}
