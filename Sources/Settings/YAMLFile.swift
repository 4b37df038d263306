internal import CYAML
internal import Glibc

/// Reads YAML 1.1 by libyaml, with the line of everything.
enum YAMLFile {
    /// Larger files are refused unread.
    static let maximumBytes = 1 << 20
    /// Deepest nesting that is parsed. libyaml's time grows with the square of the depth.
    static let maximumDepth = 64
    /// Most keys, values, starts and ends; some ten thousand lines.
    private static let maximumEvents = 50_000
    /// Most lines that begin like a directive: libyaml compares each `%TAG` with all before it.
    private static let maximumDirectives = 16

    /// The bytes of the file at `path`.
    static func bytes(path: String) throws(SettingsError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadableFile(path: path, reason: systemReason(errno)) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maximumBytes + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                read(descriptor, buffer.baseAddress! + count, buffer.count - count)
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw .unreadableFile(path: path, reason: systemReason(errno)) }
            if got == 0 { break }
            count += got
        }
        guard count <= maximumBytes else { throw .unreadableFile(path: path, reason: "larger than 1 MiB") }
        return Array(bytes[..<count])
    }

    private static func systemReason(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// Runs libyaml over `bytes`; stream and document marks are left out.
    static func events(_ bytes: [UInt8], path: String) throws(SettingsError) -> [YAMLEvent] {
        try checkDirectives(bytes, path: path)
        // libyaml reads from the memory as it goes: both live until the last event.
        let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count + 1)
        defer { text.deallocate() }
        _ = text.initialize(from: bytes)
        guard let parser = cyaml_parser_new(text.baseAddress, bytes.count) else {
            throw .unreadableFile(path: path, reason: "out of memory")
        }
        defer { cyaml_parser_free(parser) }
        var events: [YAMLEvent] = []
        var depth = 0
        while true {
            var event = yaml_event_t()
            guard yaml_parser_parse(parser, &event) != 0 else {
                let problem = parser.pointee.problem.map { String(cString: $0) } ?? "not YAML"
                // A byte that is no part of a text has a place among the bytes, and no line.
                let isUnread = parser.pointee.error == YAML_READER_ERROR
                let line =
                    isUnread
                    ? bytes.prefix(Int(parser.pointee.problem_offset)).count(where: { $0 == UInt8(ascii: "\n") })
                    : Int(parser.pointee.problem_mark.line)
                let remedy = isUnread && problem.contains("UTF-8") ? " (save it as UTF-8)" : ""
                throw .malformedFile(path: path, line: line + 1, reason: problem + remedy)
            }
            defer { yaml_event_delete(&event) }
            let line = Int(event.start_mark.line) + 1
            guard events.count < maximumEvents else {
                throw .malformedFile(path: path, line: line, reason: "more than \(maximumEvents) keys and values")
            }
            switch event.type {
            case YAML_MAPPING_START_EVENT, YAML_SEQUENCE_START_EVENT: depth += 1
            case YAML_MAPPING_END_EVENT, YAML_SEQUENCE_END_EVENT: depth -= 1
            default: break
            }
            guard depth <= maximumDepth else {
                throw .malformedFile(path: path, line: line, reason: "nested more than \(maximumDepth) deep")
            }
            switch event.type {
            case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return events
            case YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT, YAML_DOCUMENT_END_EVENT: break
            case YAML_SCALAR_EVENT:
                let scalar = event.data.scalar
                let content = String(
                    decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
                let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
                events.append(YAMLEvent(content: .scalar(content), line: line, isPlain: isPlain))
            case YAML_MAPPING_START_EVENT: events.append(YAMLEvent(content: .mappingStart, line: line))
            case YAML_MAPPING_END_EVENT: events.append(YAMLEvent(content: .mappingEnd, line: line))
            case YAML_SEQUENCE_START_EVENT: events.append(YAMLEvent(content: .sequenceStart, line: line))
            case YAML_SEQUENCE_END_EVENT: events.append(YAMLEvent(content: .sequenceEnd, line: line))
            default: events.append(YAMLEvent(content: .other, line: line))
            }
        }
    }
}

