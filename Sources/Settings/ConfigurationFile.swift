internal import CYAML
internal import Glibc
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

    /// Larger files are refused unread.
    static let maximumBytes = 1 << 20

    /// Reads and checks the file at `path`.
    public init(path: String) throws(SettingsError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadableFile(path: path, reason: Self.systemReason(errno)) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.maximumBytes + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                read(descriptor, buffer.baseAddress! + count, buffer.count - count)
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw .unreadableFile(path: path, reason: Self.systemReason(errno)) }
            if got == 0 { break }
            count += got
        }
        guard count <= Self.maximumBytes else { throw .unreadableFile(path: path, reason: "larger than 1 MiB") }
        try self.init(path: path, bytes: Array(bytes[..<count]))
    }

    /// Checks `text` as if it stood at `path`.
    public init(path: String, text: String) throws(SettingsError) {
        try self.init(path: path, bytes: Array(text.utf8))
    }

    private init(path: String, bytes: [UInt8]) throws(SettingsError) {
        self.path = path
        let events = try Self.parse(bytes, path: path)
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

    private static func systemReason(_ code: Int32) -> String { String(cString: strerror(code)) }
}

/// One step of libyaml's event stream, freed of its memory.
private struct YAMLEvent: Equatable {
    enum Content: Equatable { case scalar(String), mappingStart, mappingEnd, sequenceStart, sequenceEnd, other }
    var content: Content
    var line: Int
}

extension ConfigurationFile {
    /// Runs libyaml (YAML 1.1) over `bytes`; stream and document marks are left out.
    private static func parse(_ bytes: [UInt8], path: String) throws(SettingsError) -> [YAMLEvent] {
        // libyaml reads from the memory as it goes: both live until the last event.
        let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count + 1)
        defer { text.deallocate() }
        _ = text.initialize(from: bytes)
        guard let parser = cyaml_parser_new(text.baseAddress, bytes.count) else {
            throw .unreadableFile(path: path, reason: "out of memory")
        }
        defer { cyaml_parser_free(parser) }
        var events: [YAMLEvent] = []
        while true {
            var event = yaml_event_t()
            guard yaml_parser_parse(parser, &event) != 0 else {
                let problem = parser.pointee.problem.map { String(cString: $0) } ?? "not YAML"
                throw .malformedFile(path: path, line: Int(parser.pointee.problem_mark.line) + 1, reason: problem)
            }
            defer { yaml_event_delete(&event) }
            let line = Int(event.start_mark.line) + 1
            switch event.type {
            case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return events
            case YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT, YAML_DOCUMENT_END_EVENT: break
            case YAML_SCALAR_EVENT:
                let scalar = event.data.scalar
                let content = String(
                    decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
                events.append(YAMLEvent(content: .scalar(content), line: line))
            case YAML_MAPPING_START_EVENT: events.append(YAMLEvent(content: .mappingStart, line: line))
            case YAML_MAPPING_END_EVENT: events.append(YAMLEvent(content: .mappingEnd, line: line))
            case YAML_SEQUENCE_START_EVENT: events.append(YAMLEvent(content: .sequenceStart, line: line))
            case YAML_SEQUENCE_END_EVENT: events.append(YAMLEvent(content: .sequenceEnd, line: line))
            default: events.append(YAMLEvent(content: .other, line: line))
            }
        }
    }
}
