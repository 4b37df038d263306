/// Keys that stand together: below one heading in the file, in one group of `--help`.
///
/// Its stored properties of type `ConfigurationKey` are the keys, in that order; there is no second list.
public protocol ConfigurationSection: Sendable {
    init()
    /// The heading in the file.
    static var name: String { get }
    /// The heading in `--help`.
    static var title: String { get }
    /// Keys that somebody may expect here and must not use, each with what to do instead: a password, say. Their values
    /// are repeated nowhere.
    static var refused: [String: String] { get }
    /// Whether each item of a collection must have a name: it is asked for by that.
    static var needsNames: Bool { get }
}

extension ConfigurationSection {
    public static var refused: [String: String] { [:] }
    public static var needsNames: Bool { false }

    /// The keys in the order of their declaration.
    public static var keys: [any AnyConfigurationKey] {
        Mirror(reflecting: Self()).children.compactMap { $0.value as? any AnyConfigurationKey }
    }

    /// How a key is called below the section's heading: `log_level` is `level` below `log:`.
    static func shortName(of key: any AnyConfigurationKey) -> String {
        key.name.hasPrefix(name + "_") ? String(key.name.dropFirst(name.utf8.count + 1)) : key.name
    }
}

/// Things of one kind, of which a file may hold any number: a map by name, or a list. Each has the keys of `Keys`.
public struct ConfigurationCollection<Keys: ConfigurationSection>: Sendable {
    /// A sentence without its full stop.
    public let help: String

    public init(help: String) { self.help = help }
}

/// A collection whatever its items are.
protocol AnyConfigurationCollection: Sendable {
    var help: String { get }
    var table: ConfigurationTable.Section { get }
}

extension ConfigurationCollection: AnyConfigurationCollection {
    var table: ConfigurationTable.Section { ConfigurationTable.Section(Keys.self) }
}

/// Everything that can be configured: its stored properties are sections and collections.
public protocol ConfigurationSchema: Sendable {
    init()
}

/// A schema laid out for those who look names up.
struct ConfigurationTable: Sendable {
    struct Section: Sendable {
        var name: String
        var title: String
        var refused: [String: String]
        var needsNames: Bool
        /// Each key under its name below the heading.
        var keys: [(shortName: String, key: any AnyConfigurationKey)]

        init<S: ConfigurationSection>(_ section: S.Type) {
            name = S.name
            title = S.title
            refused = S.refused
            needsNames = S.needsNames
            keys = S.keys.map { (S.shortName(of: $0), $0) }
        }

        /// The key called `name` here; the full name counts too.
        func key(named name: String) -> (any AnyConfigurationKey)? {
            keys.first { $0.shortName == name || $0.key.name == name }?.key
        }
    }

    var sections: [Section] = []
    var collections: [any AnyConfigurationCollection] = []
    var keys: [any AnyConfigurationKey] { sections.flatMap { $0.keys.map(\.key) } }
    /// What may stand at the top of a file.
    var names: [String] { sections.map(\.name) + collections.map(\.table.name) + keys.map(\.name) }

    init<Schema: ConfigurationSchema>(_ schema: Schema.Type) {
        for child in Mirror(reflecting: Schema()).children {
            if let section = child.value as? any ConfigurationSection { sections.append(Self.table(section)) }
            if let collection = child.value as? any AnyConfigurationCollection { collections.append(collection) }
        }
    }

    private static func table<S: ConfigurationSection>(_: S) -> Section { Section(S.self) }

    /// Where a key belongs, as `media.codec`; `nil` for no key.
    func place(ofKey name: String) -> String? {
        for section in sections {
            for (shortName, key) in section.keys where key.name == name { return "\(section.name).\(shortName)" }
        }
        return nil
    }
}
