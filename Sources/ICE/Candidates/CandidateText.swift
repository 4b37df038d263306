import Link

/// Why a candidate of the peer is not used. The raw values are the names in statistics.
public enum CandidateRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// Not the line of RFC 8839 section 5.1.
    case malformed
    /// TCP: not implemented.
    case transport
    /// RTCP's own port: RTP and RTCP share one here.
    case component
    /// A name, as browsers write for `.local`: found by the peer's checks.
    case name
    /// Unspecified, multicast, broadcast, loopback from elsewhere, link-local, or port 0.
    case address
    /// One of our own addresses, with the port of this socket or of a service.
    case ourOwn
    /// More candidates than are kept.
    case tooMany
    /// Of an earlier generation, before a restart.
    case stale
}

extension Candidate {
    /// The value of `a=candidate` (RFC 8839 section 5.1), with or without `candidate:` before it.
    public var text: String {
        var text = "\(foundation) 1 UDP \(priority) \(address.address) \(address.port) typ \(kind.rawValue)"
        if let related { text += " raddr \(related.address) rport \(related.port)" }
        if let userFragment { text += " ufrag \(userFragment)" }
        return text
    }

    /// Reads the value of `a=candidate`; further words are skipped.
    public init(parsing text: String) throws(CandidateRefusal) {
        let line = text.hasPrefix("candidate:") ? text.dropFirst(10) : text[...]
        guard line.utf8.count <= 1024 else { throw .malformed }
        let words = line.split(separator: " ")
        guard words.count >= 8, words.count % 2 == 0, (1...32).contains(words[0].utf8.count), let component = UInt16(words[1]),
            let priority = UInt32(words[3]), priority > 0, let port = UInt16(words[5]), words[6] == "typ"
        else { throw .malformed }
        guard component == 1 else { throw component == 2 ? .component : .malformed }
        guard words[2].lowercased() == "udp" else { throw .transport }
        guard let kind = CandidateKind(rawValue: String(words[7])) else { throw .malformed }
        guard let address = try? IPAddress(String(words[4])) else {
            throw words[4].contains(".") && !words[4].contains(":") ? .name : .malformed
        }
        var related: SocketAddress?
        let extensions = stride(from: 8, to: words.count, by: 2).map { (words[$0], words[$0 + 1]) }
        if let base = extensions.first(where: { $0.0 == "raddr" }), let number = extensions.first(where: { $0.0 == "rport" }),
            let base = try? IPAddress(String(base.1)), let number = UInt16(number.1)
        {
            related = SocketAddress(base, port: number)
        }
        self.init(
            foundation: String(words[0]), priority: priority, address: SocketAddress(address, port: port), kind: kind,
            related: related, userFragment: extensions.first { $0.0 == "ufrag" }.map { String($0.1) })
    }
}
