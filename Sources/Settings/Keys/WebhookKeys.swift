/// Where the service tells of its events by HTTP.
public struct WebhookKeys: ConfigurationSection {
    public static let name = "webhooks"
    public static let title = "Webhooks"
    public static let needsNames = true
    public static let refused = [
        "secret": "name a file with secret_file or a variable with secret_env, so that no copy of this file tells it"
    ]

    public let url = ConfigurationKey(
        "url", .text("url"), unset: "the webhook cannot be used", help: "Where events are posted: https://HOST[:PORT]/PATH")
    public let secretFile = ConfigurationKey(
        "secret_file", .text("file"), unset: "see secret_env",
        help: "File whose first line is the secret that signs the events; nobody else should be able to read it")
    public let secretEnv = ConfigurationKey(
        "secret_env", .text("variable"), unset: "see secret_file", help: "Environment variable that holds the secret")
    public let events = ConfigurationKey(
        "events", .list(of: .text("event"), expectation: "a list of events such as call_created, call_ended"),
        unset: "all events", help: "Which events are posted")

    public init() {}
}

extension ConfigurationItem<WebhookKeys> {
    /// The secret out of its file or variable.
    public func secret(environment: [String: String]) throws(SettingsError) -> String {
        let place = "webhooks.\(name ?? "")"
        let (file, variable) = (source(of: \.secretFile), source(of: \.secretEnv))
        func refuse(_ path: String, _ expected: String) -> SettingsError {
            .invalidValue(name: "\(place).secret_file", value: path, source: file.description, expected: expected)
        }
        switch (self[\.secretFile], self[\.secretEnv]) {
        case (nil, nil): throw refuse("", "a file with the secret, or secret_env")
        case (let path?, nil): return try SecretFile.line(path: path, of: "\(place).secret_file", from: file)
        case (nil, let name?):
            guard let secret = environment[name] else {
                throw .invalidValue(
                    name: "\(place).secret_env", value: name, source: variable.description, expected: "a variable that is set")
            }
            return secret
        case (let path?, _?): throw refuse(path, "either secret_file or secret_env")
        }
    }
}
