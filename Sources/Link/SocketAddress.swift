import Glibc

/// An IPv4 or IPv6 address.
@frozen
public struct IPAddress: Hashable, Sendable, BitwiseCopyable {
    /// Address family.
    @frozen
    public enum Family: UInt8, Sendable, BitwiseCopyable {
        case v4, v6
    }

    public let family: Family
    /// The address as a number; an IPv4 address in the low 32 bits.
    public let bits: UInt128

    /// An IPv4 address from its 32 bits, the first byte highest.
    public init(v4 bits: UInt32) {
        self.init(family: .v4, bits: UInt128(bits))
    }

    /// An IPv6 address. One that maps an IPv4 address (::ffff:0:0/96) becomes that address, so that a peer compares
    /// equal whichever socket heard it.
    public init(v6 bits: UInt128) {
        if bits >> 32 == 0xffff {
            self.init(v4: UInt32(truncatingIfNeeded: bits))
        } else {
            self.init(family: .v6, bits: bits)
        }
    }

    private init(family: Family, bits: UInt128) {
        self.family = family
        self.bits = bits
    }

    /// Parses a numeric address, `192.0.2.1` or `2001:db8::1`.
    public init(_ text: String) throws(AddressError) {
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self.init(v4: UInt32(bigEndian: v4.s_addr))
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            self.init(v6: withUnsafeBytes(of: v6) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) })
        } else {
            throw .badAddress(text)
        }
    }

    /// 0.0.0.0 or ::.
    public var isUnspecified: Bool { bits == 0 }

    /// 127.0.0.0/8 or ::1.
    public var isLoopback: Bool { family == .v4 ? bits >> 24 == 127 : bits == 1 }

    /// 169.254.0.0/16 or fe80::/10: means nothing without an interface.
    public var isLinkLocal: Bool { family == .v4 ? bits >> 16 == 0xa9fe : bits >> 118 == 0x3fa }

    /// Of a network that the internet does not reach: loopback, RFC 1918, 6598 (behind a provider's NAT), 3927, 4193, 4291.
    public var isPrivate: Bool {
        if isLoopback || isLinkLocal { return true }
        guard family == .v4 else { return bits >> 121 == 0x7e }
        return bits >> 24 == 10 || bits >> 20 == 0xac1 || bits >> 16 == 0xc0a8 || bits >> 22 == 0x191
    }
}

extension IPAddress: CustomStringConvertible {
    /// Numeric text, the short form of RFC 5952 for IPv6.
    public var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let base = buffer.baseAddress else { return "" }
            if family == .v4 {
                var address = in_addr(s_addr: UInt32(truncatingIfNeeded: bits).bigEndian)
                inet_ntop(AF_INET, &address, base, socklen_t(buffer.count))
            } else {
                var address = in6_addr()
                withUnsafeMutableBytes(of: &address) { $0.storeBytes(of: bits.bigEndian, as: UInt128.self) }
                inet_ntop(AF_INET6, &address, base, socklen_t(buffer.count))
            }
            return String(cString: base)
        }
    }
}

/// Address and UDP port of an endpoint.
@frozen
public struct SocketAddress: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
    public var address: IPAddress
    public var port: UInt16
    /// Interface index of a link-local IPv6 address, otherwise 0.
    public var scope: UInt32

    public init(_ address: IPAddress, port: UInt16, scope: UInt32 = 0) {
        self.address = address
        self.port = port
        self.scope = scope
    }

    /// Parses `192.0.2.1:5004` or `[2001:db8::1]:5004`.
    public init(parsing text: String) throws(AddressError) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw .badAddress(text)
        }
        var host = text[..<colon]
        let bracketed = host.first == "[" && host.last == "]" && host.count > 2
        if bracketed { host = host.dropFirst().dropLast() }
        let address: IPAddress
        do { address = try IPAddress(String(host)) } catch { throw .badAddress(text) }
        // 2001:db8::1:5004 is an address, not an address and a port.
        guard bracketed == host.contains(":") else { throw .badAddress(text) }
        self.init(address, port: port)
    }

    /// `192.0.2.1:5004` or `[2001:db8::1]:5004`.
    public var description: String { address.family == .v4 ? "\(address):\(port)" : "[\(address)]:\(port)" }
}
