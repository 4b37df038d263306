public import Reporting

/// A value as somebody wrote it, before it is read.
public enum WrittenValue: Sendable, Equatable {
    /// On the command line, in a variable, or a plain value in a file.
    case text(String)
    /// A list, item by item.
    case items([String])
}

/// A written value that a form does not take.
public struct RefusedValue: Error, Sendable, Equatable {
    /// What was refused: the value, or one item of it.
    public var text: String
    /// Which item of a list.
    public var item: Int?

    public init(_ text: String, item: Int? = nil) {
        self.text = text
        self.item = item
    }
}

/// How an option looks on the command line and in a file.
public enum ValueShape: Sendable, Equatable {
    /// One value.
    case single
    /// Yes or no: `--name` and `--no-name`.
    case toggle
    /// Any number of values: the option repeated or commas between them, a list in a file.
    case list
}

/// What a key takes: how its values are read and written, and what they may be.
public struct ValueForm<Value: Sendable>: Sendable {
    public var shape = ValueShape.single
    /// Stands for the value in the help, such as `hz`.
    public var placeholder: String
    /// Completes "use ..." in a message.
    public var expectation: String
    /// The range and its unit, for the help; empty when there is none.
    public var range = ""
    /// Every value there is, when they are few.
    public var cases: [String] = []
    /// Whether the word `null` is a value: in YAML it otherwise says, without quotes, that nothing is chosen.
    var hasNull = false
    /// The value of what was written.
    let read: @Sendable (WrittenValue) throws(RefusedValue) -> Value
    /// The value as `read` takes it; `nil` where nothing is chosen.
    let write: @Sendable (Value) -> String?
    let json: @Sendable (Value) -> JSONValue

    /// A form of one plain value.
    /// - Parameter parse: `nil` refuses the text.
    public init(
        placeholder: String, expectation: String, parse: @escaping @Sendable (String) -> Value?,
        write: @escaping @Sendable (Value) -> String, json: (@Sendable (Value) -> JSONValue)? = nil
    ) {
        self.placeholder = placeholder
        self.expectation = expectation
        self.read = { written throws(RefusedValue) in
            switch written {
            case .text(let text):
                guard !text.utf8.contains(0), let value = parse(text) else { throw RefusedValue(text) }
                return value
            case .items(let items): throw RefusedValue(items.joined(separator: ","))
            }
        }
        self.write = write
        self.json = json ?? { .string(write($0)) }
    }

    private init(
        _ placeholder: String, _ expectation: String,
        read: @escaping @Sendable (WrittenValue) throws(RefusedValue) -> Value,
        write: @escaping @Sendable (Value) -> String?, json: @escaping @Sendable (Value) -> JSONValue
    ) {
        self.placeholder = placeholder
        self.expectation = expectation
        self.read = read
        self.write = write
        self.json = json
    }

    /// The same, where nothing may be chosen.
    var optional: ValueForm<Value?> {
        let form = self
        var result = ValueForm<Value?>(
            placeholder, expectation,
            read: { written throws(RefusedValue) in try form.read(written) },
            write: { $0.flatMap { form.write($0) } }, json: { $0.map { form.json($0) } ?? .null })
        (result.shape, result.range, result.cases, result.hasNull) = (shape, range, cases, hasNull)
        return result
    }
}

extension ValueForm {
    /// Any number of values of `form`.
    /// - Parameter expectation: completes "use ..." in a message.
    public static func list<Element>(
        of form: ValueForm<Element>, expectation: String
    ) -> ValueForm where Value == [Element] {
        var result = ValueForm<[Element]>(
            form.placeholder, expectation,
            read: { written throws(RefusedValue) in
                let items: [String] =
                    switch written {
                    case .text(let text): text.split(separator: ",").map { String($0).trimmed }
                    case .items(let items): items
                    }
                var values: [Element] = []
                for (index, item) in items.enumerated() {
                    do throws(RefusedValue) {
                        values.append(try form.read(.text(item)))
                    } catch {
                        throw RefusedValue(error.text, item: index)
                    }
                }
                return values
            },
            write: { $0.isEmpty ? nil : $0.compactMap { form.write($0) }.joined(separator: ",") },
            json: { .array($0.map { form.json($0) }) })
        result.shape = .list
        return result
    }
}

extension String {
    /// Without spaces at either end.
    var trimmed: String {
        var rest = self[...]
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
