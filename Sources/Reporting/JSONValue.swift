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
/// A value type of its own because every figure has its own number of decimals and assertions look values up by path;
/// Jansson writes the text (`JSONText.swift`).
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
}
