public import Link

/// A STUN or TURN server as a person names it: host, and its port where that is not the usual one.
public struct ServerName: Hashable, Sendable, CustomStringConvertible {
    /// Of both protocols over UDP (RFC 8489 section 18.6).
    public static let usualPort: UInt16 = 3478

    /// A name, or a numeric address without brackets.
    public let host: String
    public let port: UInt16

    /// Reads `HOST`, `HOST:PORT`, `[IPv6]:PORT`, an IPv6 address alone, or one of these as the URI of RFC 7064 or 7065
    /// (`stun:...`, `turn:...?transport=udp`); nil: it is none of these, or wants another way than UDP.
    public init?(_ text: String) {
        var rest = text[...]
        for scheme in ["stun:", "turn:"] where rest.lowercased().hasPrefix(scheme) { rest = rest.dropFirst(scheme.count) }
        let way = "?transport=udp"
        if rest.lowercased().hasSuffix(way) { rest = rest.dropLast(way.count) }
        if let address = try? IPAddress(String(rest)) {
            (host, port) = (address.description, Self.usualPort)
            return
        }
        var name = rest
        var number = Self.usualPort
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
        return port == Self.usualPort ? name : "\(name):\(port)"
    }
}
