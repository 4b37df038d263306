/// Parameters `;name=value` of a URI or of a header field, in their order.
public struct Parameters: Hashable, Sendable {
    public struct Item: Hashable, Sendable {
        public let name: String
        /// As written: a quoted string keeps its quotes, an escape its percent sign. nil when there is no "=".
        public let value: String?

        public init(_ name: String, _ value: String?) {
            self.name = name
            self.value = value
        }
    }

    public private(set) var items: [Item]

    public init(_ items: [Item] = []) { self.items = items }

    /// Reads `;name[=value]` up to the end, or to a comma. nil when a parameter is empty or a quoted string not closed.
    /// A lenient reader passes over empty ones.
    init?(_ scanner: inout ByteScanner, lenient: Bool = false) {
        items = []
        while scanner.takeSeparator(UInt8(ascii: ";")) {
            guard let name = scanner.takeToken() else {
                if lenient { continue }
                return nil
            }
            guard scanner.takeSeparator(UInt8(ascii: "=")) else {
                items.append(Item(name, nil))
                continue
            }
            if scanner.current == ByteClass.quote {
                guard let quoted = scanner.takeQuoted() else { return nil }
                items.append(Item(name, quoted.text))
                continue
            }
            let value = scanner.takeWhile {
                !ByteClass.isFoldingSpace($0) && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",")
                    && $0 != ByteClass.quote && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">")
            }
            guard !value.isEmpty else {
                if lenient { continue }
                return nil
            }
            items.append(Item(name, value.text))
        }
    }

    /// Whether a parameter of that name is there, with a value or not.
    public func contains(_ name: String) -> Bool { items.contains { $0.name.equalsIgnoringCase(name) } }

    /// The value as written; nil when the parameter is absent or has none.
    public subscript(name: String) -> String? {
        get { items.first { $0.name.equalsIgnoringCase(name) }?.value }
        set { set(name, newValue) }
    }

    /// Sets `name`, or `name=value`; keeps the place of one that is there.
    public mutating func set(_ name: String, _ value: String?) {
        if let index = items.firstIndex(where: { $0.name.equalsIgnoringCase(name) }) {
            items[index] = Item(name, value)
        } else {
            items.append(Item(name, value))
        }
    }

    public mutating func remove(_ name: String) { items.removeAll { $0.name.equalsIgnoringCase(name) } }

    /// The value without the quotes and backslashes of a quoted string.
    public func unquoted(_ name: String) -> String? { self[name].map(QuotedString.content) }

    /// `;name=value` for each.
    public var text: String {
        items.map { item in item.value.map { ";\(item.name)=\($0)" } ?? ";\(item.name)" }.joined()
    }
}

/// Quoted strings, RFC 3261 section 25.1.
enum QuotedString {
    /// What the quotes hold, escapes undone; a text without quotes as it is.
    static func content(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard bytes.count >= 2, bytes.first == ByteClass.quote, bytes.last == ByteClass.quote else { return text }
        var content: [UInt8] = []
        var index = 1
        while index < bytes.count - 1 {
            if bytes[index] == ByteClass.backslash, index + 1 < bytes.count - 1 { index += 1 }
            content.append(bytes[index])
            index += 1
        }
        return content.text
    }

    /// `text` between quotes; what cannot stand there is escaped, and control characters become blanks.
    static func quoted(_ text: String) -> String {
        var output: [UInt8] = [ByteClass.quote]
        for byte in text.utf8 {
            if byte == ByteClass.quote || byte == ByteClass.backslash { output.append(ByteClass.backslash) }
            output.append(ByteClass.isControl(byte) ? ByteClass.space : byte)
        }
        output.append(ByteClass.quote)
        return output.text
    }
}
