internal import Reporting

/// A configuration file, read: one level of `key: value`, each with its line.
public struct ConfigurationFile: Sendable, Equatable {
    /// A value and where it stands.
    public struct Entry: Sendable, Equatable {
        public var value: String
        /// From 1.
        public var line: Int
    }

    public let path: String
    public private(set) var entries: [String: Entry] = [:]

    /// Reads and checks the file at `path`.
    public init(path: String) throws(SettingsError) {
        try self.init(path: path, bytes: YAMLFile.bytes(path: path))
    }

    /// Checks `text` as if it stood at `path`.
    public init(path: String, text: String) throws(SettingsError) {
        try self.init(path: path, bytes: Array(text.utf8))
    }

    private init(path: String, bytes: [UInt8]) throws(SettingsError) {
        self.path = path
        let events = try YAMLFile.events(bytes, path: path)
        var index = 0
        func malformed(_ event: YAMLEvent, _ reason: String) -> SettingsError {
            .malformedFile(path: path, line: event.line, reason: reason)
        }
        guard let first = events.first else { return }
        // A file with nothing but comments has no document; one with `---` alone has an empty scalar.
        if case .scalar(let text) = first.content, text.isEmpty, events.count == 1 { return }
        guard first.content == .mappingStart else { throw malformed(first, "not a list of keys") }
        index = 1
        while index < events.count, events[index].content != .mappingEnd {
            guard case .scalar(let name) = events[index].content else {
                throw malformed(events[index], "a key is no text")
            }
            let line = events[index].line
            guard let key = ConfigurationKey.all.first(where: { $0.name == name }) else {
                throw .unknownKey(
                    name: name, source: "\(path):\(line)",
                    hint: nearestName(to: name, among: ConfigurationKey.all.map(\.name)))
            }
            index += 1
            let value = try Self.value(of: key, in: events, at: &index, malformed)
            if entries[name] != nil { throw .malformedFile(path: path, line: line, reason: "\(name) stands twice") }
            guard let value else { continue }
            guard key.accepts(value) else {
                throw .invalidValue(name: name, value: value, source: "\(path):\(line)", expected: key.expectation)
            }
            entries[name] = Entry(value: value, line: line)
        }
        guard index == events.count - 1 else { throw malformed(events[index], "more than one document") }
    }

    /// The text of one value; `nil` when the key stands there without one.
    private static func value(
        of key: ConfigurationKey, in events: [YAMLEvent], at index: inout Int,
        _ malformed: (YAMLEvent, String) -> SettingsError
    ) throws(SettingsError) -> String? {
        let event = events[index]
        index += 1
        switch event.content {
        case .scalar(let text):
            return text.isEmpty || text == "~" || text == "null" ? nil : text
        case .sequenceStart where key.kind == .list:
            var items: [String] = []
            while index < events.count, case .scalar(let text) = events[index].content {
                items.append(text)
                index += 1
            }
            guard index < events.count, events[index].content == .sequenceEnd else {
                throw malformed(event, "\(key.name) is no list of plain values")
            }
            index += 1
            return items.joined(separator: ",")
        default:
            throw malformed(event, "\(key.name) has no plain value")
        }
    }
}
