import Glibc
import ICE
import Link
import Network
import Realtime

/// The connections of one call's agent to TURN servers, by TCP and TLS.
final class RelayConnections: TURNConnections {
    private let trust: RelayTrust
    private var connections: [TURNConnectionID: StreamConnection] = [:]
    /// What went wrong before there was a connection.
    private var failures: [(id: TURNConnectionID, reason: String)] = []

    init(_ trust: RelayTrust) { self.trust = trust }

    func open(_ id: TURNConnectionID, to server: TURNServer, now: HostTime) {
        do throws(NetworkError) {
            let tls = server.transport == .tls ? (try trust.context(), server.name ?? "\(server.address.address)") : nil
            connections[id] = try StreamConnection(to: server.address, tls: tls)
        } catch {
            failures.append((id, "\(error)"))
        }
    }

    func send(_ octets: UnsafeRawBufferPointer, on id: TURNConnectionID) -> Bool { connections[id]?.send(octets) ?? false }

    func close(_ id: TURNConnectionID) {
        connections.removeValue(forKey: id)?.close()
        failures.removeAll { $0.id == id }
    }

    func receive(now: HostTime, _ deliver: (TURNConnectionID, TURNConnectionNews) -> Void) {
        let failed = failures
        failures = []
        for failure in failed { deliver(failure.id, .ended(failure.reason)) }
        for (id, connection) in connections {
            guard let reason = connection.receive({ deliver(id, .octets($0)) }) else { continue }
            connections[id] = nil
            deliver(id, .ended(reason))
        }
    }

    /// What to poll, and for what.
    var pollEntries: [pollfd] {
        connections.values.map { pollfd(fd: $0.fileDescriptor, events: $0.pollEvents, revents: 0) }
    }
}

/// Who may certify TURN servers, read when the first one by TLS is called, for all calls.
final class RelayTrust: Sendable {
    private let authorityFile: String?
    private let known = Lock<TLSContext?>(nil)

    init(authorityFile: String?) { self.authorityFile = authorityFile }

    func context() throws(NetworkError) -> TLSContext {
        if let context = known.withLock({ $0 }) { return context }
        let context = try TLSContext(authorityFile: authorityFile)
        known.withLock { $0 = context }
        return context
    }
}
