/// How this side's media may be encrypted: what is offered, and what is accepted.
public struct MediaSecurity: Hashable, Sendable {
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// Media are plain; an offer that wants them encrypted is refused.
        case off
        /// Encrypted where the other side can (RFC 8643), plain elsewhere.
        case optional
        /// Encrypted, or no call.
        case required
    }

    public var mode: Mode
    /// Of the certificate that our DTLS shows (RFC 5763); nil: no keys by DTLS.
    public var fingerprint: Fingerprint?
    /// Our own keys in SDP (RFC 4568), a line for each suite, the most wanted first; empty: none, since others could read them.
    public var keys: [CryptoAttribute]

    public init(mode: Mode = .off, fingerprint: Fingerprint? = nil, keys: [CryptoAttribute] = []) {
        self.mode = mode
        self.fingerprint = fingerprint
        self.keys = keys
    }
}

/// How the media of both directions are encrypted.
public enum SecurityInForce: Hashable, Sendable {
    /// Keys by DTLS (RFC 5763): whether we begin the handshake, and the certificates that it may show.
    case dtls(isActive: Bool, own: Fingerprint, theirs: [Fingerprint])
    /// Keys in SDP (RFC 4568): what protects our packets, and the other side's.
    case sdes(own: CryptoAttribute, theirs: CryptoAttribute)
}

/// What becomes of a line.
enum SecurityOutcome: Hashable {
    case plain
    case encrypted(SecurityInForce)
    case refused(LineRefusal)
}

// MARK: - Answering

extension MediaSecurity {
    /// How an offered line is answered. DTLS comes before keys in SDP, whatever the offer prefers.
    /// - Parameter current: what is in force. A call that is encrypted stays so.
    func answer(to offer: MediaReading, current: SecurityInForce?) -> SecurityOutcome {
        let transport = offer.line.transport
        if mode != .off {
            if let found = dtls(answering: offer, current) { return .encrypted(found) }
            if let found = sdes(answering: offer) { return .encrypted(found) }
        }
        if MediaTransport.isSecured(transport) { return .refused(.encryption(transport)) }
        return mode == .required || current != nil ? .refused(.unencrypted) : .plain
    }

    private func dtls(answering offer: MediaReading, _ current: SecurityInForce?) -> SecurityInForce? {
        let theirs = offer.usableFingerprints
        guard let fingerprint, !theirs.isEmpty else { return nil }
        let isActive: Bool
        // RFC 4145 section 4: without a word the offerer begins.
        switch offer.setup ?? .active {
        case .active: isActive = false
        case .passive: isActive = true
        case .actpass:
            // RFC 5763 section 5: the answerer begins. A handshake that is done keeps its roles.
            if case .dtls(let role, fingerprint, theirs) = current { isActive = role } else { isActive = true }
        case .holdconn: return nil
        }
        return .dtls(isActive: isActive, own: fingerprint, theirs: theirs)
    }

    private func sdes(answering offer: MediaReading) -> SecurityInForce? {
        guard MediaTransport.takesKeysInSDP(offer.line.transport) else { return nil }
        for theirs in offer.keys {
            guard var own = keys.first(where: { $0.suite == theirs.suite }) else { continue }
            own.tag = theirs.tag
            return .sdes(own: own, theirs: theirs)
        }
        return nil
    }
}

// MARK: - Offering

extension MediaSecurity {
    /// The profile of a first offer; nil: it was to be encrypted, and there is nothing to do it with.
    var offeredTransport: String? {
        guard mode == .required else { return MediaTransport.plain }
        return fingerprint != nil ? "UDP/TLS/RTP/SAVP" : keys.isEmpty ? nil : "RTP/SAVP"
    }

    /// What an offer says of encryption.
    /// - Parameter isFirst: nothing is in force yet. A later offer repeats what is.
    func offer(_ current: SecurityInForce?, isFirst: Bool) -> [Attribute] {
        guard mode != .off, isFirst else { return current?.attributes ?? [] }
        var attributes: [Attribute] = []
        if let fingerprint { attributes += [.fingerprint(fingerprint), .setup(.actpass)] }
        let takesKeys = mode == .optional || fingerprint == nil
        return attributes + (takesKeys ? keys.map(Attribute.crypto) : [])
    }

