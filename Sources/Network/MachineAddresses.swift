import Glibc
import Link

/// Addresses of this machine's interfaces that are up, in the kernel's order; empty when it does not tell.
public func machineAddresses() -> [IPAddress] {
    var found: [IPAddress] = []
    for address in scopedAddresses().map(\.address) where !found.contains(address) { found.append(address) }
    return found
}

/// The same with their interfaces, which are the scopes of link-local addresses. An address that several interfaces have comes
/// for each of them.
func scopedAddresses() -> [SocketAddress] {
    let isUp: UInt32 = 1  // IFF_UP, net/if.h
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var found: [SocketAddress] = []
    var next = first
    while let entry = next {
        next = entry.pointee.ifa_next
        guard entry.pointee.ifa_flags & isUp != 0, let raw = entry.pointee.ifa_addr else { continue }
        let storage = UnsafeRawPointer(raw).assumingMemoryBound(to: sockaddr_storage.self)
        if let address = SocketAddress(storage) { found.append(address) }
    }
    return found
}
