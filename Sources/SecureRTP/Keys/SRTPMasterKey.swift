/// The master key of one direction: what protects all packets that one side sends.
public struct SRTPMasterKey: Sendable, Equatable {
    public let suite: SRTPSuite
    /// Key and salt, one behind the other.
    public let secret: Secret
    /// Key identifier in each packet (RFC 3711 section 8.1), 0 to 128 bytes; usually none.
    public let identifier: [UInt8]

    /// - Returns: nil when the secret or the identifier has a length that the suite has not
    ///   (`SRTPSuite.supportsIdentifier`).
    public init?(suite: SRTPSuite, secret: Secret, identifier: [UInt8] = []) {
        guard secret.count == suite.keyLength + suite.saltLength, identifier.count <= 128 else { return nil }
        guard identifier.isEmpty || suite.supportsIdentifier else { return nil }
        self.suite = suite
        self.secret = secret
        self.identifier = identifier
    }

    /// A new key. Only a generator fit for secrets makes a secret key: the system's, or a seeded one where a simulation is
    /// to repeat.
    public init(suite: SRTPSuite, random: inout some RandomNumberGenerator) {
        self.suite = suite
        secret = Secret(count: suite.keyLength + suite.saltLength, random: &random)
        identifier = []
    }
}

/// The keys of both directions.
public struct SRTPKeys: Sendable, Equatable {
    /// Protects what we send.
    public var outbound: SRTPMasterKey
    /// Protects what the peer sends.
    public var inbound: SRTPMasterKey

    public init(outbound: SRTPMasterKey, inbound: SRTPMasterKey) {
        self.outbound = outbound
        self.inbound = inbound
    }
}
