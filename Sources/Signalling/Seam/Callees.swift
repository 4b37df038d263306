import SIP

/// Whom an account's calls, transfers and texts may go to. Whoever chooses that chooses whom we pay for: a request with a stolen token, a
/// caller who has us transferred, a server that redirects us.
extension AccountSettings {
    /// Whether `callees` lets it reach `target`: `sip:`, `sips:` or `tel:`. What is none of these may be reached where everybody may.
    public func mayReach(_ target: String) -> Bool {
        guard !callees.isEmpty else { return true }
        guard let own = URI(uri)?.sip, let target = URI(target) else { return false }
        let (who, host): (String, String)
        switch target {
        // The place that it names besides is where it would go.
        case .sip(let uri) where uri.placeHost.lowercased() != uri.host.lowercased(): return false
        case .sip(let uri): (who, host) = ((uri.userText ?? "").lowercased(), uri.host.lowercased())
        case .tel(let number): (who, host) = (number.digits.lowercased(), own.host.lowercased())
        case .other: return false
        }
        // An escaped "@" would make one address look like another.
        guard !who.contains("@") else { return false }
        return callees.contains { text in
            let pattern = AddressPattern.bare(text)
            if pattern.contains("@") { return AddressPattern.matches("\(who)@\(host)", pattern) }
            // A number or a name alone is one of the account's own domain.
            return host == own.host.lowercased() && AddressPattern.matches(who[...], pattern)
        }
    }

    /// Why `target` is not reached, and what to do.
    public func unreached(_ target: String) -> String {
        "account \(name) may not reach '\(target.prefix(200))'; accounts.\(name).callees lists whom it may"
    }
}

/// Addresses by patterns.
public enum AddressPattern {
    /// Without scheme, parameters and brackets, in lower case.
    public static func bare(_ uri: String) -> Substring {
        var text = uri.lowercased()[...]
        if let open = text.firstIndex(of: "<") { text = text[text.index(after: open)...].prefix { $0 != ">" } }
        for scheme in ["sips:", "sip:", "tel:"] where text.hasPrefix(scheme) { text = text.dropFirst(scheme.count) }
        return text.prefix { $0 != ";" && $0 != "?" }
    }

    /// What a pattern is compared with for whom a URI names: user (without parameters) and host, also with the port where there is one;
    /// of `tel:` the digits. What makes no URI, or would look like another one, is `bare`.
    public static func names(of uri: String) -> [Substring] {
        var text = uri[...]
        if let open = text.firstIndex(of: "<") { text = text[text.index(after: open)...].prefix { $0 != ">" } }
        switch URI(String(text)) {
        case .sip(let sip):
            guard let user = sip.userText?.lowercased(), !user.contains("@") else { return [bare(uri)] }
            let name = "\(user.prefix { $0 != ";" })@\(sip.host.lowercased())"
            return [name[...]] + (sip.port.map { ["\(name):\($0)"[...]] } ?? [])
        case .tel(let number): return [number.digits.lowercased()[...]]
        case .other, nil: return [bare(uri)]
        }
    }

    /// `*` stands for any characters; one pass, so that no pattern takes long.
    public static func matches(_ text: Substring, _ pattern: Substring) -> Bool {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard let first = parts.first, let last = parts.last else { return text.isEmpty }
        guard parts.count > 1 else { return text == pattern }
        guard text.count >= first.count + last.count, text.hasPrefix(first), text.hasSuffix(last) else { return false }
        var rest = text.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
