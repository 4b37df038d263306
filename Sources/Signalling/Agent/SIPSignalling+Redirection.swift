import SIP

/// 3xx: the call is to be made to somebody else (RFC 3261 section 8.1.3.4). Whoever says so chooses whom we pay for.
extension SIPSignalling {
    /// Calls whom the other side names, or the next one whom a redirection has named.
    func followsRedirection(_ id: SignalledCallID, _ handle: CallHandle, _ end: CallEnd) -> Bool {
        guard let call = calls[id], let made = call.made, !call.isAnswered else { return false }
        // 305 names a proxy, and 380 another service: neither is somebody else to call.
        let names = end.cause == .redirected && [300, 301, 302].contains(end.status ?? 0)
        guard names || end.leavesOthers else { return false }
        let why = [end.status.map { "\($0)" }, end.reason].compactMap(\.self).joined(separator: " ")
        guard callsNext(id, after: made, naming: names ? end.contactsByPreference.map(\.uri) : [], why) else { return false }
        handles[handle] = nil
        return true
    }

    /// Calls somebody else in place of whom `made` called, where the account allows that: never by another scheme, never twice, and so
    /// often at most.
    /// - Parameters:
    ///   - named: who is wanted before those that are left of earlier redirections, the most wanted first.
    ///   - why: what has become of the call.
    func callsNext(_ id: SignalledCallID, after made: SignalledCall.MadeCall, naming named: [URI] = [], _ why: String) -> Bool {
        guard let call = calls[id], let target = URI(made.call.target) else { return false }
        let visited = call.visited + [target]
        let account = settings(of: call.account)
        let fitting = (named + call.alternatives).filter { uri in
            uri.scheme == target.scheme && !visited.contains { $0.isEquivalent(to: uri) }
                && account?.mayReach(uri.text) != false
        }
        guard visited.count <= account?.redirections ?? 0, let next = fitting.first else { return false }
        var nextCall = made.call
        nextCall.target = next.text
        tell(.warning(id, "the call goes to <\(next.text)> now (\(why))"))
        // Before it starts: a numeric address is called at once.
        calls[id]?.visited = visited
        calls[id]?.alternatives = Array(fitting.dropFirst())
        start(id, nextCall, reportsTo: call.reportsTo, replaces: made.replaces, referredBy: made.referredBy)
        return true
    }
}

extension CallEnd {
    /// Somebody else may still be reached: nobody has refused for all (6xx), or given up.
    fileprivate var leavesOthers: Bool {
        switch cause {
        case .timeout, .network: true
        case .refused: (400..<600).contains(status ?? 0)
        default: false
        }
    }

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
