import Reporting

/// The fields of a request's JSON body. A name that looks like a misspelt one is refused; others that nobody knows are ignored.
package struct BodyFields: Sendable {
    private let members: [JSONMember]
    /// Where these stand in the body: empty at its top.
    private let prefix: String

    package static let limits = JSONLimits(bytes: 64 * 1024, depth: 16)

    /// - Parameter known: every field that the route knows.
    package init(_ request: APIRequest, known: [String]) throws(Problem) {
        guard !request.body.isEmpty else {
            try self.init([], known: known, prefix: "")
            return
        }
        let kind = request.headers["content-type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard kind == "application/json" else {
            throw Problem(
                415, "the body is not JSON", "this route takes application/json, not '\((kind ?? "").prefix(80))'",
                at: "Content-Type")
        }
        let value: JSONValue
        do {
            value = try JSONDocument(reading: request.body, limits: Self.limits).value
        } catch {
            throw Problem(400, "the body is not JSON", "\(error)")
        }
        guard case .object(let members) = value else {
            throw Problem(400, "the body is no JSON object", "write {...} with: \(known.joined(separator: ", "))")
        }
        try self.init(members, known: known, prefix: "")
    }

    private init(_ members: [JSONMember], known: [String], prefix: String) throws(Problem) {
        for member in members where !known.contains(member.name) {
            guard let near = nearestName(to: member.name, among: known) else { continue }
            throw .badField(
                prefix + member.name, "there is no field '\(member.name.prefix(80))'; did you mean '\(near)'?")
        }
        (self.members, self.prefix) = (members, prefix)
    }

    private func value(_ name: String) -> JSONValue? {
        let value = members.first { $0.name == name }?.value
        return value == .null ? nil : value
    }

    /// A text; `nil`: not given.
    package func text(_ name: String, limit: Int = 1024) throws(Problem) -> String? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value else { throw .badField(prefix + name, "'\(name)' is a text; write \"...\"") }
        guard text.utf8.count <= limit, !text.utf8.contains(where: { $0 < 32 || $0 == 127 }) else {
            throw .badField(prefix + name, "'\(name)' has at most \(limit) bytes, and no control characters")
        }
        return text
    }

    /// A text that may have several lines; `nil`: not given.
    package func lines(_ name: String, limit: Int) throws(Problem) -> String? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value else { throw .badField(prefix + name, "'\(name)' is a text; write \"...\"") }
        guard text.utf8.count <= limit, !text.utf8.contains(where: { $0 < 32 && $0 != 10 && $0 != 9 || $0 == 127 }) else {
            throw .badField(
                prefix + name, "'\(name)' has at most \(limit) bytes, and no control characters but line ends and tabs")
        }
        return text
    }

    /// A whole number; `nil`: not given.
    package func number(_ name: String) throws(Problem) -> Int? {
        guard let value = value(name) else { return nil }
        guard case .integer(let number) = value else { throw .badField(prefix + name, "'\(name)' is a whole number") }
        return number
    }

    /// A list of texts, of at most 256; `nil`: not given.
    package func texts(_ name: String, limit: Int = 256) throws(Problem) -> [String]? {
        guard let value = value(name) else { return nil }
        guard case .array(let values) = value, values.count <= 256 else {
            throw .badField(prefix + name, "'\(name)' is a list of at most 256 texts; write [\"...\"]")
        }
        var texts: [String] = []
        for value in values {
            guard case .string(let text) = value, !text.isEmpty, text.utf8.count <= limit,
                !text.utf8.contains(where: { $0 < 32 || $0 == 127 })
            else {
                throw .badField(
                    prefix + name, "each of '\(name)' is a text of 1 to \(limit) bytes, without control characters")
            }
            texts.append(text)
        }
        return texts
    }

    package func flag(_ name: String) throws(Problem) -> Bool? {
        guard let value = value(name) else { return nil }
        guard case .boolean(let flag) = value else { throw .badField(prefix + name, "'\(name)' is true or false") }
        return flag
    }

    /// Fields below a field; `nil`: not given.
    package func object(_ name: String, known: [String]) throws(Problem) -> BodyFields? {
        guard let value = value(name) else { return nil }
        guard case .object(let members) = value else {
            throw .badField(prefix + name, "'\(name)' is an object with: \(known.joined(separator: ", "))")
        }
        return try BodyFields(members, known: known, prefix: prefix + name + ".")
    }
}
