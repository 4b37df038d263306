import Glibc
import Link

/// The kernel's form of addresses.
extension SocketAddress {
    /// nil for families other than IPv4 and IPv6.
    init?(_ storage: UnsafePointer<sockaddr_storage>) {
        let raw = UnsafeRawPointer(storage)
        switch Int32(storage.pointee.ss_family) {
        case AF_INET:
            let v4 = raw.loadUnaligned(as: sockaddr_in.self)
            self.init(IPAddress(v4: UInt32(bigEndian: v4.sin_addr.s_addr)), port: UInt16(bigEndian: v4.sin_port))
        case AF_INET6:
            let v6 = raw.loadUnaligned(as: sockaddr_in6.self)
            let bits = withUnsafeBytes(of: v6.sin6_addr) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
            self.init(IPAddress(v6: bits), port: UInt16(bigEndian: v6.sin6_port), scope: v6.sin6_scope_id)
        default:
            return nil
        }
    }

    /// Calls `body` with the address for a socket of `family`; an IPv4 address is mapped for an IPv6 socket.
    func withSockaddr<Result>(
        for family: IPAddress.Family, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var storage = sockaddr_storage()
        let length: Int
        if family == .v4 {
            var v4 = sockaddr_in()
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            v4.sin_addr.s_addr = UInt32(truncatingIfNeeded: address.bits).bigEndian
            length = MemoryLayout<sockaddr_in>.size
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: v4, as: sockaddr_in.self) }
        } else {
            // An unspecified IPv4 address asks for every IPv4 interface; mapped it still does.
            let bits = address.family == .v4 ? 0xffff << 32 | address.bits : address.bits
            var v6 = sockaddr_in6()
            v6.sin6_family = sa_family_t(AF_INET6)
            v6.sin6_port = port.bigEndian
            v6.sin6_scope_id = scope
            withUnsafeMutableBytes(of: &v6.sin6_addr) { $0.storeBytes(of: bits.bigEndian, as: UInt128.self) }
            length = MemoryLayout<sockaddr_in6>.size
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: v6, as: sockaddr_in6.self) }
        }
        return withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}
