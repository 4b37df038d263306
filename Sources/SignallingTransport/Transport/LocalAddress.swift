import CCares  // for the socket types: the C library shows them in whichever module includes them first
import Glibc
import NIOCore
import SIP

extension SignallingAddress {
    /// The address of this machine from which packets to `remote` leave, by the routes as they are now; no packet is
    /// sent. For Contact, Via and SDP. Its port means nothing.
    public static func local(towards remote: SignallingAddress) throws(SignallingFailure) -> SignallingAddress {
        let address = try SignallingAddress(host: remote.host, port: remote.port == 0 ? 9 : remote.port).socketAddress()
        let family: CInt = remote.isV6 ? AF_INET6 : AF_INET
        let descriptor = Glibc.socket(family, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SignallingFailure(errno: errno) }
        defer { close(descriptor) }
        let connected = address.withSockAddr { pointer, size in connect(descriptor, pointer, socklen_t(size)) }
        guard connected == 0 else { throw SignallingFailure(errno: errno) }
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let told = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard told == 0 else { throw SignallingFailure(errno: errno) }
        let local: SignallingAddress? = withUnsafeBytes(of: storage) { bytes in
            guard let base = bytes.baseAddress else { return nil }
            return remote.isV6
                ? SignallingAddress(SocketAddress(base.assumingMemoryBound(to: sockaddr_in6.self).pointee))
                : SignallingAddress(SocketAddress(base.assumingMemoryBound(to: sockaddr_in.self).pointee))
        }
        guard let local else { throw .system("the local address cannot be read") }
        return local
    }

    /// Whether a stream from this address to `remote` is dead: this machine has the address no longer, and another one leads
    /// there. As long as none does, the address may come back, and the stream goes on.
    /// - Parameters:
    ///   - remote: the stream's other end.
    ///   - way: the address of ours that leads somewhere; nil: none does.
    ///   - isOurs: whether this machine has the address. A second one of it may lead nowhere, and lives.
    package func isStranded(
        towards remote: SignallingAddress, way: (SignallingAddress) -> SignallingAddress?, isOurs: (SignallingAddress) -> Bool
    ) -> Bool {
        guard let other = way(remote), other.host != host else { return false }
        return !isOurs(self)
    }

    /// Whether this machine has the address now; true where that cannot be found out.
    package var isOurs: Bool {
        guard let address = try? SignallingAddress(host: host, port: 0).socketAddress() else { return true }
        let descriptor = Glibc.socket(isV6 ? AF_INET6 : AF_INET, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        let bound = address.withSockAddr { pointer, size in bind(descriptor, pointer, socklen_t(size)) }
        return bound == 0 || errno != EADDRNOTAVAIL
    }
}
