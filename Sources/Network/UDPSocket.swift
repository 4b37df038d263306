import CNetwork
import Glibc
import Link

/// A bound, non-blocking UDP socket with the options of media: DSCP EF, kernel receive stamps, ICMP errors.
public final class UDPSocket {
    /// Expedited forwarding, RFC 3246: DSCP 46, as the byte of the IP header.
    public static let expeditedForwarding: Int32 = 0xb8
    /// Queue priority of interactive traffic in the kernel, the highest that needs no privilege.
    private static let priority: Int32 = 6

    public let fileDescriptor: Int32
    /// The address it is bound to, with the port that the kernel chose for 0.
    public let local: SocketAddress
    private let family: IPAddress.Family
    private var unreachable: SocketAddress?

    /// Binds to `address`. The unspecified IPv6 address also hears IPv4.
    /// - Parameters:
    ///   - address: local address and port; port 0 is one of the kernel's choice.
    ///   - sharesPort: whether other sockets of this program may be bound to the same port.
    public init(binding address: SocketAddress, sharesPort: Bool = false) throws(NetworkError) {
        let family = address.address.family
        let domain = family == .v4 ? AF_INET : AF_INET6
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(domain, type, Int32(IPPROTO_UDP))
        guard descriptor >= 0 else {
            if errno == EAFNOSUPPORT { throw .familyUnavailable(family == .v4 ? "IPv4" : "IPv6") }
            throw .system(call: "socket", errno: errno)
        }
        if sharesPort { _ = cnetwork_share_port(descriptor) }
        do {
            local = try Self.bind(descriptor, to: address, family: family)
        } catch {
            close(descriptor)
            throw error
        }
        fileDescriptor = descriptor
        self.family = family
    }

    /// A second socket at the port of `other`: DTLS comes here from now on, but for that of `peer`, for as long as both are open. Few datagrams
    /// wait.
    convenience init(besides other: UDPSocket, of peer: SocketAddress) throws(NetworkError) {
        // Only now: bound at first, it was alone.
        var failure = cnetwork_share_port(other.fileDescriptor)
        guard failure == 0 else { throw .system(call: "setsockopt", errno: -failure) }
        try self.init(binding: other.local, sharesPort: true)
        failure = divert(allBut: peer)
        guard failure == 0 else { throw .system(call: "setsockopt", errno: -failure) }
        _ = cnetwork_shorten_queue(fileDescriptor, Self.shortQueueBytes)
    }

    /// Has DTLS of all but `peer` go to the second socket at this port. Where there is none nothing changes.
    @discardableResult
    func divert(allBut peer: SocketAddress) -> Int32 {
        Self.words(of: peer).withUnsafeBufferPointer {
            cnetwork_divert_dtls(fileDescriptor, peer.address.family == .v4, $0.baseAddress, peer.port)
        }
    }

    private static func words(of address: SocketAddress) -> [UInt32] {
        let bits = address.address.bits
        return (0..<4).map { UInt32(truncatingIfNeeded: bits >> UInt128(32 * (3 - $0))) }
    }

    /// Some dozens of hellos.
    private static let shortQueueBytes: Int32 = 32_768

    deinit { close(fileDescriptor) }

    private static func bind(
        _ descriptor: Int32, to address: SocketAddress, family: IPAddress.Family
    ) throws(NetworkError) -> SocketAddress {
        if family == .v6 {
            var only: Int32 = address.address.isUnspecified ? 0 : 1
            setsockopt(
                descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &only, socklen_t(MemoryLayout<Int32>.size))
        }
        let option = cnetwork_configure(descriptor, family == .v4 ? AF_INET : AF_INET6, expeditedForwarding, priority)
        guard option == 0 else { throw .system(call: "setsockopt", errno: -option) }
        guard address.withSockaddr(for: family, { Glibc.bind(descriptor, $0, $1) }) == 0 else {
            switch errno {
            case EADDRINUSE: throw .portTaken(address.port)
            case EACCES: throw .portForbidden(address.port)
            case EADDRNOTAVAIL where family == .v6 && (address.address.isUnspecified || address.address.isLoopback):
                throw .familyUnavailable("IPv6")
            case EADDRNOTAVAIL: throw .addressNotHere(address.address.description)
            default: throw .system(call: "bind", errno: errno)
            }
        }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0, let local = SocketAddress(&storage) else { throw .system(call: "getsockname", errno: errno) }
        return local
    }

    /// Has the kernel drop everything that does not come from `source`, before it takes a place in the queue.
    /// - Parameter port: whether the port counts too.
    func hear(only source: SocketAddress, port: Bool) {
        _ = Self.words(of: source).withUnsafeBufferPointer {
            cnetwork_hear_only(fileDescriptor, source.address.family == .v4, $0.baseAddress, port ? source.port : 0)
        }
    }

    /// Hears everybody again.
    func hearAnyone() { _ = cnetwork_hear_anyone(fileDescriptor) }

    /// Datagrams that the kernel dropped: by `hear(only:port:)`, or because the queue was full.
    var droppedByKernel: Int { Int(cnetwork_dropped(fileDescriptor)) }

    /// Takes the reports of ICMP errors; how many there were.
    func drainErrors() -> Int {
        var storage = sockaddr_storage()
        let count = Int(cnetwork_drain_errors(fileDescriptor, &storage))
        if let address = SocketAddress(&storage) { unreachable = address }
        return count
    }

    /// Where the last packet went that did not arrive, if there was one since the last time.
    func takeUnreachable() -> SocketAddress? {
        defer { unreachable = nil }
        return unreachable
    }

    /// Spreads what comes over the sockets that share the port, in the order in which they were bound.
    func spread(over count: Int) throws(NetworkError) {
        let failure = cnetwork_spread(fileDescriptor, UInt32(count))
        guard failure == 0 else { throw .system(call: "setsockopt", errno: -failure) }
    }

    /// Whether an address is of a family that the socket can send to: an IPv4 socket cannot reach IPv6.
    func reaches(_ address: SocketAddress) -> Bool { family == .v6 || address.address.family == .v4 }

    /// Sends a datagram; 0 or the error number. Never waits: a full queue drops (EAGAIN), as the network would.
    public func send(_ bytes: UnsafeRawBufferPointer, to address: SocketAddress) -> Int32 {
        guard reaches(address) else { return EAFNOSUPPORT }
        return address.withSockaddr(for: family) { pointer, length in
            -cnetwork_send(fileDescriptor, bytes.baseAddress, UInt32(bytes.count), pointer, length)
        }
    }
}
