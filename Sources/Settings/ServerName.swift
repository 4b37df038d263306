public import Link

/// How a STUN or TURN server is reached.
public enum ServerWay: String, Hashable, Sendable {
    case udp, tcp, tls
}

/// A STUN or TURN server as a person names it: host, its port where that is not the usual one, and the way to it.
public struct ServerName: Hashable, Sendable, CustomStringConvertible {
    /// Of both protocols over UDP and TCP (RFC 8489 section 18.6).
    public static let usualPort: UInt16 = 3478
    /// Of both over TLS.
    public static let usualSecurePort: UInt16 = 5349

    /// A name, or a numeric address without brackets.
    public let host: String
    public let port: UInt16
    public let way: ServerWay

    /// Reads `HOST`, `HOST:PORT`, `[IPv6]:PORT`, an IPv6 address alone, or one of these as the URI of RFC 7064 or 7065
    /// (`stun:...`, `turn:...?transport=tcp`, `turns:...`); nil: it is none of these, or wants DTLS.
    public init?(_ text: String) {
        var rest = text[...]
        let scheme = ["stun:", "turn:", "turns:"].first { rest.lowercased().hasPrefix($0) }
        rest = rest.dropFirst(scheme?.count ?? 0)
        let transport = ["?transport=udp", "?transport=tcp"].first { rest.lowercased().hasSuffix($0) }
        rest = rest.dropLast(transport?.count ?? 0)
        switch (scheme, transport) {
        case ("turns:", "?transport=udp"): return nil
        case ("turns:", _): way = .tls
        case (_, "?transport=tcp"): way = .tcp
        default: way = .udp
        }
        let usual = Self.usualPort(by: way)
        if let address = try? IPAddress(String(rest)) {
            (host, port) = (address.description, usual)
            return
        }
        var name = rest
        var number = usual
        if let colon = rest.lastIndex(of: ":"), rest.last != "]" {
            guard let given = UInt16(rest[rest.index(after: colon)...]), given > 0 else { return nil }
            (name, number) = (rest[..<colon], given)
        }
        if name.first == "[", name.last == "]" {
            guard let address = try? IPAddress(String(name.dropFirst().dropLast())), address.family == .v6 else { return nil }
            (host, port) = (address.description, number)
            return
        }
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isName, (1...253).contains(name.utf8.count) else { return nil }
        (host, port) = (String(name), number)
    }

    /// The address, where the name is one.
    public var address: SocketAddress? { (try? IPAddress(host)).map { SocketAddress($0, port: port) } }

    public var description: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        let place = port == Self.usualPort(by: way) ? name : "\(name):\(port)"
        return switch way {
        case .udp: place
        case .tcp: "turn:\(place)?transport=tcp"
        case .tls: "turns:\(place)"
        }
    }

    private static func usualPort(by way: ServerWay) -> UInt16 { way == .tls ? usualSecurePort : usualPort }
}