extension YAMLFile {
    private static func checkDirectives(_ bytes: [UInt8], path: String) throws(SettingsError) {
        var found = 0
        var line = 1
        var isStart = true
        // Zeros are the other halves of UTF-16.
        for byte in bytes where byte != 0 {
            if isStart, byte == UInt8(ascii: "%") { found += 1 }
            guard found <= maximumDirectives else {
                throw .malformedFile(path: path, line: line, reason: "more than \(maximumDirectives) directives")
            }
            isStart = byte == UInt8(ascii: "\n")
            if isStart { line += 1 }
        }
    }
}

/// One step of libyaml's event stream, freed of its memory.
struct YAMLEvent: Equatable {
    enum Content: Equatable {
        case scalar(String)
        case mappingStart, mappingEnd, sequenceStart, sequenceEnd, other
    }
    var content: Content
    var line: Int
    /// Of a scalar: whether it stands without quotes.
    var isPlain = false
}

/// A YAML document as a tree; aliases are refused.
struct YAMLNode {
    struct Entry {
        var key: String
        var line: Int
        var value: YAMLNode
    }

    indirect enum Content {
        case scalar(String)
        case sequence([YAMLNode])
        case mapping([Entry])
    }

    var content: Content
    /// From 1.
    var line: Int
    /// Of a scalar: whether it stands without quotes.
    var isPlain: Bool

    /// Deepest nesting that is followed.
    private static let deepest = 16

    /// The first document of `bytes`; an empty mapping when there is none.
    init(_ bytes: [UInt8], path: String) throws(SettingsError) {
        let events: [YAMLEvent]
        do {
            events = try YAMLFile.events(bytes, path: path)
        } catch {
            guard case .malformedFile(_, let line, let reason) = error else { throw error }
            throw .malformedGraph(path: path, line: line, reason: reason)
        }
        guard !events.isEmpty else {
            self.init(content: .mapping([]), line: 1)
            return
        }
        var index = 0
        self = try Self.node(events, &index, path, depth: 0)
        guard index == events.count else {
            throw .malformedGraph(path: path, line: events[index].line, reason: "more than one document")
        }
    }

    private init(content: Content, line: Int, isPlain: Bool = false) {
        self.content = content
        self.line = line
        self.isPlain = isPlain
    }

    private static func node(
        _ events: [YAMLEvent], _ index: inout Int, _ path: String, depth: Int
    ) throws(SettingsError) -> YAMLNode {
        let event = events[index]
        index += 1
        guard depth < deepest else { throw .malformedGraph(path: path, line: event.line, reason: "nested too deeply") }
        switch event.content {
        case .scalar(let text): return YAMLNode(content: .scalar(text), line: event.line, isPlain: event.isPlain)
        case .sequenceStart:
            var items: [YAMLNode] = []
            while events[index].content != .sequenceEnd { items.append(try node(events, &index, path, depth: depth + 1)) }
            index += 1
            return YAMLNode(content: .sequence(items), line: event.line)
        case .mappingStart:
            var entries: [Entry] = []
            var names: Set<String> = []
            while events[index].content != .mappingEnd {
                let key = events[index]
                guard case .scalar(let name) = key.content else {
                    throw .malformedGraph(path: path, line: key.line, reason: "a key is no text")
                }
                if !names.insert(name).inserted {
                    throw .malformedGraph(path: path, line: key.line, reason: "'\(name)' stands twice")
                }
                index += 1
                entries.append(Entry(key: name, line: key.line, value: try node(events, &index, path, depth: depth + 1)))
            }
            index += 1
            return YAMLNode(content: .mapping(entries), line: event.line)
        case .mappingEnd, .sequenceEnd, .other:
            throw .malformedGraph(path: path, line: event.line, reason: "aliases have no meaning here")
        }
    }
}
