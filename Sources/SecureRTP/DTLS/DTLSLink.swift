import Link
import Realtime

/// The layer that agrees upon SRTP's keys by DTLS (RFC 5764), for an `SRTPLink` on top of it. RTP and RTCP pass it by.
///
/// ```
/// stream -> SRTPLink -> DTLSLink -> UDPLink
/// ```
/// Where no ICE check came first (`isPathChecked` false), the active side hears its peer only, and the passive side answers
/// strangers by cookies: a few of those who can be reached may try side by side, the first who finishes with an accepted
/// certificate is the peer, and the others change nothing. Datagrams that come before `start`, since signalling was slower, wait.
public final class DTLSLink: LinkLayer, SRTPKeySource {
    /// Strangers whose handshake is under way at a time, and of them from one address; the oldest makes place for the next, so that
    /// nobody keeps others out by doing nothing.
    public static let mostCandidates = 8
    public static let mostCandidatesOfAddress = 2
    /// How long a stranger's handshake may take, in milliseconds.
    public static let candidateMilliseconds = 10_000.0
    /// Events that wait for their owner before refused strangers are no longer told.
    static let mostEvents = 64
    /// Datagrams that wait for `start`.
    static let mostEarly = 8

    /// How far it is.
    public enum State: Sendable, Hashable {
        /// `start` was not called.
        case idle
        case handshaking
        /// `accept` is waited for.
        case undecided
        case connected
        case closed
        case failed(DTLSFailure)
    }

    public let lower: any PacketLink
    public private(set) var state = State.idle
    private let identity: DTLSIdentity
    private let suites: [SRTPSuite]
    private let isPathChecked: Bool
    private var association: DTLSAssociation?
    /// Where the association's datagrams go; nil: to the link's peer.
    private var destination: SocketAddress?
    private var listener: DTLSListener?
    private var candidates: [Candidate] = []
    private var early: [(bytes: [UInt8], source: SocketAddress)] = []
    /// What strangers are answered, until the lower link is done with what it receives: it may not be entered twice.
    private var answers: [(bytes: [UInt8], destination: SocketAddress)] = []
    private var limit: HostTime?
    /// Milliseconds that are left from the next turn on, as another thread says; nil: nobody has said so.
    private let shortened = Lock<Double?>(nil)
    /// The handshake begins when the layer below has found the peer: a first flight into nowhere is repeated a second later.
    private var waitsForPath = false
    /// Whether anything of a handshake came from the other side.
    public private(set) var hasHeardPeer = false
    /// When the handshake's first flight left or came, and how long it took.
    private var began: HostTime?
    private var handshakeMilliseconds: Double?
    private var events: [DTLSLinkEvent] = []
    private var linkEvents: [LinkEvent] = []
    /// Why the last stranger was refused: the best that is known when nobody else came.
    private var lastRefusal: DTLSFailure?
    private var drops = LinkStatistics()
    private var handled = 0

    private struct Candidate {
        let source: SocketAddress
        let association: DTLSAssociation
    }

    /// - Parameters:
    ///   - suites: what may protect the media, the preferred one first.
    ///   - isPathChecked: whether a layer below hands on only what comes by a path that its checks have authenticated (ICE).
    public init(
        over lower: any PacketLink, identity: DTLSIdentity, suites: [SRTPSuite] = SRTPSuite.allCases,
        isPathChecked: Bool = false
    ) {
        self.lower = lower
        self.identity = identity
        self.suites = suites
        self.isPathChecked = isPathChecked
    }

    // MARK: - What the owner asks for

    /// Begins a handshake; called again, a new one in place of the association there was, whose keys `SRTPLink` keeps until there
    /// are new ones (RFC 8842 section 4). Without ICE the active side's peer must be known: by `setPeer`.
    /// - Parameter patienceMilliseconds: it fails after so long; nil: never, for who waits for callers.
    public func start(
        _ role: DTLSRole, trust: DTLSTrust, patienceMilliseconds: Double? = 20_000, now: HostTime
    ) throws(DTLSFailure) {
        abandon()
        (began, handshakeMilliseconds) = (nil, nil)
        _ = takeShortened()
        limit = patienceMilliseconds.map { now.advanced(byMilliseconds: $0) }
        if role == .passive, !isPathChecked {
            listener = try DTLSListener(identity, trust: trust, suites: suites)
        } else {
            let association = try DTLSAssociation(identity, role, trust: trust, suites: suites)
            self.association = association
            waitsForPath = true
            startOnPath(now)
        }
        state = .handshaking
        let waiting = early
        early = []
        for item in waiting { item.bytes.withUnsafeBytes { receive($0, from: item.source, now: now) } }
        flush(now)
    }

    /// A handshake that runs has only so long from the next turn on, unless it has less already: somebody has answered, and
    /// waits. From any thread.
    public func shortenPatience(toMilliseconds milliseconds: Double) { shortened.withLock { $0 = milliseconds } }

