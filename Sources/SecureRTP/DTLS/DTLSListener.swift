import CDTLS
import Link

/// Answers strangers who say hello, and keeps nothing of them until they have shown that they can be reached where they say they
/// are (RFC 6347 section 4.2.1): a flood from forged addresses costs a hash a datagram, and no memory.
///
/// A hello must come in one datagram; who sends a longer one (a browser with post-quantum keys) comes by a path that ICE has checked.
final class DTLSListener {
    private var pointer: OpaquePointer
    private let identity: DTLSIdentity
    /// Of those who come from now on.
    var trust: DTLSTrust
    private let suites: [SRTPSuite]
    private var answers: [[UInt8]] = []
    /// Hellos that did not lead to an association: answered with a cookie, or no hello at all.
    private(set) var turnedAway = 0

    init(_ identity: DTLSIdentity, trust: DTLSTrust, suites: [SRTPSuite]) throws(DTLSFailure) {
        self.identity = identity
        self.trust = trust
        self.suites = suites
        pointer = try DTLSAssociation.create(identity, .passive, suites)
        own()
    }

    deinit { cdtls_free(pointer) }

    private func own() {
        cdtls_set_owner(
            pointer,
            cdtls_owner(
                context: Unmanaged.passUnretained(self).toOpaque(),
                send: { context, bytes, count in
                    guard let context, let bytes else { return }
                    Unmanaged<DTLSListener>.fromOpaque(context).takeUnretainedValue().answers
                        .append(Array(UnsafeBufferPointer(start: bytes, count: Int(count))))
                },
                accept: { _, _, _, _, _ in false }))
    }

    /// Takes a datagram of somebody who has no association yet.
    /// - Returns: his association, to be started, when he proved where he is; and what is to be sent to him.
    func receive(
        _ datagram: UnsafeRawBufferPointer, from source: SocketAddress
    ) -> (association: DTLSAssociation?, answers: [[UInt8]]) {
        defer { answers = [] }
        let bytes = datagram.assumingMemoryBound(to: UInt8.self)
        let name = Self.name(of: source)
        guard cdtls_listen(pointer, name, Int32(name.count), bytes.baseAddress, Int32(bytes.count)) == 1,
            let next = try? DTLSAssociation.create(identity, .passive, suites)
        else {
            turnedAway += 1
            return (nil, answers)
        }
        let association = DTLSAssociation(pointer, identity, .passive, trust, suites)
        pointer = next
        own()
        return (association, answers)
    }

    /// The address as bytes.
    private static func name(of source: SocketAddress) -> [UInt8] {
        var bytes: [UInt8] = [source.address.family == .v4 ? 4 : 6]
        withUnsafeBytes(of: source.address.bits.bigEndian) { bytes += $0 }
        withUnsafeBytes(of: source.port.bigEndian) { bytes += $0 }
        withUnsafeBytes(of: source.scope.bigEndian) { bytes += $0 }
        return bytes
    }
}
