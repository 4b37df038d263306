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

/// A value from the command line.
public struct ConfigurationFlag: Sendable, Equatable {
    /// The key's name.
    public var key: String
    /// The option as it was given, such as `--device-rate`.
    public var option: String
    public var value: WrittenValue

    public init(_ key: any AnyConfigurationKey, option: String? = nil, value: WrittenValue) {
        self.key = key.name
        self.option = option ?? key.flag
        self.value = value
    }
}

/// What is configured of the program.
public typealias Configuration = ResolvedConfiguration<YodelKeys>

/// The effective configuration: flag beats environment beats file beats default. Reading it has no effect but on itself.
public struct ResolvedConfiguration<Schema: ConfigurationSchema>: Sendable {
    /// One key's effective value and who set it.
    public struct Entry: Sendable {
        public var key: any AnyConfigurationKey
        public var value: ReadValue
        public var source: ConfigurationSource
    }

    /// In the order of the keys.
    public private(set) var entries: [Entry]
    /// The file that was read; `nil` when there is none.
    public let path: String?
    /// Things to tell the person that do not stop the program.
    public let warnings: [String]
    private let schema = Schema()
    private let places: [String: Int]
    private let items: [String: [ConfigurationFile.Item]]

    /// Resolves every key.
    ///
    /// - Parameters:
    ///   - flags: values from the command line; of two for one key the last counts.
    ///   - environment: all variables of the process.
    ///   - explicitPath: of `--config`.
    public init(
        flags: [ConfigurationFlag] = [], environment: [String: String], explicitPath: String? = nil
    ) throws(SettingsError) {
        let table = ConfigurationTable(Schema.self)
        let variable = environment["YODEL_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        path = explicitPath ?? variable ?? Self.foundPath(environment)
        var file: ConfigurationFile?
        if let path { file = try ConfigurationFile(path: path, table: table) }
        var entries: [Entry] = []
        for key in table.keys { entries.append(try Self.resolve(key, flags, environment, file)) }
        self.entries = entries
        places = Dictionary(entries.enumerated().map { ($1.key.name, $0) }, uniquingKeysWith: { first, _ in first })
        items = file?.items ?? [:]
        // The last two are of `yodel ctl`.
        let known = table.keys.map(\.variable) + ["YODEL_CONFIG", "YODEL_URL", "YODEL_TOKEN"]
        warnings = environment.filter { name, value in
            name.hasPrefix("YODEL_") && !known.contains(name) && !Self.isOfKubernetes(name, value)
        }.keys.sorted().compactMap { name in
            nearestName(to: name, among: known).map { "environment variable \(name) is not used; did you mean \($0)?" }
        }
    }

    /// Of a service that is called yodel or yodel-softphone Kubernetes tells each container where it is, in variables of that name.
    private static func isOfKubernetes(_ name: String, _ value: String) -> Bool {
        value.hasPrefix("tcp://") || value.hasPrefix("udp://") || name.contains("_SERVICE_PORT")
            || name.hasSuffix("_SERVICE_HOST")
    }

    private static func resolve(
        _ key: any AnyConfigurationKey, _ flags: [ConfigurationFlag], _ environment: [String: String],
        _ file: ConfigurationFile?
    ) throws(SettingsError) -> Entry {
        func checked(_ written: WrittenValue, _ source: ConfigurationSource) throws(SettingsError) -> Entry {
            do {
                return Entry(key: key, value: try key.read(written), source: source)
            } catch {
                throw .invalidValue(
                    name: key.name, value: error.text, source: source.description, expected: key.expectation)
            }
        }
        if let flag = flags.last(where: { $0.key == key.name }) { return try checked(flag.value, .flag(flag.option)) }
        if let text = environment[key.variable], !text.isEmpty, !isOfKubernetes(key.variable, text) {
            return try checked(.text(text), .environment(variable: key.variable))
        }
        if let file, let entry = file.entries[key.name] {
            return Entry(key: key, value: entry.value, source: .file(path: file.path, line: entry.line))
        }
        return Entry(key: key, value: key.defaultRead, source: .default)
    }

    /// The first of the usual places where a file is.
    private static func foundPath(_ environment: [String: String]) -> String? {
        var folders: [String] = []
        if let folder = environment["XDG_CONFIG_HOME"], !folder.isEmpty {
            folders.append(folder)
        } else if let home = environment["HOME"], !home.isEmpty {
            folders.append(home + "/.config")
        }
        let paths = (folders + ["/etc"]).flatMap { ["\($0)/yodel/yodel.yaml", "\($0)/yodel/yodel.json"] }
        return paths.first { access($0, F_OK) == 0 }
    }

    private func entry(of name: String) -> Entry? { places[name].map { entries[$0] } }

    /// The same, but for some keys by their names, of which `other` says what holds.
    public func keeping(_ names: [String], of other: Self) -> Self {
        var kept = self
        for name in names {
            if let place = places[name], let entry = other.entry(of: name) { kept.entries[place] = entry }
        }
        return kept
    }

    /// One key's effective value, as in `configuration[\.media.codec]`.
    public subscript<Value>(path: KeyPath<Schema, ConfigurationKey<Value>>) -> Value {
        let key = schema[keyPath: path]
        return key.value(of: entry(of: key.name)?.value)
    }

    /// Who set a key's effective value.
    public func source<Value>(of path: KeyPath<Schema, ConfigurationKey<Value>>) -> ConfigurationSource {
        entry(of: schema[keyPath: path].name)?.source ?? .default
    }

    /// Whether somebody chose a key for this run: by flag or variable.
    public func isChosenForRun<Value>(_ path: KeyPath<Schema, ConfigurationKey<Value>>) -> Bool {
        source(of: path).rank >= ConfigurationSource.environment(variable: "").rank
    }

    /// The items of a collection, in the order of the file.
    public subscript<Keys>(path: KeyPath<Schema, ConfigurationCollection<Keys>>) -> [ConfigurationItem<Keys>] {
        (items[Keys.name] ?? []).map { ConfigurationItem($0, path: self.path ?? "") }
    }

    /// The configuration as one JSON object: name to value and source.
    public var json: JSONValue {
        .object(
            entries.map { entry in
                JSONMember(
                    entry.key.name,
                    .object([
                        JSONMember("value", entry.value.json),
                        JSONMember("source", .string(entry.source.description)),
                    ]))
            })
    }
}

/// One item of a collection.
public struct ConfigurationItem<Keys: ConfigurationSection>: Sendable {
    /// `nil` for one of a list that does not say.
    public let name: String?
    /// Where it begins.
    public let source: ConfigurationSource
    private let item: ConfigurationFile.Item
    private let keys = Keys()