    private func takeShortened() -> Double? {
        shortened.withLock { milliseconds in
            defer { milliseconds = nil }
            return milliseconds
        }
    }

    private func startOnPath(_ now: HostTime) {
        guard waitsForPath, !isPathChecked || lower.peer != nil else { return }
        waitsForPath = false
        if association != nil { began = now }
        association?.start(patienceMilliseconds: nil, now: now)
    }

    /// Who waits for callers trusts these from now on; a handshake that is under way goes by what was said before.
    public func setTrust(_ trust: DTLSTrust) { listener?.trust = trust }

    /// The undecided peer is whom we want.
    public func accept(now: HostTime) {
        guard state == .undecided, let association else { return }
        association.accept()
        adopt(association)
        flush(now)
    }

    /// Sends a message; see `DTLSAssociation.send`.
    public func send(message: [UInt8], now: HostTime) -> Bool {
        guard let association, association.send(message) else { return false }
        flush(now)
        return true
    }

    /// Says goodbye, and hears nobody until it is started again.
    public func close(now: HostTime) {
        association?.close()
        flush(now)
        abandon()
        state = .closed
    }

    /// What happened, oldest first; nil when there is nothing more.
    public func nextDTLSEvent() -> DTLSLinkEvent? { events.isEmpty ? nil : events.removeFirst() }

    /// Where the peer is, judged or not; nil: nobody knows yet.
    public var peerAddress: SocketAddress? { destination ?? lower.peer?.media }

    public func takeKeys() -> SRTPKeys? { association?.takeKeys() }

    private func abandon() {
        (association, destination, listener, candidates, hasHeardPeer) = (nil, nil, nil, [], false)
        waitsForPath = false
        lastRefusal = nil
    }

    // MARK: - Datagrams

