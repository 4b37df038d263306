import CJansson

extension JSONValue {
    /// Reads `text`, which holds one value of any kind; read by Jansson. Refused are member
    /// names that stand twice or hold U+0000, and numbers that neither 64 bits nor a double can have.
    public init(reading text: String, limits: JSONLimits = JSONLimits()) throws(JSONReadError) {
        self = try JSONDocument(reading: Array(text.utf8), limits: limits).value
    }
}

/// A JSON text that was read: its value, and the line of everything in it.
public struct JSONDocument: Sendable, Equatable {
    public let value: JSONValue
    /// Line (from 1) of each value, in the order in which they begin; before a member's value comes its name.
    public let lines: [Int]

    /// Reads `bytes`, UTF-8 that holds one value of any kind.
    public init(reading bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONReadError) {
        guard bytes.count <= limits.bytes else {
            throw JSONReadError(line: 1, column: 0, reason: "longer than \(limits.bytes) bytes")
        }
        guard !bytes.isEmpty else { throw JSONReadError(line: 1, column: 0, reason: "there is nothing in it") }
        let tokens = try JSONTokens(bytes, maximumDepth: limits.depth)
        var error = json_error_t()
        let read = bytes.withUnsafeBytes { buffer in
            buffer.bindMemory(to: CChar.self).baseAddress.flatMap { cjansson_read($0, bytes.count, &error) }
        }
        guard let tree = read else {
            throw JSONReadError(
                line: max(1, Int(error.line)), column: max(0, Int(error.column)),
                reason: String(cString: cjansson_reason(&error)))
        }
        defer { json_decref(tree) }
        value = JSONValue(tree)
        lines = tokens.lines
    }
}

extension JSONValue {
    /// Copies Jansson's tree, whose depth has been checked.
    fileprivate init(_ tree: UnsafeMutablePointer<json_t>) {
        switch cjansson_type(tree) {
        case JSON_OBJECT: self = .object(Self.members(tree))
        case JSON_ARRAY:
            self = .array((0..<json_array_size(tree)).map { json_array_get(tree, $0).map(JSONValue.init) ?? .null })
        case JSON_STRING: self = .string(Self.text(json_string_value(tree), json_string_length(tree)))
        case JSON_INTEGER: self = .integer(Int(json_integer_value(tree)))
        case JSON_REAL: self = .number(json_real_value(tree))
        case JSON_TRUE: self = .boolean(true)
        case JSON_FALSE: self = .boolean(false)
        default: self = .null
        }
    }

    /// In the order of the text, which Jansson keeps.
    private static func members(_ tree: UnsafeMutablePointer<json_t>) -> [JSONMember] {
        var members: [JSONMember] = []
        var place = json_object_iter(tree)
        while let here = place {
            let name = text(json_object_iter_key(here), json_object_iter_key_len(here))
            members.append(JSONMember(name, json_object_iter_value(here).map(JSONValue.init) ?? .null))
            place = json_object_iter_next(tree, here)
        }
        return members
    }

    /// `length` bytes of UTF-8, NUL among them if there are any.
    private static func text(_ start: UnsafePointer<CChar>?, _ length: Int) -> String {
        guard let start else { return "" }
        return start.withMemoryRebound(to: UInt8.self, capacity: length) {
            String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
        }
    }
}
