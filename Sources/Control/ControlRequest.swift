import Reporting
import WebClient

/// A request, made of the words of a command line.
package struct ControlRequest: Sendable, Equatable {
    package var method: String
    package var path: String
    /// `nil`: none.
    package var body: [UInt8]?
    package var contentType = "application/json"

    /// - Parameter words: a verb and what follows it; or `request METHOD PATH [BODY]`.
    package init(_ words: [String]) throws(ControlError) {
        guard let name = words.first else { throw .usage("say what is asked; `yodel help ctl` lists it") }
        if name == "request" {
            guard (3...4).contains(words.count), words[2].hasPrefix("/") else {
                throw .usage("write request METHOD PATH [BODY], with a path such as /v1/calls")
            }
            // What makes no line of HTTP never reaches a service.
            guard words[1].wholeMatch(of: #/[A-Za-z]+/#) != nil, words[2].utf8.allSatisfy({ (33...126).contains($0) }) else {
                throw .usage("write METHOD in letters, and PATH in printable ASCII: %20 for a space, %XX for other bytes")
            }
            (method, path) = (words[1].uppercased(), words[2])
            body = words.count > 3 ? Array(words[3].utf8) : nil
            return
        }
        guard let verb = ControlVerb.all.first(where: { $0.name == name }) else {
            let near = nearestName(to: name, among: ControlVerb.all.map(\.name)).map { "did you mean '\($0)'?" }
            throw .usage("there is no '\(name.prefix(80))'; \(near ?? "`yodel help ctl` lists what there is")")
        }
        method = verb.method
        var rest = words.dropFirst()
        path = ""
        for part in verb.template.split(separator: "/") {
            guard part.hasPrefix("{") else {
                path += "/\(part)"
                continue
            }
            guard let word = rest.popFirst() else { throw Self.missing(verb) }
            path += "/" + Self.encoded(word)
        }
        var fields: [JSONMember] = []
        for word in verb.words {
            let isOptional = word.hasSuffix("?")
            guard let value = rest.first, !isOptional || Self.field(value) == nil else {
                if isOptional { continue }
                throw Self.missing(verb)
            }
            rest = rest.dropFirst()
            fields.append(JSONMember(isOptional ? String(word.dropLast()) : word, .string(value)))
        }
        var query: [String] = []
        for word in rest {
            guard verb.takesFields, let (name, value) = Self.field(word) else {
                throw .usage("'\(word.prefix(80))' is too much; write \(verb.usage)")
            }
            if method == "GET" {
                query.append("\(Self.encoded(name))=\(Self.encoded(value))")
            } else {
                try Self.set(name.split(separator: "."), Self.value(name, value), in: &fields)
            }
        }
        if !query.isEmpty { path += "?" + query.joined(separator: "&") }
        if !fields.isEmpty { body = Array(JSONValue.object(fields).text.utf8) }
    }

    /// `NAME=VALUE`; the parameters of a URI are none.
    private static func field(_ word: String) -> (name: String, value: String)? {
        word.wholeMatch(of: #/([a-z_][a-z0-9_.]*)=(.*)/#).map { (String($0.1), String($0.2)) }
    }

    private static func missing(_ verb: ControlVerb) -> ControlError { .usage("something is missing; write \(verb.usage)") }

    /// Fields of docs/openapi.yaml that are no texts, by the last part of their names.
    private static let switches = ["echo", "loop", "silence", "record", "stream"]
    private static let counts = ["rate", "rings", "message_seconds"]
    private static let lists = ["callers", "handsets"]

    /// What counts, switches and lists are no texts. A list is parted by commas, or is JSON where a comma is in one of its texts.
    private static func value(_ name: String, _ text: String) throws(ControlError) -> JSONValue {
        let field = name.split(separator: ".").last.map { String($0) } ?? name
        if switches.contains(field), text == "true" || text == "false" { return .boolean(text == "true") }
        if counts.contains(field), let number = Int(text) { return .integer(number) }
        guard lists.contains(field) else { return .string(text) }
        guard text.hasPrefix("[") else { return .array(text.split(separator: ",").map { .string(String($0)) }) }
        guard let list = try? JSONValue(reading: text) else {
            throw .usage("'\(text.prefix(80))' is no list; write \(field)=ONE,OTHER or \(field)='[\"ONE\", \"OTHER\"]'")
        }
        return list
    }

    /// `audio.play` is `play` in the object `audio`.
    private static func set(_ path: [Substring], _ value: JSONValue, in members: inout [JSONMember]) {
        guard let first = path.first else { return }
        var value = value
        if path.count > 1 {
            var inner: [JSONMember] = []
            if case .object(let known)? = members.first(where: { $0.name == first })?.value { inner = known }
            set(Array(path.dropFirst()), value, in: &inner)
            value = .object(inner)
        }
        members.removeAll { $0.name == first }
        members.append(JSONMember(String(first), value))
    }

    /// Percent-encoded, but for what RFC 3986 section 2.3 leaves alone.
    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            if byte < 128, character.isLetter || character.isNumber || "-._~".contains(character) { return String(character) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }
}
