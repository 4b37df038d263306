import Reporting
import Settings

/// Takes out of what leaves the service what nobody may find there: passwords of URIs, queries of URLs, keys that were pressed, and every
/// secret that the service knows, wherever it stands.
package struct Redaction: Sendable {
    private static let mark = "***"
    /// Shorter ones stand in other words by chance, and those would be spoilt.
    private static let shortest = 4

    private let secrets: [String]

    /// - Parameter secrets: passwords, tokens and keys; those of fewer than 4 letters are not looked for.
    package init(secrets: [String]) {
        // The longer first: one may be a part of another.
        self.secrets = Set(secrets.filter { $0.count >= Self.shortest }).sorted { ($0.count, $0) > ($1.count, $1) }
    }

    /// - Parameter value: anything, also an event.
    /// - Returns: the same without secrets.
    package func redacted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string:
            guard case .string(let text) = value.maskingPasswords else { return .null }
            return .string(redacted(text))
        case .array(let values): return .array(values.map(redacted))
        case .object(let members):
            let isKey = members.contains { $0.name == "type" && $0.value == .string("dtmf") }
            return .object(
                members.map { member in
                    JSONMember(member.name, isKey && member.name == "digit" ? .string(Self.mark) : redacted(member.value))
                })
        case .null, .boolean, .integer, .number: return value
        }
    }

    /// - Parameter text: anything.
    /// - Returns: the same without secrets.
    package func redacted(_ text: String) -> String {
        // Bounded, for what others send is searched too, and must not take long whatever it is.
        var text = text.replacing(#/((?:https?|wss?):\/\/[^\s?"'<>]{0,1000}\?)[^\s"'<>]*/#.ignoresCase()) {
            "\($0.1)\(Self.mark)"
        }
        // Keys in a message by SIP (application/dtmf-relay).
        text = text.replacing(#/^(Signal[ \t]*=[ \t]*)[0-9A-D*#]+/#.ignoresCase().anchorsMatchLineEndings()) {
            "\($0.1)\(Self.mark)"
        }
        // The same as nothing but the key (application/dtmf).
        text = text.replacing(
            #/^((?:Content-Type|c)[ \t]*:[ \t]*application\/dtmf[ \t]*(?:;[^\n]*)?\n(?:[^\n]{1,1000}\n){0,100}\n)[\s\S]+/#
                .ignoresCase().anchorsMatchLineEndings()
        ) { "\($0.1)\(Self.mark)" }
        for secret in secrets where text.contains(secret) { text = text.replacing(secret, with: Self.mark) }
        return text
    }
}

extension ServiceSettings {
    /// What nobody may find in anything that leaves the service.
    var secrets: [String] {
        let webhooks = configuration[\.webhooks].compactMap { try? $0.secret(environment: environment) }
        let accounts = configuration[\.accounts].compactMap { try? $0.password(environment: environment) }
        return Array(tokens.values) + accounts + webhooks + (relays?.secrets ?? []) + [
            (try? configuration.turnPassword()) ?? ""
        ]
    }
}