    init(_ item: ConfigurationFile.Item, path: String) {
        self.item = item
        name = item.name
        source = .file(path: path, line: item.line)
    }

    /// The value of a key, its default when the item does not say.
    public subscript<Value>(path: KeyPath<Keys, ConfigurationKey<Value>>) -> Value {
        let key = keys[keyPath: path]
        return key.value(of: item.entries[key.name]?.value)
    }

    /// Where the file has a key of the item; where it has not, where the item begins.
    public func source<Value>(of path: KeyPath<Keys, ConfigurationKey<Value>>) -> ConfigurationSource {
        guard let entry = item.entries[keys[keyPath: path].name], case .file(let file, _) = source else { return source }
        return .file(path: file, line: entry.line)
    }

    /// The item as one JSON object: its name and place, and each key's value and source.
    public var json: JSONValue {
        var members = [
            JSONMember("name", name.map { .string($0) } ?? .null), JSONMember("source", .string(source.description)),
        ]
        for key in Keys.keys {
            let entry = item.entries[key.name]
            var origin = ConfigurationSource.default
            if let entry, case .file(let path, _) = source { origin = .file(path: path, line: entry.line) }
            members.append(
                JSONMember(
                    key.name,
                    .object([
                        JSONMember("value", (entry?.value ?? key.defaultRead).json),
                        JSONMember("source", .string(origin.description)),
                    ])))
        }
        return .object(members)
    }
}
