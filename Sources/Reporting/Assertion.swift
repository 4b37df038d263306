/// Why an `--assert` expression cannot be used; nothing is started.
public enum AssertionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// It is not NAME OPERATOR VALUE: write it like `mouth_to_ear_ms<100`.
    case malformed(expression: String, reason: String)
    /// No such name in the report: take the hint, or a name of the report.
    case unknownName(expression: String, name: String, hint: String?)
    /// A number is compared with true or false, or the other way round.
    case wrongKind(expression: String, expected: String)

    public var description: String {
        switch self {
        case .malformed(let expression, let reason):
            "\(reason), in --assert '\(expression)'; write NAME OPERATOR VALUE, such as mouth_to_ear_ms<100"
        case .unknownName(let expression, let name, let hint):
            "unknown name \(name), in --assert '\(expression)'; "
                + (hint.map { "did you mean \($0)?" } ?? "the names are those of the report that --json prints")
        case .wrongKind(let expression, let expected):
            "wrong kind of value, in --assert '\(expression)'; \(expected)"
        }
    }
}

/// One threshold: a name of the report, an operator, a value.
public struct Assertion: Sendable, Equatable {
    public enum Operator: String, Sendable, CaseIterable {
        case lessOrEqual = "<="
        case greaterOrEqual = ">="
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case greater = ">"
    }

    public enum Operand: Sendable, Equatable {
        case number(Double)
        case flag(Bool)
    }

    /// As it was written, for the report.
    public let expression: String
    /// Dotted, such as `a_to_b.lost_ratio`.
    public let path: String
    public let comparison: Operator
    public let operand: Operand

    /// Reads `NAME OPERATOR VALUE`; spaces around the operator are allowed.
    ///
    /// - Parameter known: the names of the report that will be judged; anything else is refused with a hint.
    public init(parsing expression: String, known: [ComparablePath]) throws(AssertionError) {
        self.expression = expression
        guard let start = expression.firstIndex(where: { "<>=!".contains($0) }) else {
            throw .malformed(expression: expression, reason: "no operator (< <= > >= == !=)")
        }
        let rest = expression[start...]
        guard let comparison = Operator.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
            throw .malformed(expression: expression, reason: "unknown operator (there are < <= > >= == !=)")
        }
        self.comparison = comparison
        path = String(expression[..<start].trimmingSpaces)
        let text = rest.dropFirst(comparison.rawValue.count).trimmingSpaces
        switch text {
        case "true": operand = .flag(true)
        case "false": operand = .flag(false)
        default:
            guard let number = Double(String(text)), number.isFinite else {
                throw .malformed(expression: expression, reason: text.isEmpty ? "no value" : "\(text) is no number")
            }
            operand = .number(number)
        }
        if path.isEmpty { throw .malformed(expression: expression, reason: "no name") }
        guard let target = known.first(where: { $0.path == path }) else {
            let hint = nearestName(to: path, among: known.map(\.path))
            throw .unknownName(expression: expression, name: path, hint: hint)
        }
        switch (target.kind, operand) {
        case (.number, .number): break
        case (.flag, .flag):
            if comparison != .equal && comparison != .notEqual {
                throw .wrongKind(expression: expression, expected: "\(path) is true or false: use == or !=")
            }
        case (.number, .flag): throw .wrongKind(expression: expression, expected: "\(path) is a number")
        case (.flag, .number): throw .wrongKind(expression: expression, expected: "\(path) is true or false")
        }
    }

    /// Judges a call's report.
    public func evaluate(_ report: CallReport) -> AssertionOutcome {
        let value = report.measurements.value(at: path)
        return AssertionOutcome(expression: expression, value: value?.known, passed: holds(value))
    }

    /// Judges a value that was looked up by `path`; `nil`: it was not measured.
    public func evaluate(_ value: JSONValue?) -> AssertionOutcome {
        AssertionOutcome(expression: expression, value: value?.known, passed: holds(value))
    }

    /// Judges a loopback report. A name without a direction must hold in both; the value shown is the worse one.
    public func evaluate(_ report: LoopbackReport) -> AssertionOutcome {
        let measurements = report.measurements
        if let value = measurements.value(at: path) {
            return AssertionOutcome(expression: expression, value: value.known, passed: holds(value))
        }
        let values = LoopbackReport.directions.map { measurements.value(at: "\($0).\(path)") }
        let failing = values.filter { !holds($0) }
        // What is not known is worse than any value.
        let shown = failing.isEmpty ? values : failing
        let known = shown.compactMap { $0?.known }
        return AssertionOutcome(
            expression: expression, value: known.count == shown.count ? worst(of: known) : nil, passed: failing.isEmpty)
    }

    private func holds(_ value: JSONValue?) -> Bool {
        switch (value, operand) {
        case (.number(let found), .number(let wanted)): compare(found, wanted)
        case (.integer(let found), .number(let wanted)): compare(Double(found), wanted)
        case (.boolean(let found), .flag(let wanted)): (found == wanted) == (comparison == .equal)
        default: false
        }
    }

    private func compare(_ found: Double, _ wanted: Double) -> Bool {
        switch comparison {
        case .less: found < wanted
        case .lessOrEqual: found <= wanted
        case .greater: found > wanted
        case .greaterOrEqual: found >= wanted
        case .equal: found == wanted
        case .notEqual: found != wanted
        }
    }

    private func worst(of values: [JSONValue]) -> JSONValue? {
        let upwards = comparison == .less || comparison == .lessOrEqual
        return values.max { left, right in
            guard let a = left.double, let b = right.double else { return false }
            return upwards ? a < b : a > b
        }
    }
}

extension JSONValue {
    /// `nil` for null: a value that is not known.
    var known: JSONValue? { self == .null ? nil : self }

    /// The value as a number.
    var double: Double? {
        switch self {
        case .number(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }
}

extension Substring {
    /// Without spaces at either end.
    var trimmingSpaces: Substring {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text
    }
}
