internal import Reporting

/// A file's content with the line of everything, whichever language it is written in.
struct ConfigurationTree {
    struct Member {
        var key: String
        var line: Int
        var value: ConfigurationTree
    }

    indirect enum Content {
        /// Nothing stands there.
        case unset
        /// The word `null` of YAML, without quotes: nothing stands there, unless the key has such a value.
        case null
        case scalar(String)
        case sequence([ConfigurationTree])
        case mapping([Member])
    }

    var content: Content
    /// From 1.
    var line: Int

    private init(_ content: Content, line: Int) {
        self.content = content
        self.line = line
    }

    /// A mapping of `members`.
    init(_ members: [Member], line: Int) { self.init(.mapping(members), line: line) }

    /// Reads `bytes`: JSON when `path` ends in `.json`, else YAML.
    init(_ bytes: [UInt8], path: String) throws(SettingsError) {
        if path.lowercased().hasSuffix(".json") {
            let document: JSONDocument
            do { document = try JSONDocument(reading: bytes) } catch {
                let column = error.column > 0 ? " at column \(error.column)" : ""
                throw .malformedFile(path: path, line: error.line, reason: error.reason + column)
            }
            var lines = document.lines[...]
            self.init(document.value, &lines)
        } else {
            do { self.init(try YAMLNode(bytes, path: path)) } catch {
                // The reader of trees is the graphs'; their remedy is not ours.
                guard case .malformedGraph(_, let line, let reason) = error else { throw error }
                throw .malformedFile(path: path, line: line, reason: reason)
            }
        }
    }

    private init(_ node: YAMLNode) {
        let content: Content =
            switch node.content {
            case .scalar(""): .unset
            case .scalar("~") where node.isPlain: .unset
            case .scalar("null") where node.isPlain: .null
            case .scalar(let text): .scalar(text)
            case .sequence(let items): .sequence(items.map { ConfigurationTree($0) })
            case .mapping(let entries):
                .mapping(entries.map { Member(key: $0.key, line: $0.line, value: ConfigurationTree($0.value)) })
            }
        self.init(content, line: node.line)
    }

    /// - Parameter lines: of this value and those in it, in their order; they are taken.
    private init(_ value: JSONValue, _ lines: inout ArraySlice<Int>) {
        let line = lines.popFirst() ?? 1
        switch value {
        case .null: self.init(.unset, line: line)
        case .boolean(let value): self.init(.scalar(String(value)), line: line)
        case .integer(let value): self.init(.scalar(String(value)), line: line)
        case .number(let value): self.init(.scalar(String(value)), line: line)
        case .string(let text): self.init(.scalar(text), line: line)
        case .array(let items):
            var trees: [ConfigurationTree] = []
            for item in items { trees.append(ConfigurationTree(item, &lines)) }
            self.init(.sequence(trees), line: line)
        case .object(let members):
            var trees: [Member] = []
            for member in members {
                let line = lines.popFirst() ?? 1
                trees.append(Member(key: member.name, line: line, value: ConfigurationTree(member.value, &lines)))
            }
            self.init(.mapping(trees), line: line)
        }
    }
}
