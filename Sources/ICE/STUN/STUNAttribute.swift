/// Type of an attribute (RFC 8489 section 18.3, RFC 8656 section 18, RFC 8445 section 16.1).
public struct STUNAttribute: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let mappedAddress = STUNAttribute(rawValue: 0x0001)
    public static let username = STUNAttribute(rawValue: 0x0006)
    public static let messageIntegrity = STUNAttribute(rawValue: 0x0008)
    public static let errorCode = STUNAttribute(rawValue: 0x0009)
    public static let unknownAttributes = STUNAttribute(rawValue: 0x000a)
    public static let channelNumber = STUNAttribute(rawValue: 0x000c)
    public static let lifetime = STUNAttribute(rawValue: 0x000d)
    public static let xorPeerAddress = STUNAttribute(rawValue: 0x0012)
    public static let data = STUNAttribute(rawValue: 0x0013)
    public static let realm = STUNAttribute(rawValue: 0x0014)
    public static let nonce = STUNAttribute(rawValue: 0x0015)
    public static let xorRelayedAddress = STUNAttribute(rawValue: 0x0016)
    public static let requestedAddressFamily = STUNAttribute(rawValue: 0x0017)
    public static let requestedTransport = STUNAttribute(rawValue: 0x0019)
    public static let messageIntegritySHA256 = STUNAttribute(rawValue: 0x001c)
    public static let passwordAlgorithm = STUNAttribute(rawValue: 0x001d)
    public static let xorMappedAddress = STUNAttribute(rawValue: 0x0020)
    public static let priority = STUNAttribute(rawValue: 0x0024)
    public static let useCandidate = STUNAttribute(rawValue: 0x0025)
    public static let additionalAddressFamily = STUNAttribute(rawValue: 0x8000)
    public static let passwordAlgorithms = STUNAttribute(rawValue: 0x8002)
    public static let alternateServer = STUNAttribute(rawValue: 0x8023)
    public static let fingerprint = STUNAttribute(rawValue: 0x8028)
    public static let iceControlled = STUNAttribute(rawValue: 0x8029)
    public static let iceControlling = STUNAttribute(rawValue: 0x802a)

    /// Whoever does not understand it must refuse the request (RFC 8489 section 14).
    var mustBeUnderstood: Bool { rawValue < 0x8000 }

    /// Those that must be understood and are.
    static let understood: Set<STUNAttribute> = [
        .mappedAddress, .username, .messageIntegrity, .errorCode, .unknownAttributes, .channelNumber, .lifetime,
        .xorPeerAddress, .data, .realm, .nonce, .xorRelayedAddress, .requestedAddressFamily, .requestedTransport,
        .messageIntegritySHA256, .passwordAlgorithm, .xorMappedAddress, .priority, .useCandidate,
    ]
}
