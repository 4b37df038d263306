import SIP

/// 3xx: the call is to be made to somebody else (RFC 3261 section 8.1.3.4). Whoever says so chooses whom we pay for.
extension SIPSignalling {
    /// Calls whom the other side names, where the account allows that: never by another scheme, never twice, and so often at most.
    func followsRedirection(_ id: SignalledCallID, _ handle: CallHandle, _ end: CallEnd) -> Bool {
        guard let call = calls[id], var made = call.made, !call.isAnswered, end.cause == .redirected,
            let target = URI(made.call.target)
        else { return false }
        let visited = call.visited + [target]
        let account = configuration.accounts.first { $0.name == call.account?.name }
        let limit = account?.redirections ?? 0
        let next = end.contacts.map(\.uri).first { uri in
            uri.scheme == target.scheme && !visited.contains { $0.isEquivalent(to: uri) }
                && account?.mayReach(uri.text) != false
        }
        guard visited.count <= limit, let next else { return false }
        handles[handle] = nil
        made.call.target = next.text
        tell(.warning(id, "the call goes to <\(next.text)> now (\(end.status ?? 300) \(end.reason))"))
        start(id, made.call, reportsTo: call.reportsTo, replaces: made.replaces, referredBy: made.referredBy)
        calls[id]?.visited = visited
        return true
    }
}

extension URI {
    fileprivate var scheme: String {
        switch self {
        case .sip(let uri): uri.isSecure ? "sips" : "sip"
        case .tel: "tel"
        case .other(let scheme, _): scheme
        }
    }
}
