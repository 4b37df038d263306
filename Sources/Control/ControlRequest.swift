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
                Self.set(name.split(separator: "."), Self.value(name, value), in: &fields)
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

    /// `true`, `false` and what counts are no texts.
    private static func value(_ name: String, _ text: String) -> JSONValue {
        if text == "true" || text == "false" { return .boolean(text == "true") }
        let counts = ["rate", "rings", "message_seconds"].contains { name.hasSuffix($0) }
        if counts, let number = Int(text) { return .integer(number) }
        return .string(text)
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
