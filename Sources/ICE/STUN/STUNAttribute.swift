/// Type of an attribute (RFC 8489 section 18.3, RFC 8656 section 18, RFC 8445 section 16.1).
public struct STUNAttribute: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    static let mappedAddress = STUNAttribute(rawValue: 0x0001)
    static let username = STUNAttribute(rawValue: 0x0006)
    static let messageIntegrity = STUNAttribute(rawValue: 0x0008)
    static let errorCode = STUNAttribute(rawValue: 0x0009)
    static let unknownAttributes = STUNAttribute(rawValue: 0x000a)
    static let channelNumber = STUNAttribute(rawValue: 0x000c)
    static let lifetime = STUNAttribute(rawValue: 0x000d)
    static let xorPeerAddress = STUNAttribute(rawValue: 0x0012)
    static let data = STUNAttribute(rawValue: 0x0013)
    static let realm = STUNAttribute(rawValue: 0x0014)
    static let nonce = STUNAttribute(rawValue: 0x0015)
    static let xorRelayedAddress = STUNAttribute(rawValue: 0x0016)
    static let requestedAddressFamily = STUNAttribute(rawValue: 0x0017)
    static let requestedTransport = STUNAttribute(rawValue: 0x0019)
    static let messageIntegritySHA256 = STUNAttribute(rawValue: 0x001c)
    static let passwordAlgorithm = STUNAttribute(rawValue: 0x001d)
    static let xorMappedAddress = STUNAttribute(rawValue: 0x0020)
    static let priority = STUNAttribute(rawValue: 0x0024)
    static let useCandidate = STUNAttribute(rawValue: 0x0025)
    static let additionalAddressFamily = STUNAttribute(rawValue: 0x8000)
    static let passwordAlgorithms = STUNAttribute(rawValue: 0x8002)
    static let alternateServer = STUNAttribute(rawValue: 0x8023)
    static let fingerprint = STUNAttribute(rawValue: 0x8028)
    static let iceControlled = STUNAttribute(rawValue: 0x8029)
    static let iceControlling = STUNAttribute(rawValue: 0x802a)

    /// Whoever does not understand it must refuse the request (RFC 8489 section 14).
    var mustBeUnderstood: Bool { rawValue < 0x8000 }

    /// Those that a Binding request may carry here.
    static let understood: Set<STUNAttribute> = [
        .mappedAddress, .username, .messageIntegrity, .errorCode, .unknownAttributes, .realm, .nonce, .messageIntegritySHA256,
        .passwordAlgorithm, .xorMappedAddress, .priority, .useCandidate,
    ]
}
