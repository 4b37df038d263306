/// What one offer says of encryption, out of all that a `MediaSecurity` wants. Whoever refuses an offer is called again with the next:
///
/// ```
/// optional: asWanted -> dtls -> keys -> plain        what there is nothing for is left out
/// required: asWanted -> keys
/// ```
/// Who must have the media encrypted refuses plain media that could be encrypted (RFC 8643), who knows keys in SDP only refuses the
/// profile of DTLS, and who knows no encryption may refuse what it does not know.
public enum SecurityAttempt: Hashable, Sendable, CaseIterable {
    case asWanted
    /// DTLS or nothing.
    case dtls
    /// Keys in SDP or nothing.
    case keys
    case plain
}

extension MediaSecurity {
    /// What an attempt leaves of it.
    public func narrowed(to attempt: SecurityAttempt) -> MediaSecurity {
        switch attempt {
        case .asWanted: self
        case .dtls: MediaSecurity(mode: .required, fingerprint: fingerprint)
        case .keys: MediaSecurity(mode: .required, keys: keys)
        case .plain: MediaSecurity()
        }
    }

    /// What is tried when an attempt was refused; nil: nothing is left.
    public func next(after attempt: SecurityAttempt) -> SecurityAttempt? {
        let attempts = attempts
        guard let index = attempts.firstIndex(of: attempt), index + 1 < attempts.count else { return nil }
        return attempts[index + 1]
    }

    private var attempts: [SecurityAttempt] {
        let (hasDTLS, hasKeys) = (fingerprint != nil, !keys.isEmpty)
        return switch mode {
        case .optional where hasDTLS || hasKeys:
            [.asWanted] + (hasDTLS ? [.dtls] : []) + (hasKeys ? [.keys] : []) + [.plain]
        case .required where hasDTLS && hasKeys: [.asWanted, .keys]
        case .off, .optional, .required: [.asWanted]
        }
    }
}
