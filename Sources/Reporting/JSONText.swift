import CJansson
import Glibc

extension JSONValue {
    /// The value as one line of JSON, written by Jansson.
    public var text: String {
        guard let tree = makeTree() else { return "null" }
        defer { json_decref(tree) }
        guard let line = cjansson_line(tree) else { return "null" }
        defer { free(line) }
        return String(cString: line)
    }

    /// The same value as Jansson's, owned by the caller; `nil` when memory ran out.
    private func makeTree() -> UnsafeMutablePointer<json_t>? {
        switch self {
        case .null: json_null()
        case .boolean(let value): value ? json_true() : json_false()
        case .integer(let value): json_integer(json_int_t(value))
        case .number(let value): Self.makeNumber(value)
        case .string(let value): Self.withBytes(value) { json_stringn($0, $1) }
        case .array(let values): Self.makeArray(values)
        case .object(let members): Self.makeObject(members)
        }
    }

    /// Whole numbers lose the `.0` that Jansson gives every real.
    private static func makeNumber(_ value: Double) -> UnsafeMutablePointer<json_t>? {
        guard value.isFinite else { return json_null() }
        let exact = Double(1 << 53)
        if value.rounded() == value, abs(value) <= exact { return json_integer(json_int_t(value)) }
        return json_real(value)
    }

    // Appending takes over the element, even when it fails; a failure is memory that ran out and leaves the element out.

    private static func makeArray(_ values: [JSONValue]) -> UnsafeMutablePointer<json_t>? {
        guard let array = json_array() else { return nil }
        for value in values { json_array_append_new(array, value.makeTree()) }
        return array
    }

    private static func makeObject(_ members: [JSONMember]) -> UnsafeMutablePointer<json_t>? {
        guard let object = json_object() else { return nil }
        for member in members {
            let value = member.value.makeTree()
            _ = withBytes(member.name) { json_object_setn_new(object, $0, $1, value) }
        }
        return object
    }

    /// Runs `body` on the UTF-8 bytes of `text`, NUL among them if it has any.
    private static func withBytes<R>(_ text: String, _ body: (UnsafePointer<CChar>, Int) -> R) -> R {
        var text = text
        return text.withUTF8 { bytes in
            // An empty string may come without an address.
            guard let start = bytes.baseAddress else { return body("", 0) }
            return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { body($0, bytes.count) }
        }
    }
}
