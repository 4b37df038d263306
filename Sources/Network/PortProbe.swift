import Glibc
import Link

/// Whether somebody could listen for streams (TCP) at `address` now; the port is given back at once.
/// - Parameters:
///   - address: of this machine; port 0: any.
///   - datagrams: by UDP instead.
/// - Returns: 0, or the error number of why not.
public func listening(at address: SocketAddress, datagrams: Bool = false) -> Int32 {
    let family = address.address.family
    let type = Int32((datagrams ? SOCK_DGRAM : SOCK_STREAM).rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(family == .v4 ? AF_INET : AF_INET6, type, 0)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    // As servers do: connections of an earlier one that linger do not count.
    var on: Int32 = 1
    if !datagrams { setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size)) }
    let bound = address.withSockaddr(for: family) { Glibc.bind(descriptor, $0, $1) }
    return bound == 0 && (datagrams || listen(descriptor, 1) == 0) ? 0 : errno
}
