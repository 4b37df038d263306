public import Reporting

/// One thing that can be configured. The declaration is all there is to write: flag, variable, file entry, help and the
/// annotated file are made of it.
public struct ConfigurationKey<Value: Sendable>: Sendable {
    /// Snake case, different from every other key's. Flag and variable are made of it; in the file it stands in its
    /// section, without the section's name if it begins with that.
    public let name: String
    /// What it takes.
    public let form: ValueForm<Value>
    /// In force when nobody chooses.
    public let defaultValue: Value
    /// What happens when nobody chooses and there is no value for that.
    public let unset: String?
    /// A sentence without its full stop.
    public let help: String

    /// A key that always has a value.
    public init(_ name: String, _ form: ValueForm<Value>, default defaultValue: Value, help: String) {
        self.name = name
        self.form = form
        self.defaultValue = defaultValue
        self.help = help
        unset = nil
    }

    /// A key that has a value only when somebody chooses.
    /// - Parameter unset: what happens when nobody does.
    public init<Wrapped>(
        _ name: String, _ form: ValueForm<Wrapped>, unset: String, help: String
    ) where Value == Wrapped? {
        self.name = name
        self.form = form.optional
        self.help = help
        self.unset = unset
        defaultValue = nil
    }

    /// A list that is empty unless somebody fills it.
    /// - Parameter unset: what an empty list does.
    public init<Element>(
        _ name: String, _ form: ValueForm<Value>, unset: String, help: String
    ) where Value == [Element] {
        self.name = name
        self.form = form
        self.help = help
        self.unset = unset
        defaultValue = []
    }
}

/// A value that was read by its key.
public struct ReadValue: Sendable {
    /// Of the key's type.
    let value: any Sendable
    /// As a file would have it; `nil` when nothing is chosen.
    public let text: String?
    /// In its own JSON kind; null when nothing is chosen.
    public let json: JSONValue
}

/// A key whatever its values are: what flags, files and documentation are made of.
public protocol AnyConfigurationKey: Sendable {
    var name: String { get }
    var help: String { get }
    var unset: String? { get }
    var shape: ValueShape { get }
    var placeholder: String { get }
    var expectation: String { get }
    var range: String { get }
    var cases: [String] { get }
    /// Whether the word `null` is a value.
    var hasNull: Bool { get }
    /// What is in force when nobody chooses.
    var defaultRead: ReadValue { get }

    /// Reads what somebody wrote.
    func read(_ written: WrittenValue) throws(RefusedValue) -> ReadValue
}

extension AnyConfigurationKey {
    /// The command-line option, such as `--log-level`.
    public var flag: String { "--" + optionName }
    /// The same without dashes in front.
    public var optionName: String { String(name.map { $0 == "_" ? "-" : $0 }) }
    /// The environment variable, such as `YODEL_LOG_LEVEL`.
    public var variable: String { "YODEL_" + name.uppercased() }

    /// What is in force when nobody chooses, for people.
    public var defaultText: String {
        switch (unset, shape) {
        case (let unset?, _): unset
        case (nil, .toggle): defaultRead.json == .boolean(true) ? "yes" : "no"
        case (nil, _): defaultRead.text ?? ""
        }
    }
}

extension ConfigurationKey: AnyConfigurationKey {
    public var shape: ValueShape { form.shape }
    public var placeholder: String { form.placeholder }
    public var expectation: String { form.expectation }
    public var range: String { form.range }
    public var cases: [String] { form.cases }
    public var hasNull: Bool { form.hasNull }
    public var defaultRead: ReadValue { boxed(defaultValue) }

    public func read(_ written: WrittenValue) throws(RefusedValue) -> ReadValue { boxed(try form.read(written)) }

    private func boxed(_ value: Value) -> ReadValue {
        let text = form.write(value)
        return ReadValue(value: value, text: text, json: text == nil ? .null : form.json(value))
    }

    /// What this very key has read.
    func value(of read: ReadValue?) -> Value { read?.value as? Value ?? defaultValue }
}
