/// How one `--assert` expression went.
public struct AssertionOutcome: Sendable, Equatable {
    /// The expression as it was written.
    public var expression: String
    /// What was found; `nil` when it was not measured, which fails.
    public var value: JSONValue?
    public var passed: Bool

    public init(expression: String, value: JSONValue?, passed: Bool) {
        self.expression = expression
        self.value = value
        self.passed = passed
    }

    /// `value` is null when it was not measured.
    public var json: JSONValue {
        .object([
            JSONMember("expression", .string(expression)),
            JSONMember("value", value ?? .null),
            JSONMember("passed", .boolean(passed)),
        ])
    }
}
