/// Why what the person asked for cannot be used. Every case ends the program with exit code 2 before anything starts.
public enum SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A value is not allowed: `expected` says what is.
    case invalidValue(name: String, value: String, source: String, expected: String)
    /// A key nobody knows: take the hint, or see `yodel config --defaults`.
    case unknownKey(name: String, source: String, hint: String?)
    /// A key that must not stand there: do what `remedy` says.
    case refusedKey(name: String, source: String, remedy: String)
    /// The configuration file cannot be read: another path, or its permissions.
    case unreadableFile(path: String, reason: String)
    /// A graph's description cannot be read: another path, or its permissions.
    case unreadableGraph(path: String, reason: String)
    /// The configuration file is not what it should be: mend that line.
    case malformedFile(path: String, line: Int, reason: String)
    /// A graph's description is not what it should be: mend that line.
    case malformedGraph(path: String, line: Int, reason: String)
    /// The URI does not name a call.
    case malformedURI(uri: String, reason: String)

    public var description: String {
        switch self {
        case .invalidValue(let name, let value, let source, let expected):
            "\(name) cannot be '\(value)', from \(source); use \(expected)"
        case .unknownKey(let name, let source, let hint):
            "unknown key \(name), in \(source); "
                + (hint.map { "did you mean \($0)?" } ?? "`yodel config --defaults` lists all keys")
        case .refusedKey(let name, let source, let remedy): "\(name) must not stand in \(source); \(remedy)"
        case .unreadableFile(let path, let reason):
            "\(reason), \(path); name a readable file with --config or YODEL_CONFIG"
        case .unreadableGraph(let path, let reason):
            "\(reason), \(path); name a graph that can be read, such as config/graph.yaml"
        case .malformedFile(let path, let line, let reason):
            "\(reason), \(path):\(line); `yodel config --defaults` shows what a file may say"
        case .malformedGraph(let path, let line, let reason):
            "\(reason), \(path):\(line); config/graph.yaml shows what a graph may say"
        case .malformedURI(let uri, let reason):
            "\(reason), in '\(uri)'; write "
                + (PeerURI.isMeant(by: uri)
                    ? "yodel://HOST[:PORT]" : "rtp://HOST:PORT[?pt=N&ptime=MS&rtcp=mux|PORT&local=PORT]")
        }
    }
}
