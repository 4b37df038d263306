import Reporting
import Settings

/// The routes of the configuration: for administrators only.
enum ConfigurationRoutes {
    static let all: [Route<ServiceCore>] = [
        Route("GET", "/v1/config", role: .admin) { service, _ in .json(service.configuration()) },
        Route("POST", "/v1/config/reload", role: .admin) { (service, request) throws(Problem) in
            _ = try BodyFields(request, known: [])
            return .json(.object(try service.reload().members))
        },
    ]
}

extension ServiceSettings {
    /// What is in force, with its sources; secrets are in files and variables, and passwords in URIs are left out.
    var json: JSONValue {
        .object([
            JSONMember("file", configuration.path.map { .string($0) } ?? .null),
            JSONMember("keys", configuration.json.maskingPasswords),
            JSONMember("accounts", .array(configuration[\.accounts].map { $0.json.maskingPasswords })),
            JSONMember("webhooks", .array(configuration[\.webhooks].map { $0.json.maskingPasswords })),
        ])
    }
}

extension String {
    /// Without the passwords of URIs, wherever these stand in it. Parts of URIs are taken to be short: texts of others are searched too,
    /// and must not take long whatever they are.
    var maskingPasswords: String {
        let password =
            #/(sips?:[^:@\s'"]{0,500}):[^@\s'"]{0,500}@|([a-z]{1,20}:\/\/[^:@\/\s'"]{0,500}):[^@\/\s'"]{0,500}@/#.ignoresCase()
        return replacing(password) { match in "\(match.1 ?? match.2 ?? ""):***@" }
    }
}

extension JSONValue {
    /// Without the passwords of URIs (`sip:user:password@host`, `wss://user:password@host`).
    package var maskingPasswords: JSONValue {
        switch self {
        case .string(let text): return .string(text.maskingPasswords)
        case .array(let values): return .array(values.map(\.maskingPasswords))
        case .object(let members): return .object(members.map { JSONMember($0.name, $0.value.maskingPasswords) })
        default: return self
        }
    }
}
