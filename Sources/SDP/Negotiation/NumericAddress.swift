import Glibc

/// A numeric address of a `c=` line, and what kind it is.
struct NumericAddress: Hashable {
    let isV6: Bool
    /// An IPv4 address in the low 32 bits.
    let bits: UInt128

    /// nil: not numeric. An IPv6 address that maps an IPv4 one is that one.
    init?(_ text: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            isV6 = false
            bits = UInt128(UInt32(bigEndian: v4.s_addr))
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            let value = withUnsafeBytes(of: v6) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
            isV6 = value >> 32 != 0xffff
            bits = isV6 ? value : value & 0xffff_ffff
        } else {
            return nil
        }
    }

    /// 0.0.0.0 or `::`: nothing is to be sent (RFC 3264 section 8.4).
    var isUnspecified: Bool { bits == 0 }
    var isLoopback: Bool { isV6 ? bits == 1 : bits >> 24 == 127 }
    var isMulticast: Bool { isV6 ? bits >> 120 == 0xff : bits >> 28 == 0xe }
    /// 255.255.255.255, and the rest of 240.0.0.0/4, which is not in use.
    var isBroadcast: Bool { !isV6 && bits >> 28 == 0xf }
    /// 0.0.0.0/8 apart from 0.0.0.0: an address of "this network", RFC 791.
    var isThisNetwork: Bool { !isV6 && bits != 0 && bits >> 24 == 0 }
}
