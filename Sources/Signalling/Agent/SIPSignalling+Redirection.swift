import SIP

/// 3xx: the call is to be made to somebody else (RFC 3261 section 8.1.3.4). Whoever says so chooses whom we pay for.
extension SIPSignalling {
    /// Calls whom the other side names, where the account allows that: never by another scheme, never twice, and so often at most.
    func followsRedirection(_ id: SignalledCallID, _ handle: CallHandle, _ end: CallEnd) -> Bool {
        guard let call = calls[id], var made = call.made, !call.isAnswered, end.cause == .redirected,
            let target = URI(made.call.target)
        else { return false }
        let visited = call.visited + [target]
        let account = settings(of: call.account)
        // 305 names a proxy, and 380 another service: neither is somebody else to call.
        let limit = [300, 301, 302].contains(end.status ?? 0) ? account?.redirections ?? 0 : 0
        let next = end.contactsByPreference.map(\.uri).first { uri in
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

extension CallEnd {
    /// The most wanted first: by q, then as they were named.
    fileprivate var contactsByPreference: [NameAddress] {
        let wanted = contacts.map { contact in
            let share = contact.parameters["q"].flatMap { Double($0) } ?? 1
            return (0...1).contains(share) ? share : 0
        }
        return contacts.indices.sorted { (-wanted[$0], $0) < (-wanted[$1], $1) }.map { contacts[$0] }
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