    public func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        lower.receive(now: now) { packet in
            guard packet.kind == .dtls else { return deliver(&packet) }
            handled += 1
            // RTCP on a port of its own would want an association of its own: there is one, and it is RTP's.
            guard !packet.isOnControlPort else { return drop(.stranger) }
            receive(UnsafeRawBufferPointer(packet.bytes), from: packet.source, now: now)
        }
        if state == .connected, handshakeMilliseconds == nil {
            handshakeMilliseconds = began.map { now.milliseconds(since: $0) }
        }
        flush(now)
    }

    private func receive(_ datagram: UnsafeRawBufferPointer, from source: SocketAddress, now: HostTime) {
        if state == .handshaking { began = began ?? now }
        switch state {
        case .idle:
            guard early.count < Self.mostEarly, datagram.count <= PacketLimits.datagramBytes else { return drop(.stranger) }
            early.append((Array(datagram), source))
        case .closed, .failed:
            drop(.stranger)
        case .handshaking where listener != nil:
            receive(candidate: datagram, from: source, now: now)
        case .handshaking:
            guard isPathChecked || source == lower.peer?.media else { return drop(.stranger) }
            feed(datagram, now)
        case .undecided, .connected:
            // From elsewhere only what may be authenticated: nothing of a handshake's clear part.
            guard isPathChecked || source == destination || source == lower.peer?.media || Self.isProtected(datagram) else {
                return drop(.stranger)
            }
            feed(datagram, now)
        }
    }

    private func drop(_ reason: LinkDropReason) { drops[reason] += 1 }

    /// Whether the first record is of an epoch that has keys (RFC 6347 section 4.1).
    private static func isProtected(_ datagram: UnsafeRawBufferPointer) -> Bool {
        datagram.count >= 13 && (datagram[3] != 0 || datagram[4] != 0)
    }

    private func feed(_ datagram: UnsafeRawBufferPointer, _ now: HostTime) {
        guard let association else { return }
        hasHeardPeer = true
        // A check of the other side's has proven the path where ours is still under way.
        if waitsForPath {
            waitsForPath = false
            association.start(patienceMilliseconds: nil, now: now)
        }
        association.receive(datagram, now: now)
        adopt(association)
    }

    // MARK: - Strangers

    private func receive(candidate datagram: UnsafeRawBufferPointer, from source: SocketAddress, now: HostTime) {
        if let known = candidates.first(where: { $0.source == source }) {
            known.association.receive(datagram, now: now)
            return settle(known)
        }
        guard let listener else { return drop(.stranger) }
        let result = listener.receive(datagram, from: source)
        answers += result.answers.map { ($0, source) }
        guard let association = result.association else { return drop(.stranger) }
        makePlace(for: source)
        let candidate = Candidate(source: source, association: association)
        candidates.append(candidate)
        hasHeardPeer = true
        association.start(patienceMilliseconds: Self.candidateMilliseconds, now: now)
        settle(candidate)
    }

    private func makePlace(for source: SocketAddress) {
        let isCrowd = candidates.filter { $0.source.address == source.address }.count >= Self.mostCandidatesOfAddress
        if isCrowd, let oldest = candidates.firstIndex(where: { $0.source.address == source.address }) {
            candidates.remove(at: oldest)
        } else if candidates.count >= Self.mostCandidates {
            candidates.removeFirst()
        }
    }

    /// Looks at what became of a stranger: the first who finishes is the peer.
    private func settle(_ candidate: Candidate) {
        answers += candidate.association.takeDatagrams().map { ($0, candidate.source) }
        switch candidate.association.state {
        case .handshaking:
            break
        case .failed(let reason):
            candidates.removeAll { $0.source == candidate.source }
            lastRefusal = reason
            if events.count < Self.mostEvents { events.append(.refused(reason, from: candidate.source)) }
        case .closed:
            candidates.removeAll { $0.source == candidate.source }
        case .undecided, .connected:
            (candidates, listener) = ([], nil)
            destination = candidate.source
            association = candidate.association
            adopt(candidate.association)
        }
    }

    // MARK: - The peer

    /// Takes over the state and the events of the association that counts.
    private func adopt(_ association: DTLSAssociation) {
        switch association.state {
        case .handshaking: state = .handshaking
        case .undecided: state = .undecided
        case .connected:
            if state != .connected, let destination {
                // Authenticated: this is the peer, wherever it is. What moves later is SRTP's to tell.
                lower.setPeer(LinkPeer(media: destination))
                self.destination = nil
            }
            state = .connected
        case .closed: state = .closed
        case .failed(let reason): state = .failed(reason)
        }
        while let event = association.nextEvent() { tell(event) }
    }

    private func tell(_ event: DTLSEvent) {
        switch event {
        case .connected(let session):
            linkEvents.append(.secured(suite: session.suite.rawValue, fingerprint: "\(session.peer)"))
        case .failed(let reason): linkEvents.append(.notSecured(reason: "\(reason)", isCertificate: reason.isCertificate))
        // Whoever does not ask for messages shall not keep them all.
        case .message where events.count >= Self.mostEvents: return
        case .undecided, .message, .closed: break
        }
        events.append(.association(event))
    }

    private func flush(_ now: HostTime) {
        let waiting = answers
        answers.removeAll(keepingCapacity: true)
        for item in waiting { send(item.bytes, to: item.destination, now) }
        startOnPath(now)
        guard let association else { return }
        for datagram in association.takeDatagrams() { send(datagram, to: destination, now) }
    }

    private func send(_ datagram: [UInt8], to destination: SocketAddress?, _ now: HostTime) {
        // With room for what the layers below add: a relay's header.
        var bytes = datagram + [UInt8](repeating: 0, count: PacketLimits.trailerBytes)
        bytes.withUnsafeMutableBytes { buffer in
            var packet = OutgoingPacket(.media, in: buffer, count: datagram.count, to: destination)
            _ = lower.send(&packet, now: now)
        }
    }

    // MARK: - Time

    public func advance(to now: HostTime) {
        lower.advance(to: now)
        if let association {
            association.advance(to: now)
            adopt(association)
        }
        for candidate in candidates {
            candidate.association.advance(to: now)
            settle(candidate)
        }
        flush(now)
        guard state == .handshaking else { return }
        if let milliseconds = takeShortened() {
            let earlier = now.advanced(byMilliseconds: milliseconds)
            limit = min(limit ?? earlier, earlier)
        }
        guard let limit, now >= limit else { return }
        let reason = lastRefusal ?? (hasHeardPeer ? .incomplete : .unanswered)
        abandon()
        state = .failed(reason)
        tell(.failed(reason))
    }

    public var nextDeadline: HostTime? {
        var deadlines = candidates.compactMap(\.association.nextDeadline)
        if let below = lower.nextDeadline { deadlines.append(below) }
        if let own = association?.nextDeadline { deadlines.append(own) }
        if state == .handshaking, let limit { deadlines.append(limit) }
        return deadlines.min()
    }

    public func nextEvent() -> LinkEvent? { linkEvents.isEmpty ? lower.nextEvent() : linkEvents.removeFirst() }

    public var wantsWakeup: Bool { state == .handshaking || state == .undecided || lower.wantsWakeup }

    public var statistics: LinkStatistics {
        var result = lower.statistics
        result.received -= handled
        result.handshakeMilliseconds = handshakeMilliseconds
        for reason in LinkDropReason.allCases { result[reason] += drops[reason] }
        return result
    }
}

/// What a `DTLSLink` tells.
public enum DTLSLinkEvent: Sendable, Hashable {
    /// Of the association with the peer; `failed` is the end of the whole attempt.
    case association(DTLSEvent)
    /// Somebody's handshake failed, and others may still come: a wrong certificate, for example.
    case refused(DTLSFailure, from: SocketAddress)
}
