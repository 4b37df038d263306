import CDTLS
import Realtime

/// A DTLS 1.2 association with one peer (RFC 6347), sans-I/O: datagrams and time come in, datagrams and events go out.
///
/// After each call of `start`, `receive`, `advance`, `send` and `close` there may be datagrams to send (`takeDatagrams`) and events
/// (`nextEvent`). Confined to one thread.
public final class DTLSAssociation {
    /// Largest datagram that is sent, in bytes; it fits through every tunnel, and is never asked of the network.
    public static let mtu = 1200
    /// Largest message, in bytes: it travels in one datagram.
    public static let longestMessage = 1100
    /// Messages that wait until somebody has judged the peer; more are lost.
    static let mostHeldMessages = 16

    /// How far it is.
    public enum State: Sendable, Hashable {
        case handshaking
        /// `accept` is waited for.
        case undecided
        case connected
        case closed
        case failed(DTLSFailure)
    }

    public private(set) var state = State.handshaking
    /// SRTP's keys of this association, once; nil before it is connected.
    private var keys: SRTPKeys?
    private var pointer: OpaquePointer
    private let identity: DTLSIdentity
    private let role: DTLSRole
    private let trust: DTLSTrust
    private let suites: [SRTPSuite]
    private var events: [DTLSEvent] = []
    private var datagrams: [[UInt8]] = []
    private var messages: [[UInt8]] = []
    private var peer: DTLSFingerprint?
    /// Why the peer's certificate was refused.
    private var refusal: DTLSFailure?
    private var hasHeardPeer = false
    private var isStarted = false
    private var timeout: Int32 = 0
    private var retransmission: HostTime?
    private var limit: HostTime?

    /// - Parameter suites: what protects the media, the preferred one first; those without a number in DTLS are passed over.
    public convenience init(
        _ identity: DTLSIdentity, _ role: DTLSRole, trust: DTLSTrust, suites: [SRTPSuite] = SRTPSuite.allCases
    ) throws(DTLSFailure) {
        let pointer = try Self.create(identity, role, suites)
        self.init(pointer, identity, role, trust, suites)
    }

    /// Takes `pointer` over.
    init(_ pointer: OpaquePointer, _ identity: DTLSIdentity, _ role: DTLSRole, _ trust: DTLSTrust, _ suites: [SRTPSuite]) {
        self.pointer = pointer
        self.identity = identity
        self.role = role
        self.trust = trust
        self.suites = suites
        own()
    }

    private func own() {
        cdtls_set_owner(
            pointer,
            cdtls_owner(
                context: Unmanaged.passUnretained(self).toOpaque(),
                send: { context, bytes, count in
                    guard let context, let bytes else { return }
                    Unmanaged<DTLSAssociation>.fromOpaque(context).takeUnretainedValue().datagrams
                        .append(Array(UnsafeBufferPointer(start: bytes, count: Int(count))))
                },
                accept: { context, certificate, count, isRSA, bits in
                    guard let context, let certificate else { return false }
                    return Unmanaged<DTLSAssociation>.fromOpaque(context).takeUnretainedValue()
                        .judge(UnsafeBufferPointer(start: certificate, count: Int(count)), isRSA: isRSA, bits: Int(bits))
                }))
    }

    deinit { cdtls_free(pointer) }

    static func create(_ identity: DTLSIdentity, _ role: DTLSRole, _ suites: [SRTPSuite]) throws(DTLSFailure) -> OpaquePointer {
        let names = suites.compactMap(\.dtlsName)
        guard !names.isEmpty else { throw .noSuites }
        let deaf = cdtls_owner(context: nil, send: { _, _, _ in }, accept: { _, _, _, _, _ in false })
        let pointer = cdtls_create(
            identity.pointer, role == .active, names.joined(separator: ":"), Int32(mtu), deaf)
        guard let pointer else { throw .noSuites }
        return pointer
    }

    // MARK: - Inputs

    /// Begins: the active side sends, the passive one waits.
    /// - Parameter patienceMilliseconds: the handshake fails after so long; nil: never.
    public func start(patienceMilliseconds: Double? = 20_000, now: HostTime) {
        guard !isStarted else { return }
        isStarted = true
        limit = patienceMilliseconds.map { now.advanced(byMilliseconds: $0) }
        let sent = datagrams.count
        settle(cdtls_start(pointer), sent: sent, now)
    }

