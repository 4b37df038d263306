import CDTLS

/// Whose certificates are trusted by connections with TLS.
///
/// Sendable: immutable after init, and OpenSSL counts references to its context by atomic operations.
public final class TLSContext: @unchecked Sendable {
    fileprivate let pointer: OpaquePointer
    private static let missing: String? = cdtls_load().map { String(cString: $0) }

    /// - Parameter authorityFile: PEM file of the authorities that are trusted; nil: the system's.
    /// - Throws: `tls`: OpenSSL is missing, or no authority can be read.
    public init(authorityFile: String? = nil) throws(NetworkError) {
        if let missing = Self.missing { throw .tls(missing) }
        guard let pointer = ctls_context_create(authorityFile) else {
            throw .tls(
                "no certificates of authorities can be read from \(authorityFile ?? "the system's folder"); name a PEM file")
        }
        self.pointer = pointer
    }

    deinit { ctls_context_free(pointer) }
}

/// TLS of a client, sans-I/O: octets of the connection and of what is said in it.
final class TLSClient {
    private let context: TLSContext
    private let pointer: OpaquePointer
    private var state = Int32(CTLS_HANDSHAKING)
    /// Said before the handshake was done.
    private var early: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 16_384)

    /// - Parameter name: what the server's certificate must be for: a DNS name or a numeric address.
    init(_ context: TLSContext, name: String) throws(NetworkError) {
        guard let pointer = ctls_create(context.pointer, name) else {
            throw .tls("\(name) is no name that a certificate can have")
        }
        self.context = context
        self.pointer = pointer
        state = ctls_receive(pointer, nil, 0)
    }

    deinit { ctls_free(pointer) }

    /// Why there can be no connection; empty: the server said goodbye; nil: there is one, or may be.
    var ending: String? {
        switch state {
        case Int32(CTLS_CLOSED): ""
        case Int32(CTLS_FAILED): String(cString: ctls_error(pointer))
        default: nil
        }
    }

    /// Says octets to the server; as long as nothing is agreed on they wait.
    /// - Returns: false: too much waits already.
    func write(_ octets: UnsafeRawBufferPointer) -> Bool {
        guard state != CTLS_HANDSHAKING else {
            guard early.count + octets.count <= TCPStream.mostWaiting else { return false }
            early += octets
            return true
        }
        let bytes = octets.assumingMemoryBound(to: UInt8.self)
        return Int(ctls_write(pointer, bytes.baseAddress, Int32(bytes.count))) == octets.count
    }

    /// Takes what the connection brought, and hands on what the server said.
    func receive(_ octets: UnsafeRawBufferPointer, _ deliver: (UnsafeRawBufferPointer) -> Void) {
        let bytes = octets.assumingMemoryBound(to: UInt8.self)
        state = ctls_receive(pointer, bytes.baseAddress, Int32(bytes.count))
        if state == CTLS_CONNECTED, !early.isEmpty {
            let waiting = early
            early = []
            _ = waiting.withUnsafeBytes { write($0) }
        }
        while true {
            let count = Int(ctls_read(pointer, &buffer, Int32(buffer.count)))
            guard count > 0 else { break }
            buffer.withUnsafeBytes { deliver(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
        // A goodbye, or a record that is forged, shows by reading.
        state = ctls_receive(pointer, nil, 0)
    }

    /// Hands out what is to be sent by the connection.
    func takeOutput(_ send: (UnsafeRawBufferPointer) -> Void) {
        while true {
            let count = Int(ctls_take(pointer, &buffer, Int32(buffer.count)))
            guard count > 0 else { return }
            buffer.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }

    /// Says goodbye.
    func close() {
        ctls_close(pointer)
        state = Int32(CTLS_CLOSED)
    }
}
