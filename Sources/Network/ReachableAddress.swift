import Glibc
import Link

/// Those of `addresses` that this machine can send to from `bind` (nil: any address of its own), in their order.
///
/// Asks the kernel's routes and sends nothing: a name may have an IPv6 address where there is no IPv6.
public func reachable(_ addresses: [SocketAddress], from bind: IPAddress? = nil) -> [SocketAddress] {
    addresses.filter { address in
        let family = address.address.family
        if let bind, bind.family != family, !(bind.family == .v6 && bind.isUnspecified) { return false }
        let descriptor = socket(
            family == .v4 ? AF_INET : AF_INET6, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), Int32(IPPROTO_UDP))
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // To be told apart from a route that is there, port 0 is none to connect to.
        let target = SocketAddress(address.address, port: max(address.port, 1), scope: address.scope)
        if let bind, bind.family == family {
            let local = SocketAddress(bind, port: 0, scope: address.scope)
            guard local.withSockaddr(for: family, { Glibc.bind(descriptor, $0, $1) }) == 0 else { return false }
        }
        return target.withSockaddr(for: family) { Glibc.connect(descriptor, $0, $1) } == 0
    }
}