    /// Takes a datagram from the peer, or from somebody who says that he is.
    public func receive(_ datagram: UnsafeRawBufferPointer, now: HostTime) {
        guard isOpen, !datagram.isEmpty else { return }
        hasHeardPeer = true
        let sent = datagrams.count
        let bytes = datagram.assumingMemoryBound(to: UInt8.self)
        settle(cdtls_receive(pointer, bytes.baseAddress, Int32(bytes.count)), sent: sent, now)
        readMessages(now)
    }

    /// Time passes: flights that were not answered are sent again, and the handshake may have lasted too long.
    public func advance(to now: HostTime) {
        if state == .handshaking, let limit, now >= limit { return fail(hasHeardPeer ? .incomplete : .unanswered) }
        guard let due = retransmission, now >= due else { return }
        if cdtls_retransmit(pointer) < 0 { return startAgain(now) }
        timeout = cdtls_timeout(timeout)
        retransmission = now.advanced(byMilliseconds: Double(timeout))
    }

    /// OpenSSL gives up after a dozen times. A peer who has not answered yet may still come.
    private func startAgain(_ now: HostTime) {
        guard !hasHeardPeer, let next = try? Self.create(identity, role, suites) else {
            return fail(hasHeardPeer ? .incomplete : .unanswered)
        }
        cdtls_free(pointer)
        pointer = next
        own()
        retransmission = nil
        settle(cdtls_start(pointer), sent: datagrams.count, now)
    }

    /// When `advance` next has something to do; nil when it has not.
    public var nextDeadline: HostTime? {
        guard state == .handshaking else { return nil }
        guard let retransmission, let limit else { return retransmission ?? limit }
        return min(retransmission, limit)
    }

    /// The undecided peer is whom we want.
    public func accept() {
        guard state == .undecided else { return }
        connect()
    }

    /// Sends a message in one datagram. Like any datagram it may be lost, doubled or overtaken.
    /// - Returns: false when there is no association, or the message is empty or longer than `longestMessage`.
    public func send(_ message: [UInt8]) -> Bool {
        guard state == .connected, message.count <= Self.longestMessage else { return false }
        return cdtls_write(pointer, message, Int32(message.count))
    }

    /// Says goodbye. The peer may not hear it.
    public func close() {
        guard isOpen else { return }
        cdtls_close(pointer)
        state = .closed
        retransmission = nil
    }

    // MARK: - Outputs

    /// Datagrams for the peer, in order. What OpenSSL hands out a message at a time travels together: a flight of one datagram is
    /// lost less often than one of five.
    public func takeDatagrams() -> [[UInt8]] {
        defer { datagrams = [] }
        return datagrams.reduce(into: []) { joined, next in
            if let last = joined.last, last.count + next.count <= Self.mtu {
                joined[joined.count - 1] += next
            } else {
                joined.append(next)
            }
        }
    }

    /// What happened, oldest first; nil when there is nothing more.
    public func nextEvent() -> DTLSEvent? { events.isEmpty ? nil : events.removeFirst() }

    /// The keys for SRTP, once.
    public func takeKeys() -> SRTPKeys? {
        defer { keys = nil }
        return keys
    }

    // MARK: - What comes of it

    private var isOpen: Bool {
        switch state {
        case .handshaking, .undecided, .connected: true
        case .closed, .failed: false
        }
    }

    private func settle(_ result: Int32, sent: Int, _ now: HostTime) {
        if !cdtls_awaits_answer(pointer) {
            retransmission = nil
        } else if retransmission == nil || datagrams.count > sent {
            timeout = cdtls_timeout(0)
            retransmission = now.advanced(byMilliseconds: Double(timeout))
        }
        switch Int(result) {
        case Int(CDTLS_CONNECTED): if state == .handshaking { finishHandshake() }
        case Int(CDTLS_CLOSED): hearGoodbye()
        case Int(CDTLS_FAILED): fail(reason)
        default: break
        }
    }

