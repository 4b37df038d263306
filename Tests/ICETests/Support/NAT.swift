import Link

/// An address translator of RFC 4787, for IPv4 over UDP. Its mappings last until it is told to forget them.
final class NAT {
    enum Kind: String, CaseIterable {
        /// Endpoint-independent mapping and filtering.
        case fullCone
        /// Endpoint-independent mapping, address and port-dependent filtering.
        case portRestricted
        /// Address and port-dependent mapping and filtering.
        case symmetric
    }

    private struct Mapping {
        let inside: SocketAddress
        /// nil: for every destination.
        let destination: SocketAddress?
        let port: UInt16
        var allowed: Set<SocketAddress> = []
    }

    let kind: Kind
    let outside: IPAddress
    private var mappings: [Mapping] = []
    private var nextPort: UInt16 = 40_000

    init(_ kind: Kind, outside: IPAddress) {
        self.kind = kind
        self.outside = outside
    }

    /// Forgets all mappings, as after a silence: what leaves next has other ports.
    func forget() { mappings.removeAll() }

    /// The source of a datagram outside.
    func outbound(from inside: SocketAddress, to destination: SocketAddress) -> SocketAddress {
        let key = kind == .symmetric ? destination : nil
        let index =
            mappings.firstIndex { $0.inside == inside && $0.destination == key }
            ?? {
                mappings.append(Mapping(inside: inside, destination: key, port: nextPort))
                nextPort += 1
                return mappings.count - 1
            }()
        mappings[index].allowed.insert(destination)
        return SocketAddress(outside, port: mappings[index].port)
    }

    /// Whom a datagram from outside reaches; nil: nobody.
    func inbound(to port: UInt16, from source: SocketAddress) -> SocketAddress? {
        guard let mapping = mappings.first(where: { $0.port == port }) else { return nil }
        return kind == .fullCone || mapping.allowed.contains(source) ? mapping.inside : nil
    }
}
