extension SIPURI {
    /// RFC 3261 section 19.1.4: user and password with case, host and parameters without; a parameter that only one has
    /// is ignored but for user, ttl, method, maddr and transport; header fields must all be there in both.
    public func isEquivalent(to other: SIPURI) -> Bool {
        guard isSecure == other.isSecure, port == other.port, host.equalsIgnoringCase(other.host),
            Self.sameText(user, other.user), Self.sameText(password, other.password)
        else { return false }
        for name in ["user", "ttl", "method", "maddr", "transport"]
        where (parameter(name) == nil) != (other.parameter(name) == nil) { return false }
        for item in parameters.items {
            let name = PercentEscape.unescaped(item.name).text
            guard let mine = parameter(name), let theirs = other.parameter(name) else { continue }
            guard mine == theirs else { return false }
        }
        return Self.normalized(headers) == Self.normalized(other.headers)
    }

    /// A parameter's value, escapes undone and in small letters; empty when it has none, nil when it is absent.
    private func parameter(_ name: String) -> [UInt8]? {
        let item = parameters.items.first { PercentEscape.unescaped($0.name).text.equalsIgnoringCase(name) }
        return item.map { PercentEscape.unescaped($0.value ?? "").map(ByteClass.lowercased) }
    }

    private static func sameText(_ left: String?, _ right: String?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): PercentEscape.unescaped(left) == PercentEscape.unescaped(right)
        default: false
        }
    }

    private static func normalized(_ headers: [Parameters.Item]) -> [String] {
        headers.map { item in
            let value = PercentEscape.unescaped(item.value ?? "").text
            return "\(PercentEscape.unescaped(item.name).text.asciiLowercased)=\(value)"
        }.sorted()
    }
}
