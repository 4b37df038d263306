import Glibc
import ICE
import Link
import Network
import Realtime
import Settings

/// Whether STUN and TURN servers answer, and as whom they see us.
package enum ServerFindings {
    /// How long an answer is waited for, in milliseconds.
    private static let patienceMilliseconds = 3000.0

    /// Blocks until the server has answered, or the time is over.
    package static func look(_ server: ServerName, kind: String) -> Finding {
        let subject = "\(kind) server \(server)"
        let addresses: [SocketAddress]
        do throws(NetworkError) {
            addresses = reachable(try resolve(host: server.host, port: server.port))
        } catch {
            return Finding(subject, .network, .trouble, "\(error)", "check network.\(kind)")
        }
        guard let address = addresses.first else {
            return Finding(subject, .network, .trouble, "there is no way to its addresses", "look at the machine's routes")
        }
        guard let seen = ask(address) else {
            return Finding(
                subject, .network, .trouble, "no answer within \(Int(patienceMilliseconds / 1000)) s",
                "check network.\(kind), and whether a firewall drops UDP to port \(server.port)")
        }
        return .fine(subject, .network, "sees us as \(seen)")
    }

    /// Our address as the server sees it.
    private static func ask(_ address: SocketAddress) -> SocketAddress? {
        let any = address.address.family == .v4 ? IPAddress(v4: 0) : IPAddress(v6: 0)
        guard let socket = try? UDPSocket(binding: SocketAddress(any, port: 0)) else { return nil }
        var client = STUNBindingClient(server: address)
        let end = HostTime.monotonicNow().advanced(byMilliseconds: patienceMilliseconds)
        client.request(now: .monotonicNow())
        while HostTime.monotonicNow() < end {
            for output in client.takeOutputs() { _ = output.withUnsafeBytes { socket.send($0, to: address) } }
            let next = min(end, client.nextDeadline ?? end)
            var entry = pollfd(fd: socket.fileDescriptor, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, Int32(max(0, next.milliseconds(since: .monotonicNow()))) + 1)
            if let outcome = receive(socket, from: address, &client) ?? client.advance(to: .monotonicNow()) {
                if case .mapped(let seen, _) = outcome { return seen }
                return nil
            }
        }
        return nil
    }

    /// Whose datagram it is the transaction's number tells, which nobody else knows.
    private static func receive(
        _ socket: UDPSocket, from server: SocketAddress, _ client: inout STUNBindingClient
    ) -> STUNBindingClient.Outcome? {
        var buffer = [UInt8](repeating: 0, count: 2048)
        let count = recv(socket.fileDescriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else { return nil }
        return buffer.prefix(count).withUnsafeBytes { client.receive($0, from: server) }
    }
}
