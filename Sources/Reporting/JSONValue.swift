/// One named value of a JSON object.
public struct JSONMember: Sendable, Equatable {
    /// The member's name, in snake_case.
    public var name: String
    /// What it holds.
    public var value: JSONValue

    public init(_ name: String, _ value: JSONValue) {
        self.name = name
        self.value = value
    }
}

/// A JSON value (RFC 8259) whose objects keep their order, so that a line reads from the general to the particular
/// and two runs with the same figures print the same bytes.
///
/// Written here rather than through an encoder because every figure has its own number of decimals, and because the
/// larger Foundation would cost a call process a quarter of its memory budget.
public indirect enum JSONValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int)
    /// Not a number and infinities print as `null`: JSON has none.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    /// `value` rounded to `decimals` digits after the point.
    public static func number(_ value: Double, decimals: Int) -> JSONValue {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let rounded = (value * scale).rounded() / scale
        return .number(rounded == 0 ? 0 : rounded)
    }

    /// The value below this one at a dotted path such as `ledger_ms.sum`; `nil` when there is none.
    public func value(at path: String) -> JSONValue? {
        var current = self
        for name in path.split(separator: ".", omittingEmptySubsequences: false) {
            guard case .object(let members) = current, let member = members.first(where: { $0.name == name }) else {
                return nil
            }
            current = member.value
        }
        return current
    }

    /// The value as one line of JSON.
    public var text: String {
        var text = ""
        write(into: &text)
        return text
    }

    private func write(into text: inout String) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += JSONValue.decimal(value)
        case .string(let value): JSONValue.quote(value, into: &text)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(into: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                JSONValue.quote(member.name, into: &text)
                text += ":"
                member.value.write(into: &text)
            }
            text += "}"
        }
    }

    /// Shortest text that reads back as `value`, without a needless `.0`.
    static func decimal(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        let text = value.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func quote(_ string: String, into text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
