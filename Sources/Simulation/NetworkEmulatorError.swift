/// What is wrong with a `--network` description or a trace; nothing was started, the person corrects the text.
public enum NetworkConditionsError: Error, Equatable, Sendable {
    /// The key is not one of those listed in `NetworkConditions.keys`.
    case unknownKey(String)
    /// The key stands there twice.
    case repeatedKey(String)
    /// The value cannot be read or is out of range; `expected` says what is.
    case badValue(key: String, value: String, expected: String)
    /// The trace file cannot be read.
    case traceUnreadable(path: String, reason: String)
    /// A line of the trace is not `seq,send_ms,arrive_ms`.
    case traceMalformed(path: String, line: Int)
}

extension NetworkConditionsError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownKey(let key):
            "unknown network key '\(key)'; known are \(NetworkConditions.keys.joined(separator: ", "))"
        case .repeatedKey(let key): "network key '\(key)' is given twice"
        case .badValue(let key, let value, let expected): "network \(key)=\(value): expected \(expected)"
        case .traceUnreadable(let path, let reason): "trace \(path) cannot be read: \(reason)"
        case .traceMalformed(let path, let line):
            "trace \(path), line \(line): expected seq,send_ms,arrive_ms (arrive_ms empty where the packet was lost)"
        }
    }
}
