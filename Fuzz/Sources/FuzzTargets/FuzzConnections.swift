import ICE
import Link
import Realtime

/// A connection to a TURN server without a network: an input puts in what comes, piece by piece, and looks at what was sent.
final class FuzzConnections: TURNConnections {
    private var id: TURNConnectionID?
    private var server = SocketAddress(IPAddress(v4: 0), port: 0)
    private var sent: [[UInt8]] = []
    /// What comes, in two pieces each.
    var waiting: [[UInt8]] = []
    /// The server ends the connection.
    var hasEnded = false

    func open(_ id: TURNConnectionID, to server: TURNServer, now: HostTime) { (self.id, self.server) = (id, server.address) }

    func send(_ octets: UnsafeRawBufferPointer, on id: TURNConnectionID) -> Bool {
        precondition(octets.count % 4 == 0, "a message of \(octets.count) octets on a stream")
        guard id == self.id else { return false }
        sent = (sent + [Array(octets)]).suffix(64)
        return true
    }

    func close(_ id: TURNConnectionID) { if id == self.id { self.id = nil } }

    func receive(now: HostTime, _ deliver: (TURNConnectionID, TURNConnectionNews) -> Void) {
        let octets = waiting
        waiting = []
        for piece in octets.flatMap({ [$0.prefix($0.count / 3), $0.dropFirst($0.count / 3)] }) {
            guard let id else { return }
            piece.withUnsafeBytes { deliver(id, .octets($0)) }
        }
        guard hasEnded, let id else { return }
        hasEnded = false
        self.id = nil
        deliver(id, .ended("over"))
    }

    /// What was sent `age` before the last; nil: nothing was.
    func recent(_ age: Int) -> (bytes: [UInt8], destination: SocketAddress)? {
        sent.isEmpty ? nil : (sent[sent.count - 1 - age % sent.count], server)
    }
}
