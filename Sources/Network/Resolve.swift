import Glibc
import Link

/// Addresses of a host, the system's favourite first (RFC 6724). Blocks while the name server is asked: not for media
/// threads.
///
/// - Throws: `hostUnknown`; the array is never empty.
public func resolve(host: String, port: UInt16) throws(NetworkError) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    var result = getaddrinfo(host, nil, &hints, &list)
    if result != 0, result != EAI_AGAIN {
        // AI_ADDRCONFIG hides ::1 on machines whose only IPv6 address is the loopback's.
        hints.ai_flags = 0
        result = getaddrinfo(host, nil, &hints, &list)
    }
    guard result == 0 else { throw .hostUnknown(host, reason: String(cString: gai_strerror(result))) }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = list
    while let info = next?.pointee {
        next = info.ai_next
        guard let raw = info.ai_addr else { continue }
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: raw, count: min($0.count, Int(info.ai_addrlen))))
        }
        guard var address = SocketAddress(&storage) else { continue }
        address.port = port
        if !addresses.contains(address) { addresses.append(address) }
    }
    guard !addresses.isEmpty else { throw .hostUnknown(host, reason: "no IPv4 or IPv6 address") }
    return addresses
}
