internal import Reporting

/// A configuration file, read and checked: what it says of each key, with its line.
public struct ConfigurationFile: Sendable {
    /// A value and where it stands.
    public struct Entry: Sendable {
        public var value: ReadValue
        /// From 1.
        public var line: Int
    }

    /// One item of a collection.
    struct Item: Sendable {
        var name: String?
        var entries: [String: Entry] = [:]
        var line: Int
    }

    public let path: String
    /// By the key's name, in whichever section it stands.
    public private(set) var entries: [String: Entry] = [:]
    /// By the collection's name.
    private(set) var items: [String: [Item]] = [:]

    /// Reads and checks the file at `path`.
    public init(path: String) throws(SettingsError) {
        try self.init(path: path, table: ConfigurationTable(YodelKeys.self))
    }

    /// Checks `text` as if it stood at `path`.
    public init(path: String, text: String) throws(SettingsError) {
        try self.init(path: path, bytes: Array(text.utf8), table: ConfigurationTable(YodelKeys.self))
    }

    init(path: String, table: ConfigurationTable) throws(SettingsError) {
        try self.init(path: path, bytes: YAMLFile.bytes(path: path), table: table)
    }

    private init(path: String, bytes: [UInt8], table: ConfigurationTable) throws(SettingsError) {
        self.path = path
        let tree = try ConfigurationTree(bytes, path: path)
        for member in try members(of: tree, "the file", "keys") {
            if let section = table.sections.first(where: { $0.name == member.key }) {
                try read(section, member, table, into: &entries)
            } else if let collection = table.collections.first(where: { $0.table.name == member.key }) {
                items[member.key] = try readItems(collection.table, member, table)
            } else if let key = table.keys.first(where: { $0.name == member.key }) {
                try read(key, as: key.name, member.value, into: &entries)
            } else {
                throw unknown(member, "", nearestName(to: member.key, among: table.names))
            }
        }
    }

    // MARK: sections and keys

    private func read(
        _ section: ConfigurationTable.Section, _ member: ConfigurationTree.Member, _ table: ConfigurationTable,
        at place: String? = nil, into entries: inout [String: Entry]
    ) throws(SettingsError) {
        let place = place ?? section.name
        for member in try members(of: member.value, place, "keys") {
            if let remedy = section.refused[member.key] {
                throw .refusedKey(name: "\(place).\(member.key)", source: "\(path):\(member.line)", remedy: remedy)
            }
            guard let key = section.key(named: member.key) else {
                let near = nearestName(to: member.key, among: section.keys.map(\.shortName))
                throw unknown(member, place + ".", near.map { "\(place).\($0)" } ?? table.place(ofKey: member.key))
            }
            try read(key, as: "\(place).\(member.key)", member.value, into: &entries)
        }
    }

    /// - Parameter name: as the file has it, for messages.
    private func read(
        _ key: any AnyConfigurationKey, as name: String, _ tree: ConfigurationTree, into entries: inout [String: Entry]
    ) throws(SettingsError) {
        guard let written = try written(tree, as: name, isList: key.shape == .list, hasNull: key.hasNull) else { return }
        // Below its section's heading and at the top alike it is the same key.
        if let other = entries[key.name] { throw malformed(tree.line, "\(name) stands in line \(other.line) already") }
        do {
            entries[key.name] = Entry(value: try key.read(written), line: tree.line)
        } catch {
            var line = tree.line
            if let item = error.item, case .sequence(let items) = tree.content { line = items[item].line }
            throw .invalidValue(name: name, value: error.text, source: "\(path):\(line)", expected: key.expectation)
        }
    }

    /// What was written there; `nil` when the key stands there without a value.
    /// - Parameter hasNull: whether the word `null` is a value.
    private func written(
        _ tree: ConfigurationTree, as name: String, isList: Bool, hasNull: Bool = false
    ) throws(SettingsError) -> WrittenValue? {
        switch tree.content {
        case .unset: return nil
        case .null: return hasNull ? .text("null") : nil
        case .scalar(let text): return .text(text)
        case .sequence(let trees) where isList:
            var items: [String] = []
            for tree in trees {
                guard case .scalar(let text) = tree.content else {
                    throw malformed(tree.line, "\(name) is no list of plain values")
                }
                items.append(text)
            }
            return .items(items)
        case .sequence, .mapping: throw malformed(tree.line, "\(name) has no plain value")
        }
    }

    // MARK: collections

    /// A map by name, or a list whose items may have a `name`, and must where the section says so.
    private func readItems(
        _ section: ConfigurationTable.Section, _ member: ConfigurationTree.Member, _ table: ConfigurationTable
    ) throws(SettingsError) -> [Item] {
        var items: [Item] = []
        var names: Set<String> = []
        func add(_ name: String?, _ member: ConfigurationTree.Member, at place: String) throws(SettingsError) {
            if let name, !names.insert(name).inserted {
                throw malformed(member.line, "\(section.name) has a '\(name)' already")
            }
            // No path of the service's leads to it.
            guard name != "" || !section.needsNames else { throw malformed(member.line, "\(section.name) has an empty name") }
            var item = Item(name: name, line: member.line)
            try read(section, member, table, at: place, into: &item.entries)
            items.append(item)
        }
        guard case .sequence(let trees) = member.value.content else {
            for member in try members(of: member.value, section.name, "names") {
                try add(member.key, member, at: "\(section.name).\(member.key)")
            }
            return items
        }
        for (index, tree) in trees.enumerated() {
            let place = "\(section.name)[\(index)]"
            var members = try members(of: tree, place, "keys")
            var name: String?
            if section.key(named: "name") == nil, let index = members.firstIndex(where: { $0.key == "name" }) {
                let given = members.remove(at: index)
                guard case .text(let text)? = try written(given.value, as: "\(place).name", isList: false) else {
                    throw malformed(given.line, "\(place).name has no plain value")
                }
                name = text
            }
            let rest = ConfigurationTree(members, line: tree.line)
            try add(name, ConfigurationTree.Member(key: "", line: tree.line, value: rest), at: place)
            guard name != nil || !section.needsNames else {
                throw .invalidValue(
                    name: "\(place).name", value: "", source: "\(path):\(tree.line)",
                    expected: "a name of its own, or write \(section.name): as a map, NAME: {...}")
            }
        }
        return items
    }

    // MARK: what is wrong

    private func members(
        of tree: ConfigurationTree, _ place: String, _ what: String
    ) throws(SettingsError) -> [ConfigurationTree.Member] {
        switch tree.content {
        case .unset, .null: return []
        case .mapping(let members): return members
        case .scalar, .sequence: throw malformed(tree.line, "\(place) holds no \(what)")
        }
    }

    private func malformed(_ line: Int, _ reason: String) -> SettingsError {
        .malformedFile(path: path, line: line, reason: reason)
    }

    private func unknown(_ member: ConfigurationTree.Member, _ place: String, _ hint: String?) -> SettingsError {
        .unknownKey(name: place + member.key, source: "\(path):\(member.line)", hint: hint)
    }
}
