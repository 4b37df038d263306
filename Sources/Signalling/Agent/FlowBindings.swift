import ICE
import Link
import Realtime
import SIP

/// STUN Binding requests to registrars, over the very socket that signals: they keep the mapping of a NAT, and tell whether it is
/// still the same (RFC 5626 section 4.4.2). One at a time for each registrar.
struct FlowBindings {
    private var clients: [SignallingAddress: STUNBindingClient] = [:]

    /// Whether a datagram is a STUN message: no SIP message begins so (RFC 5764 section 5.1.2).
    static func isSTUN(_ octets: [UInt8]) -> Bool { octets.first.map { $0 < 2 } ?? false }

    /// When `advance` has something to do; nil when it has not.
    var nextDeadline: HostTime? { clients.values.compactMap(\.nextDeadline).min() }

    /// Asks. What was asked there before is given up.
    mutating func ask(_ server: SignallingAddress, now: HostTime) {
        guard let address = try? IPAddress(server.host) else { return }
        var client = clients[server] ?? STUNBindingClient(server: SocketAddress(address, port: server.port))
        client.request(now: now)
        clients[server] = client
    }

    /// Takes a datagram.
    /// - Returns: where `source` sees us; nil: it is no answer, or none that tells.
    mutating func receive(_ octets: [UInt8], from source: SignallingAddress) -> SignallingAddress? {
        guard var client = clients[source], let address = try? IPAddress(source.host) else { return nil }
        let outcome = octets.withUnsafeBytes { client.receive($0, from: SocketAddress(address, port: source.port)) }
        clients[source] = client.isAsking ? client : nil
        guard case .mapped(let seen, hasMoved: _)? = outcome else { return nil }
        return SignallingAddress(host: "\(seen.address)", port: seen.port)
    }

    mutating func advance(to now: HostTime) {
        for server in clients.keys {
            _ = clients[server]?.advance(to: now)
            if clients[server]?.isAsking == false { clients[server] = nil }
        }
    }

    /// What is to be sent since the last call, and where to.
    mutating func takeOutputs() -> [(octets: [UInt8], server: SignallingAddress)] {
        clients.keys.flatMap { server in (clients[server]?.takeOutputs() ?? []).map { ($0, server) } }
    }
}