    private func hearGoodbye() {
        guard isOpen else { return }
        // Before we were done it is a refusal; a peer who finds no suite says nothing else.
        guard state != .handshaking else {
            return fail(peer != nil && suite == nil ? .noCommonProfile : .refusedByPeer(alert: 0))
        }
        state = .closed
        events.append(.closed)
    }

    private var reason: DTLSFailure {
        if let refusal { return refusal }
        let alert = Int(cdtls_peer_alert(pointer))
        if alert >= 0 { return .refusedByPeer(alert: alert) }
        return .protocolError(cdtls_error(pointer).map { String(cString: $0) } ?? "no reason given")
    }

    private func fail(_ failure: DTLSFailure) {
        guard isOpen else { return }
        state = .failed(failure)
        retransmission = nil
        events.append(.failed(failure))
    }

    /// Whether the certificate is the one that is meant. Asked before the peer has proven that its key is his.
    private func judge(_ certificate: UnsafeBufferPointer<UInt8>, isRSA: Bool, bits: Int) -> Bool {
        guard (isRSA ? 2048...8192 : 224...521).contains(bits) else {
            refusal = .unsuitableKey(bits: bits)
            return false
        }
        guard let own = DTLSFingerprint(.sha256, of: certificate) else { return false }
        peer = own
        guard case .fingerprints(let expected) = trust else { return true }
        // Each hash once, however many are known.
        let hashes = Set(expected.map(\.hash)).compactMap { DTLSFingerprint($0, of: certificate) }
        let isExpected = hashes.contains { expected.contains($0) }
        if !isExpected { refusal = .wrongFingerprint(own) }
        return isExpected
    }

    private func finishHandshake() {
        guard suite != nil else {
            cdtls_close(pointer)
            return fail(.noCommonProfile)
        }
        guard let peer else { return fail(.protocolError("no certificate")) }
        if trust == .ask {
            state = .undecided
            events.append(.undecided(peer))
        } else {
            connect()
        }
    }

    private var suite: SRTPSuite? {
        let profile = UInt16(truncatingIfNeeded: cdtls_profile(pointer))
        return suites.first { $0.dtlsProfile == profile }
    }

    private func connect() {
        guard let suite, let peer, let keys = exportKeys(suite) else { return fail(.protocolError("no keys")) }
        self.keys = keys
        state = .connected
        let cipher = cdtls_cipher(pointer).map { String(cString: $0) } ?? ""
        events.append(.connected(DTLSSession(suite: suite, cipher: cipher, peer: peer)))
        events += messages.map { .message($0) }
        messages = []
    }

    private func readMessages(_ now: HostTime) {
        guard state == .connected || state == .undecided else { return }
        var room = [UInt8](repeating: 0, count: 16_384)
        while true {
            let sent = datagrams.count
            let count = Int(cdtls_read(pointer, &room, Int32(room.count)))
            guard count > 0 else { return settle(cdtls_state(pointer), sent: sent, now) }
            let message = Array(room[..<count])
            if state == .connected {
                events.append(.message(message))
            } else if messages.count < Self.mostHeldMessages {
                messages.append(message)
            }
        }
    }

    /// RFC 5764 section 4.2: the client's key, the server's key, the client's salt, the server's salt.
    private func exportKeys(_ suite: SRTPSuite) -> SRTPKeys? {
        let (key, salt) = (suite.keyLength, suite.saltLength)
        var bytes = [UInt8](repeating: 0, count: 2 * (key + salt))
        defer { bytes.withUnsafeMutableBytes { Secret.wipe($0) } }
        guard cdtls_export(pointer, &bytes, Int32(bytes.count)) else { return nil }
        func master(_ side: Int) -> SRTPMasterKey? {
            var joined = Array(
                bytes[side * key..<(side + 1) * key] + bytes[2 * key + side * salt..<2 * key + (side + 1) * salt])
            defer { joined.withUnsafeMutableBytes { Secret.wipe($0) } }
            return SRTPMasterKey(suite: suite, secret: Secret(joined))
        }
        guard let client = master(0), let server = master(1) else { return nil }
        return role == .active
            ? SRTPKeys(outbound: client, inbound: server) : SRTPKeys(outbound: server, inbound: client)
    }
}