    /// What an answer to an offer of ours brings about.
    func agreed(offer: MediaReading, answer: MediaReading, current: SecurityInForce?) -> SecurityOutcome {
        if let found = dtls(offer, answer, current) ?? sdes(offer, answer) { return .encrypted(found) }
        let wanted = MediaTransport.isSecured(offer.line.transport) || mode == .required || current != nil
        if wanted { return .refused(.unencrypted) }
        return MediaTransport.isSecured(answer.line.transport) ? .refused(.encryption(answer.line.transport)) : .plain
    }

    private func dtls(_ offer: MediaReading, _ answer: MediaReading, _ current: SecurityInForce?) -> SecurityInForce? {
        let theirs = answer.usableFingerprints
        guard let own = offer.usableFingerprints.first, !theirs.isEmpty else { return nil }
        // The same certificates are the same association, whatever role the answer writes: some repeat their first one.
        if case .dtls(_, own, theirs) = current { return current }
        switch answer.setup ?? .passive {
        case .active: return .dtls(isActive: false, own: own, theirs: theirs)
        case .passive, .actpass: return .dtls(isActive: true, own: own, theirs: theirs)
        case .holdconn: return nil
        }
    }

    private func sdes(_ offer: MediaReading, _ answer: MediaReading) -> SecurityInForce? {
        for theirs in answer.keys {
            let own = offer.keys.first { $0.tag == theirs.tag && $0.suite == theirs.suite }
            if let own { return .sdes(own: own, theirs: theirs) }
        }
        return nil
    }
}

extension SecurityInForce {
    /// What our own line says of it.
    var attributes: [Attribute] {
        switch self {
        case .dtls(let isActive, let own, _): [.fingerprint(own), .setup(isActive ? .active : .passive)]
        case .sdes(let own, _): [.crypto(own)]
        }
    }
}

/// The profiles of RTP in media lines.
enum MediaTransport {
    static let plain = "RTP/AVP"

    /// Without feedback messages (RFC 4585) AVPF is AVP with another name.
    static func isKnown(_ transport: String) -> Bool {
        isSecured(transport) || transport == plain || transport == "RTP/AVPF"
    }

    static func isSecured(_ transport: String) -> Bool {
        ["RTP/SAVP", "RTP/SAVPF", "UDP/TLS/RTP/SAVP", "UDP/TLS/RTP/SAVPF"].contains(transport)
    }

    /// RFC 5764 section 8: under `UDP/TLS` keys come by DTLS alone.
    static func takesKeysInSDP(_ transport: String) -> Bool { !transport.hasPrefix("UDP/TLS/") }
}

// MARK: - Reading

extension MediaReading {
    /// The certificates that the writer's DTLS may show, by hash functions that are safe; the line's own, else the session's
    /// (RFC 8122 section 5).
    var usableFingerprints: [Fingerprint] {
        func found(_ attributes: [Attribute]) -> [Fingerprint] {
            attributes.compactMap { if case .fingerprint(let value) = $0 { value } else { nil } }
        }
        let own = found(line.attributes)
        let lengths = ["sha-256": 32, "sha-384": 48, "sha-512": 64]
        return (own.isEmpty ? found(session.attributes) : own).filter { lengths[$0.hashFunction] == $0.bytes.count }
    }

    /// The line's own role, else the session's.
    var setup: SetupRole? {
        for attribute in line.attributes + session.attributes {
            if case .setup(let role) = attribute { return role }
        }
        return nil
    }

    /// Keys that the writer put into the line.
    var keys: [CryptoAttribute] {
        line.attributes.compactMap { if case .crypto(let value) = $0 { value } else { nil } }
    }

    /// Which ways to keys it names; nil: none.
    var securityText: String? {
        let ways = [usableFingerprints.isEmpty ? nil : "DTLS", keys.isEmpty ? nil : "SDES"].compactMap(\.self)
        return ways.isEmpty ? nil : ways.joined(separator: " or ")
    }
}
