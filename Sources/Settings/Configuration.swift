public import Reporting
internal import Glibc

/// Where a value comes from, weakest first.
public enum ConfigurationSource: Sendable, Equatable, CustomStringConvertible {
    case `default`
    case file(path: String, line: Int)
    case environment(variable: String)
    case flag(String)

    /// As `yodel config` shows it.
    public var description: String {
        switch self {
        case .default: "default"
        case .file(let path, let line): "\(path):\(line)"
        case .environment(let variable): "environment \(variable)"
        case .flag(let flag): "flag \(flag)"
        }
    }

    /// Higher beats lower.
    var rank: Int {
        switch self {
        case .default: 0
        case .file: 1
        case .environment: 2
        case .flag: 3
        }
    }
}

/// The effective configuration: flag beats environment beats file beats default.
public struct Configuration: Sendable {
    /// One key's effective value and who set it.
    public struct Value: Sendable, Equatable {
        public var key: ConfigurationKey
        /// `nil` when nobody chose and there is no default.
        public var text: String?
        public var source: ConfigurationSource
    }

    /// In the order of the keys.
    public let values: [Value]
    /// The file that was read; `nil` when there is none.
    public let path: String?
    /// Things to tell the person that do not stop the program.
    public let warnings: [String]

    /// Resolves every key.
    ///
    /// - Parameters:
    ///   - flags: values from the command line by key name, `nil` when not given.
    ///   - environment: all variables of the process.
    ///   - explicitPath: of `--config`.
    public init(
        flags: [String: String?], environment: [String: String], explicitPath: String? = nil
    ) throws(SettingsError) {
        let variable = environment["YODEL_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        path = explicitPath ?? variable ?? Self.foundPath(environment)
        var file: ConfigurationFile?
        if let path { file = try ConfigurationFile(path: path) }
        var values: [Value] = []
        for key in ConfigurationKey.all { values.append(try Self.resolve(key, flags, environment, file)) }
        self.values = values
        let known = ConfigurationKey.all.map(\.variable) + ["YODEL_CONFIG"]
        warnings = environment.keys.filter { $0.hasPrefix("YODEL_") && !known.contains($0) }.sorted().compactMap {
            name in
            nearestName(to: name, among: known).map { "environment variable \(name) is not used; did you mean \($0)?" }
        }
    }

    private static func resolve(
        _ key: ConfigurationKey, _ flags: [String: String?], _ environment: [String: String], _ file: ConfigurationFile?
    ) throws(SettingsError) -> Value {
        func checked(_ text: String, _ source: ConfigurationSource) throws(SettingsError) -> Value {
            guard key.accepts(text) else {
                throw .invalidValue(
                    name: key.name, value: text, source: source.description, expected: key.expectation)
            }
            return Value(key: key, text: text, source: source)
        }
        if let text = flags[key.name] ?? nil { return try checked(text, .flag(key.flag)) }
        if let text = environment[key.variable], !text.isEmpty {
            return try checked(text, .environment(variable: key.variable))
        }
        if let file, let entry = file.entries[key.name] {
            return try checked(entry.value, .file(path: file.path, line: entry.line))
        }
        return Value(key: key, text: key.defaultValue, source: .default)
    }

    /// The first of the usual places where a file is.
    private static func foundPath(_ environment: [String: String]) -> String? {
        var folders: [String] = []
        if let folder = environment["XDG_CONFIG_HOME"], !folder.isEmpty {
            folders.append(folder)
        } else if let home = environment["HOME"], !home.isEmpty {
            folders.append(home + "/.config")
        }
        return (folders + ["/etc"]).map { $0 + "/yodel/yodel.yaml" }.first { access($0, F_OK) == 0 }
    }

    /// One key's effective value.
    public subscript(key: ConfigurationKey) -> Value {
        values.first { $0.key == key } ?? Value(key: key, text: key.defaultValue, source: .default)
    }

    /// The microphone's and the loudspeaker's names: `input` or `output` unless `device` was said more loudly.
    public var deviceNames: (input: String, output: String) {
        let both = self[.device]
        func chosen(_ one: Value) -> String {
            guard let text = one.text, one.source.rank >= both.source.rank else { return both.text ?? "default" }
            return text
        }
        return (chosen(self[.input]), chosen(self[.output]))
    }

    /// Whether someone chose a device other than the default one.
    public var choosesDevice: Bool { deviceNames != ("default", "default") }

    /// The configuration as one JSON object: name to value and source.
    public var json: JSONValue {
        .object(
            values.map { value in
                JSONMember(
                    value.key.name,
                    .object([
                        JSONMember("value", value.json), JSONMember("source", .string(value.source.description)),
                    ]))
            })
    }
}

extension Configuration.Value {
    /// The value in its own JSON kind.
    public var json: JSONValue {
        guard let text else { return .null }
        switch key.kind {
        case .integer: return Int(text).map { .integer($0) } ?? .null
        case .number: return Double(text).map { .number($0) } ?? .null
        case .boolean: return .boolean(text == "true")
        case .list: return .array(items.map { .string($0) })
        case .choice, .text: return .string(text)
        }
    }

    /// The items of a list.
    public var items: [String] { (text ?? "").split(separator: ",").map { String($0).trimmed } }
}

extension String {
    /// Without spaces at either end.
    var trimmed: String {
        var rest = self[...]
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
