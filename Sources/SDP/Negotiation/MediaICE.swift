/// Who somebody is to ICE's checks (RFC 8839 section 5.4).
public struct ICEIdentity: Hashable, Sendable {
    public var userFragment: String
    public var password: MediaSecret

    public init(userFragment: String, password: MediaSecret) {
        self.userFragment = userFragment
        self.password = password
    }
}

/// What one side's line says of ICE (RFC 8839).
public struct ICEDescription: Hashable, Sendable {
    public var identity: ICEIdentity
    public var candidates: [ICECandidate]
    /// It does no checks, only answers them (`a=ice-lite`).
    public var isLite: Bool
    /// No candidates follow (`a=end-of-candidates`), or none can.
    public var isComplete: Bool

    public init(_ identity: ICEIdentity, candidates: [ICECandidate] = [], isLite: Bool = false, isComplete: Bool = true) {
        self.identity = identity
        self.candidates = candidates
        self.isLite = isLite
        self.isComplete = isComplete
    }
}

/// What this side says of ICE, and would say.
public struct LocalICE: Hashable, Sendable {
    /// Answered where it is offered and RTP and RTCP share a port.
    public var description: ICEDescription
    /// Whether an offer of ours has it.
    public var isOffered: Bool
    /// Who we are after a restart that the other side wants (RFC 8839 section 4.4.1.1); nil: it is refused.
    public var next: ICEIdentity?

    public init(_ description: ICEDescription, isOffered: Bool, next: ICEIdentity? = nil) {
        self.description = description
        self.isOffered = isOffered
        self.next = next
    }
}

/// ICE as both sides agreed on it.
public struct ICEInForce: Hashable, Sendable {
    public var own: ICEDescription
    public var theirs: ICEDescription
    /// Whether this side made the offer, and so controls (RFC 8445 section 6.1.1) unless the other one is lite.
    public var isOfferer: Bool
}

/// What becomes of ICE in a line.
enum ICEOutcome: Hashable {
    /// Nobody speaks of it, or not both: media go where `c=` says.
    case plain
    /// Somebody between has put other addresses into the line than the candidates' (RFC 8839 section 4.2.5).
    case mismatch
    case agreed(ICEInForce)

    var isAgreed: Bool { if case .agreed = self { true } else { false } }

    /// What an answer of ours says.
    var attributes: [Attribute] {
        switch self {
        case .plain: []
        case .mismatch: [.other(name: "ice-mismatch", value: nil)]
        case .agreed(let ice): ice.own.attributes
        }
    }
}

extension LocalICE {
    /// How an offered line is answered.
    /// - Parameter current: what is in force; `isFirst`: nothing was agreed on before. A call that went on without ICE stays so.
    func answer(to offer: MediaReading, current: ICEInForce?, isFirst: Bool) -> ICEOutcome {
        guard isFirst || current != nil, offer.rtcpMux, let theirs = offer.ice else { return .plain }
        guard !offer.lacksDefaultCandidate else { return .mismatch }
        var own = description
        if let current, current.theirs.identity != theirs.identity {
            guard let next else { return .plain }
            own.identity = next
        }
        return .agreed(ICEInForce(own: own, theirs: theirs, isOfferer: false))
    }

    /// Whether an offer of ours has it now.
    func isOffered(current: ICEInForce?, isFirst: Bool) -> Bool { isFirst ? isOffered : current != nil }
}

extension ICEDescription {
    /// What our own line says.
    var attributes: [Attribute] {
        [.iceUsername(identity.userFragment), .icePassword(identity.password), .iceOptions(["ice2"])]
            + candidates.map(Attribute.candidate)
    }
}

extension MediaReading {
    /// What the writer says of ICE: the line's own words, else the session's; nil: it has none, or gave it up.
    var ice: ICEDescription? {
        let all = line.attributes + session.attributes
        var fragment: String?
        var password: MediaSecret?
        for attribute in all {
            switch attribute {
            case .iceUsername(let text): fragment = fragment ?? text
            case .icePassword(let secret): password = password ?? secret
            case .other("ice-mismatch", _): return nil
            default: break
            }
        }
        guard let fragment, let password else { return nil }
        let candidates = line.attributes.compactMap { if case .candidate(let value) = $0 { value } else { nil } }
        return ICEDescription(
            ICEIdentity(userFragment: fragment, password: password), candidates: candidates, isLite: all.contains(.iceLite),
            isComplete: all.contains(.endOfCandidates) || !trickles)
    }

    private var trickles: Bool {
        (line.attributes + session.attributes).contains {
            if case .iceOptions(let options) = $0 { options.contains("trickle") } else { false }
        }
    }

    /// Whether the address of the line is none of its candidates. One that trickles may have none yet (RFC 8840 section 4.1.1).
    var lacksDefaultCandidate: Bool {
        guard let ice, let connection, line.port != 0 else { return false }
        if trickles, line.port == 9 { return false }
        guard let address = NumericAddress(connection.address), !address.isUnspecified else { return false }
        return !ice.candidates.contains {
            $0.component == 1 && $0.port == line.port && NumericAddress($0.address) == address
        }
    }
}
