/// Who begins the handshake (RFC 4145, RFC 5763 section 5: `a=setup`).
public enum DTLSRole: Sendable, Hashable {
    /// We send the ClientHello.
    case active
    /// We wait for it.
    case passive
}

/// Whose certificate is accepted.
public enum DTLSTrust: Sendable, Hashable {
    /// One that has one of these fingerprints, as signalling announced them (RFC 8122 section 5). Compared while the handshake
    /// runs: with another certificate there is no association, and no key.
    case fingerprints([DTLSFingerprint])
    /// Any: the owner is asked (`DTLSEvent.undecided`) when the handshake is done, and no key is handed out, and no message, before
    /// he says yes.
    case ask
}

/// What was agreed.
public struct DTLSSession: Sendable, Hashable {
    /// What protects the media.
    public let suite: SRTPSuite
    /// The association's own cipher suite, by OpenSSL's name.
    public let cipher: String
    /// The peer's certificate by SHA-256.
    public let peer: DTLSFingerprint
}

/// What happened.
public enum DTLSEvent: Sendable, Hashable {
    /// The handshake is done, and the peer's certificate is to be judged: by `accept`, or by `close`.
    case undecided(DTLSFingerprint)
    /// The peer is who he should be, and there are keys.
    case connected(DTLSSession)
    /// Application data: one datagram of it.
    case message([UInt8])
    /// The peer said goodbye (`close_notify`).
    case closed
    /// There will be no association.
    case failed(DTLSFailure)
}
