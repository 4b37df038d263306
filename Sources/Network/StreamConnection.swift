import Glibc
import Link
import Realtime

/// A connection that this side opens, by TCP or by TLS over it. Nothing waits; confined to one thread.
public final class StreamConnection {
    private let tcp: TCPStream
    private let tls: TLSClient?

    /// Begins to connect.
    /// - Parameters:
    ///   - address: whom it is to reach.
    ///   - tls: who is trusted, and the name that the server's certificate must have; nil: plain TCP.
    public init(to address: SocketAddress, tls: (context: TLSContext, name: String)? = nil) throws(NetworkError) {
        tcp = try TCPStream(to: address)
        self.tls = if let tls { try TLSClient(tls.context, name: tls.name) } else { nil }
        flush()
    }

    /// What to poll, and for what.
    public var fileDescriptor: Int32 { tcp.fileDescriptor }
    public var pollEvents: Int16 { tcp.events }

    /// Sends octets, as soon as the connection stands.
    /// - Returns: false: too much waits already; nothing of these is sent.
    public func send(_ octets: UnsafeRawBufferPointer) -> Bool {
        guard let tls else { return tcp.send(octets) }
        // Only before they are encrypted: a record that is left out ends the connection.
        guard tcp.hasRoom(for: octets.count) else { return false }
        let isTaken = tls.write(octets)
        flush()
        return isTaken
    }

    private func flush() { tls?.takeOutput { tcp.append($0) } }

    /// Hands on what has come.
    /// - Returns: why the connection has ended; nil: it goes on.
    public func receive(_ deliver: (UnsafeRawBufferPointer) -> Void) -> String? {
        let code: Int32?
        if let tls {
            code = tcp.receive { tls.receive($0, deliver) }
            flush()
            if let ending = tls.ending { return ending.isEmpty ? Self.closed : "TLS: \(ending)" }
            if tcp.isOverfull { return "it takes nothing of what it asks for" }
        } else {
            code = tcp.receive(deliver)
        }
        return code.map { $0 == 0 ? Self.closed : "the connection failed: \(systemMessage($0))" }
    }

    private static let closed = "it closed the connection"

    /// Says goodbye, behind what was sent.
    public func close() {
        tls?.close()
        flush()
    }
}
