/// Why a text is not the JSON (RFC 8259) that was expected, and where.
public struct JSONReadError: Error, Sendable, Equatable, CustomStringConvertible {
    /// From 1.
    public var line: Int
    /// Bytes from the start of the line, from 1; 0 where only the line is known.
    public var column: Int
    /// What is wrong there.
    public var reason: String

    public init(line: Int, column: Int, reason: String) {
        self.line = line
        self.column = column
        self.reason = reason
    }

    public var description: String {
        column > 0 ? "\(reason), in line \(line), column \(column)" : "\(reason), in line \(line)"
    }
}

/// How much a reader of JSON takes, so that no text costs more than its owner allows.
public struct JSONLimits: Sendable, Equatable {
    /// Longest text in bytes.
    public var bytes: Int
    /// Deepest nesting of arrays and objects: `[]` is 1 deep. Jansson itself follows 2048.
    public var depth: Int

    public init(bytes: Int = 1 << 20, depth: Int = 32) {
        self.bytes = bytes
        self.depth = depth
    }
}
