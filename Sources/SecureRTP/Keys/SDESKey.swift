/// Why a key in SDP cannot be used.
public enum SDESError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A suite that is not known, or one without encryption.
    case unknownSuite(String)
    /// Not `inline:` and base 64, or of a length that the suite has not. The text is not told: it is a key.
    case badKey
    /// Several keys, of which packets choose one.
    case severalKeys
    /// A lifetime or key identifier that is not written as RFC 4568 section 6.1 says.
    case badParameter
    /// A key identifier with a suite that is not supported with one (`SRTPSuite.supportsIdentifier`).
    case identifierWithSuite(SRTPSuite)
    /// A session parameter that would leave something unprotected, or that is not known (RFC 4568 section 6.3).
    case refusedParameter(String)

    public var description: String {
        switch self {
        case .unknownSuite(let name): "SRTP suite \(name) is not supported"
        case .badKey: "the SRTP key is not what its suite asks for"
        case .severalKeys: "several SRTP keys in one line are not supported"
        case .badParameter: "lifetime or identifier of the SRTP key is not as RFC 4568 says"
        case .identifierWithSuite(let suite): "SRTP suite \(suite.rawValue) is not supported with a key identifier"
        case .refusedParameter(let name): "SRTP parameter \(name) is refused"
        }
    }
}

/// A master key as SDP's `crypto` attribute carries it (RFC 4568 section 6): values to and from its three fields.
public struct SDESKey: Sendable, Equatable {
    public let key: SRTPMasterKey

    public init(_ key: SRTPMasterKey) { self.key = key }

    /// Reads suite, key parameters and session parameters of one attribute.
    public init(suite name: String, keyParameters: String, sessionParameters: [String] = []) throws(SDESError) {
        guard let suite = SRTPSuite(rawValue: name) else { throw .unknownSuite(name) }
        for parameter in sessionParameters { try Self.check(parameter) }
        guard !keyParameters.contains(";") else { throw .severalKeys }
        let fields = keyParameters.split(separator: "|", omittingEmptySubsequences: false)
        guard let inline = fields.first, inline.lowercased().hasPrefix("inline:"), fields.count <= 3,
            let secret = Base64.decode(inline.dropFirst("inline:".count))
        else { throw .badKey }
        var identifier: [UInt8]?
        for (index, field) in fields.dropFirst().enumerated() {
            if field.contains(":"), identifier == nil {
                identifier = try Self.identifier(field)
            } else if index > 0 || !Self.isLifetime(field) {
                throw .badParameter
            }
        }
        guard identifier == nil || suite.supportsIdentifier else { throw .identifierWithSuite(suite) }
        guard let key = SRTPMasterKey(suite: suite, secret: secret, identifier: identifier ?? []) else { throw .badKey }
        self.key = key
    }

    /// The attribute's second field.
    public var suite: String { key.suite.rawValue }

    /// The attribute's third field. It is the key: it belongs in SDP and nowhere else.
    public var keyParameters: String {
        let text = "inline:" + Base64.encode(key.secret)
        guard !key.identifier.isEmpty else { return text }
        let value = key.identifier.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return text + "|\(value):\(key.identifier.count)"
    }

    /// `2^31`, or a number of packets. We hang up long before.
    private static func isLifetime(_ text: Substring) -> Bool {
        let number = text.hasPrefix("2^") ? text.dropFirst(2) : text
        guard let value = UInt64(number), value > 0 else { return false }
        return !text.hasPrefix("2^") || value <= 48
    }

    /// `VALUE:LENGTH`; a value beyond 64 bits is nobody's.
    private static func identifier(_ text: Substring) throws(SDESError) -> [UInt8] {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let value = UInt64(parts[0]), let length = Int(parts[1]), (1...128).contains(length),
            length >= 8 || value >> UInt64(8 * length) == 0
        else { throw .badParameter }
        return (0..<length).map { index in
            let shift = 8 * (length - 1 - index)
            return shift < 64 ? UInt8(truncatingIfNeeded: value >> UInt64(shift)) : 0
        }
    }

    /// Parameters that concern the sender alone are accepted; what would leave packets open is not.
    private static func check(_ parameter: String) throws(SDESError) {
        let name = parameter.split(separator: "=", maxSplits: 1).first.map(String.init) ?? parameter
        switch name.uppercased() {
        case "WSH": return
        // Keys are derived once (RFC 3711 section 4.3.1).
        case "KDR" where parameter.hasSuffix("=0"): return
        default: throw .refusedParameter(name)
        }
    }
}
