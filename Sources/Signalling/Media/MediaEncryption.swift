import SDP
import SecureRTP

/// How both directions of a call's media are encrypted.
public enum MediaEncryption: Sendable, Hashable {
    /// Keys by DTLS (RFC 5763): whether we begin the handshake, and whose certificates are accepted.
    case dtls(DTLSRole, peer: [DTLSFingerprint])
    /// Keys that SDP carried (RFC 4568).
    case sdes(SRTPKeys)

    /// Of keys their suite alone.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .dtls(let role, let peer):
            hasher.combine(role)
            hasher.combine(peer)
        case .sdes(let keys): hasher.combine(keys.outbound.suite)
        }
    }

    /// nil: nothing of it can be used.
    init?(_ security: SecurityInForce) {
        switch security {
        case .dtls(let isActive, _, let theirs):
            let known = theirs.compactMap { print in
                DTLSFingerprint.Hash(rawValue: print.hashFunction).flatMap { DTLSFingerprint($0, print.bytes) }
            }
            guard !known.isEmpty else { return nil }
            self = .dtls(isActive ? .active : .passive, peer: known)
        case .sdes(let own, let theirs):
            guard let outbound = own.key, let inbound = theirs.key else { return nil }
            self = .sdes(SRTPKeys(outbound: outbound, inbound: inbound))
        }
    }
}

extension CryptoAttribute {
    /// The key, if it is one that can be used here.
    var key: SRTPMasterKey? {
        let read = try? SDESKey(
            suite: suite, keyParameters: keyParameters.value, sessionParameters: sessionParameters)
        return read?.key
    }

    /// A new key of ours.
    init(tag: UInt32, suite: SRTPSuite, random: inout some RandomNumberGenerator) {
        let key = SDESKey(SRTPMasterKey(suite: suite, random: &random))
        self.init(tag: tag, suite: key.suite, keyParameters: MediaSecret(key.keyParameters))
    }
}

extension Fingerprint {
    init(_ fingerprint: DTLSFingerprint) {
        self.init(hashFunction: fingerprint.hash.rawValue, bytes: fingerprint.bytes)
    }
}

extension SessionDescription {
    /// Without keys that could not be used: the first of the others counts.
    var withUsableKeys: SessionDescription {
        var result = self
        for index in result.media.indices {
            result.media[index].attributes.removeAll { attribute in
                if case .crypto(let crypto) = attribute { crypto.key == nil } else { false }
            }
        }
        return result
    }
}
