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
    /// - Parameter authorityFile: who may certify a server by TLS; nil: the system's authorities.
    /// - Returns: the finding, and as whom the server sees us, where it tells.
    package static func look(
        _ server: ServerName, kind: String, authorityFile: String? = nil
    ) -> (finding: Finding, seen: String?) {
        let subject = "\(kind) server \(server)"
        func trouble(_ detail: String, _ remedy: String) -> (Finding, String?) {
            (Finding(subject, .network, .trouble, detail, remedy), nil)
        }
        let addresses: [SocketAddress]
        do throws(NetworkError) {
            addresses = reachable(try resolve(host: server.host, port: server.port))
        } catch {
            return trouble("\(error)", "check network.\(kind)")
        }
        guard let address = addresses.first else {
            return trouble("there is no way to its addresses", "look at the machine's routes")
        }
        if server.way != .udp {
            guard let failure = ask(address, server, authorityFile) else {
                return (.fine(subject, .network, "answers by \(server.way.rawValue.uppercased())"), nil)
            }
            return trouble(failure, "check network.\(kind), network.turn_ca and the firewall")
        }
        guard let seen = ask(address) else {
            return trouble(
                "no answer within \(Int(patienceMilliseconds / 1000)) s",
                "check network.\(kind), and whether a firewall drops UDP to port \(server.port)")
        }
        return (.fine(subject, .network, "sees us as \(seen)"), "\(seen)")
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

    /// Asks by a connection; what went wrong, nil: it answered.
    private static func ask(
        _ address: SocketAddress, _ server: ServerName, _ authorityFile: String?
    ) -> String? {
        let connection: StreamConnection
        do throws(NetworkError) {
            let tls = server.way == .tls ? (try TLSContext(authorityFile: authorityFile), server.host) : nil
            connection = try StreamConnection(to: address, tls: tls)
        } catch {
            return "\(error)"
        }
        defer { connection.close() }
        var client = STUNBindingClient(server: address, retransmissionTimeout: patienceMilliseconds)
        client.request(now: .monotonicNow())
        for output in client.takeOutputs() { _ = output.withUnsafeBytes { connection.send($0) } }
        var framer = TURNStreamFramer()
        let end = HostTime.monotonicNow().advanced(byMilliseconds: patienceMilliseconds)
        var hasAnswered = false
        while !hasAnswered, HostTime.monotonicNow() < end {
            var entry = pollfd(fd: connection.fileDescriptor, events: connection.pollEvents, revents: 0)
            poll(&entry, 1, Int32(max(0, end.milliseconds(since: .monotonicNow()))) + 1)
            let ending = connection.receive { octets in
                try? framer.receive(octets) { message in
                    let outcome = client.receive(UnsafeRawBufferPointer(message), from: address)
                    if case .mapped = outcome { hasAnswered = true }
                }
            }
            if !hasAnswered, let ending { return ending }
        }
        return hasAnswered ? nil : "no answer within \(Int(patienceMilliseconds / 1000)) s"
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
