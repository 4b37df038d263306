import Reporting

/// Answers as lines for people.
package enum ControlText {
    /// A list has a line for each of its things, anything else a line for each of its values; what is empty is left out.
    package static func lines(_ value: JSONValue) -> [String] {
        guard case .object(let members) = value else { return [plain(value)] }
        let lists = members.filter { if case .array = $0.value { true } else { false } }
        if let list = lists.first, case .array(let items) = list.value, members.count <= 3, isOfObjects(items) {
            let rest = members.filter { $0.name != list.name && $0.value != .null && $0.value != .integer(0) }
            return (items.isEmpty ? ["no \(list.name)"] : items.map(line)) + rest.map { "\($0.name): \(plain($0.value))" }
        }
        return members.filter { !isEmpty($0.value) }.map { "\($0.name): \(plain($0.value))" }
    }

    private static func isOfObjects(_ items: [JSONValue]) -> Bool {
        items.allSatisfy { if case .object = $0 { true } else { false } }
    }

    private static func line(_ value: JSONValue) -> String {
        guard case .object(let members) = value else { return plain(value) }
        return members.filter { !isEmpty($0.value) }.map { "\($0.name)=\(plain($0.value))" }.joined(separator: " ")
    }

    private static func isEmpty(_ value: JSONValue) -> Bool {
        switch value {
        case .null, .string(""), .array([]), .object([]), .boolean(false): true
        default: false
        }
    }

    private static func plain(_ value: JSONValue) -> String { if case .string(let text) = value { text } else { value.text } }
}
