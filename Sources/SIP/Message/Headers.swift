/// One header field as it stands in a message.
public struct HeaderField: Hashable, Sendable {
    public let name: HeaderName
    /// The value as received, folds included, without the white space around it.
    public let raw: ArraySlice<UInt8>

    /// A field of a received message. The parser has checked `raw` for control characters.
    init(name: HeaderName, raw: ArraySlice<UInt8>) {
        self.name = name
        self.raw = raw
    }

    /// A field of a message that is built here. Control characters become blanks: no value can start a line of its own.
    public init(_ name: HeaderName, _ value: String) {
        self.name = name
        var octets = Array(value.utf8)
        for index in octets.indices where ByteClass.isControl(octets[index]) { octets[index] = ByteClass.space }
        raw = octets[...]
    }

    /// The value with each fold as one blank (RFC 3261 section 7.3.1).
    public var text: String {
        guard raw.contains(ByteClass.carriageReturn) else { return raw.text }
        var unfolded: [UInt8] = []
        var scanner = ByteScanner(raw)
        while let byte = scanner.current {
            if byte == ByteClass.carriageReturn {
                scanner.skipSpace()
                while let last = unfolded.last, ByteClass.isBlank(last) { unfolded.removeLast() }
                unfolded.append(ByteClass.space)
            } else {
                unfolded.append(byte)
                scanner.advance()
            }
        }
        return unfolded.text
    }
}

/// The header fields of a message in their order.
public struct Headers: Hashable, Sendable {
    public private(set) var fields: [HeaderField]

    public init(_ fields: [HeaderField] = []) { self.fields = fields }

    /// The first field of that name.
    public func first(_ name: HeaderName) -> HeaderField? { fields.first { $0.name == name } }

    /// Every field of that name, in order.
    public func all(_ name: HeaderName) -> [HeaderField] { fields.filter { $0.name == name } }

    /// The first value of that name as text.
    public func text(_ name: HeaderName) -> String? { first(name)?.text }

    public func contains(_ name: HeaderName) -> Bool { fields.contains { $0.name == name } }

    /// The elements of a comma list over all fields of that name; nil when one is not well formed.
    func elements(_ name: HeaderName) -> [ArraySlice<UInt8>]? {
        var found: [ArraySlice<UInt8>] = []
        for field in fields where field.name == name {
            guard let part = ByteScanner.elements(of: field.raw) else { return nil }
            found += part.filter { !$0.isEmpty }
        }
        return found
    }

    /// The tokens of a comma list (Require, Supported, Allow, Unsupported ...), empty elements left out.
    public func tokens(_ name: HeaderName) -> [String] { (elements(name) ?? []).map(\.text) }

    /// Whether a comma list has `token`, without case.
    public func lists(_ token: String, in name: HeaderName) -> Bool {
        tokens(name).contains { $0.equalsIgnoringCase(token) }
    }

    public mutating func append(_ name: HeaderName, _ value: String) { fields.append(HeaderField(name, value)) }

    public mutating func append(_ field: HeaderField) { fields.append(field) }

    /// Puts a field before all others (Via).
    public mutating func prepend(_ name: HeaderName, _ value: String) { fields.insert(HeaderField(name, value), at: 0) }

    /// Replaces every field of that name by one; it keeps the first one's place.
    public mutating func set(_ name: HeaderName, _ value: String) {
        let field = HeaderField(name, value)
        guard let index = fields.firstIndex(where: { $0.name == name }) else {
            fields.append(field)
            return
        }
        fields[index] = field
        if let next = fields.index(index, offsetBy: 1, limitedBy: fields.endIndex) {
            let tail = fields[next...].filter { $0.name != name }
            fields.replaceSubrange(next..., with: tail)
        }
    }

    public mutating func remove(_ name: HeaderName) { fields.removeAll { $0.name == name } }
}
