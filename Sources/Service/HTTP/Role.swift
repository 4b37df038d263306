/// What the bearer of a token may do; each may what those before it may.
package enum Role: Int, Sendable, CaseIterable, Comparable {
    /// Look.
    case read
    /// Besides, make, answer, change and end calls.
    case operate
    /// Besides, see and reload the configuration.
    case admin

    package static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }

    /// What a route of that method needs, where it says nothing else.
    init(method: String) { self = method == "GET" ? .read : .operate }

    var name: String {
        switch self {
        case .read: "read"
        case .operate: "operate"
        case .admin: "admin"
        }
    }

    /// The key of the file with the token that is enough for it.
    var key: String {
        switch self {
        case .read: "softphone.read_token_file"
        case .operate: "softphone.operate_token_file"
        case .admin: "softphone.token_file"
        }
    }
}
