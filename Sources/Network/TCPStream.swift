import Glibc
import Link

/// A TCP connection that this side opens. Nothing waits: `send` keeps what the kernel does not take, `receive` reads what is there.
final class TCPStream {
    /// Octets that wait for the kernel at most: a second of 16 voices. What comes on top is lost, as a full queue of datagrams loses.
    static let mostWaiting = 131_072
    /// Octets read in one turn at most.
    private static let mostRead = 262_144

    let fileDescriptor: Int32
    private(set) var isConnecting = true
    private var waiting: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 16_384)

    /// Begins to connect.
    init(to address: SocketAddress) throws(NetworkError) {
        let family = address.address.family
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family == .v4 ? AF_INET : AF_INET6, type, Int32(IPPROTO_TCP))
        guard descriptor >= 0 else {
            if errno == EAFNOSUPPORT { throw .familyUnavailable(family == .v4 ? "IPv4" : "IPv6") }
            throw .system(call: "socket", errno: errno)
        }
        // A voice packet does not wait for the next one.
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        if address.withSockaddr(for: family, { connect(descriptor, $0, $1) }) != 0, errno != EINPROGRESS {
            let code = errno
            close(descriptor)
            throw .system(call: "connect", errno: code)
        }
        fileDescriptor = descriptor
    }

    deinit { close(fileDescriptor) }

    /// What to poll for.
    var events: Int16 { Int16(isConnecting || !waiting.isEmpty ? POLLIN | POLLOUT : POLLIN) }

    /// Whether so many octets more may wait.
    func hasRoom(for count: Int) -> Bool { waiting.count + count <= Self.mostWaiting }

    /// Whether more waits than whoever asks for room first can have sent: what the other side asked for itself, and does not take.
    var isOverfull: Bool { waiting.count > 3 * Self.mostWaiting }

    /// - Returns: false: too much waits already, and nothing of these is sent.
    func send(_ octets: UnsafeRawBufferPointer) -> Bool {
        guard hasRoom(for: octets.count) else { return false }
        append(octets)
        return true
    }

    /// Sends octets however many wait: parts of a whole, of which none may be left out.
    func append(_ octets: UnsafeRawBufferPointer) {
        waiting += octets
        if !isConnecting { flush() }
    }

    private func flush() {
        guard !waiting.isEmpty else { return }
        let count = waiting.withUnsafeBytes { Glibc.send(fileDescriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        // What is wrong with the connection is told by the next read.
        if count > 0 { waiting.removeFirst(count) }
    }

    /// Hands on what has come.
    /// - Returns: the error that ended the connection, 0 when the other side closed it; nil: it goes on.
    func receive(_ deliver: (UnsafeRawBufferPointer) -> Void) -> Int32? {
        if isConnecting {
            var entry = pollfd(fd: fileDescriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&entry, 1, 0) > 0 else { return nil }
            var code: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(fileDescriptor, SOL_SOCKET, SO_ERROR, &code, &length)
            guard code == 0 else { return code }
            isConnecting = false
        }
        flush()
        var total = 0
        while total < Self.mostRead {
            let count = buffer.withUnsafeMutableBytes { recv(fileDescriptor, $0.baseAddress, $0.count, 0) }
            guard count > 0 else {
                if count == 0 { return 0 }
                return errno == EAGAIN || errno == EINTR ? nil : errno
            }
            total += count
            buffer.withUnsafeBytes { deliver(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
        return nil
    }
}
