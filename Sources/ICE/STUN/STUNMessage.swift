import Link

/// Why octets are no STUN message.
public enum STUNProblem: Error, Hashable, Sendable {
    /// Shorter than a header, longer than any message here, or not a multiple of four.
    case badLength
    /// Not the fixed bits of RFC 8489 section 5.
    case notSTUN
    /// An attribute reaches past the end, FINGERPRINT is not the last one, or there are more than
    /// `STUNMessage.maximumAttributes`.
    case badAttributes
    case wrongFingerprint
}

/// A STUN message as it came (RFC 8489), parsed once: what an attribute says is read when it is asked for.
public struct STUNMessage: Sendable {
    /// More attributes than any real message has; who sends more is dropped.
    public static let maximumAttributes = 48
    /// A datagram inside a TURN indication, and its attributes.
    public static let maximumBytes = PacketLimits.datagramBytes + 128
    static let headerBytes = 20
    static let cookie: UInt32 = 0x2112_a442

    /// How a message's integrity stands.
    public enum Verification: Hashable, Sendable {
        case valid, absent, wrong
    }

    private struct Field {
        let type: STUNAttribute
        /// Where the value begins.
        let offset: Int
        let count: Int
    }

    public let messageClass: STUNClass
    public let method: STUNMethod
    public let transaction: TransactionID
    private let bytes: [UInt8]
    private var fields: [Field] = []

    /// Parses one message that fills `datagram`. What stands behind MESSAGE-INTEGRITY is ignored, but for a stronger code and
    /// FINGERPRINT (RFC 8489 section 14.5); of attributes that repeat, the first counts.
    public init(parsing datagram: UnsafeRawBufferPointer) throws(STUNProblem) {
        guard datagram.count >= Self.headerBytes, datagram.count <= Self.maximumBytes, datagram.count % 4 == 0 else {
            throw .badLength
        }
        let bytes = Array(datagram)
        let type = bytes.unsigned16(at: 0)
        guard type >> 14 == 0, bytes.unsigned32(at: 4) == Self.cookie else { throw .notSTUN }
        guard Int(bytes.unsigned16(at: 2)) == bytes.count - Self.headerBytes else { throw .badLength }
        let decoded = STUNMessageType(encoded: type)
        messageClass = decoded.messageClass
        method = decoded.method
        transaction = TransactionID(
            bits: UInt128(bytes.unsigned32(at: 8)) << 64 | UInt128(bytes.unsigned64(at: 12)))
        self.bytes = bytes
        try parseFields()
        if let field = field(.fingerprint) {
            guard field.count == 4, field.offset + 4 == bytes.count else { throw .badAttributes }
            let covered = bytes[..<(field.offset - 4)]
            guard bytes.unsigned32(at: field.offset) == CRC32.checksum(covered) ^ 0x5354_554e else {
                throw .wrongFingerprint
            }
        }
    }

    private mutating func parseFields() throws(STUNProblem) {
        var position = Self.headerBytes
        /// 0: anything; 1: behind MESSAGE-INTEGRITY; 2: behind the stronger one; 3: behind FINGERPRINT.
        var stage = 0
        var number = 0
        while position < bytes.count {
            guard position + 4 <= bytes.count, number < Self.maximumAttributes else { throw .badAttributes }
            number += 1
            let type = STUNAttribute(rawValue: bytes.unsigned16(at: position))
            let count = Int(bytes.unsigned16(at: position + 2))
            guard position + 4 + count <= bytes.count else { throw .badAttributes }
            let rank =
                switch type {
                case .messageIntegrity: 1
                case .messageIntegritySHA256: 2
                case .fingerprint: 3
                default: 0
                }
            if stage == 0 || rank > stage {
                fields.append(Field(type: type, offset: position + 4, count: count))
                stage = max(stage, rank)
            }
            position += 4 + (count + 3) / 4 * 4
        }
    }

    private func field(_ type: STUNAttribute) -> Field? { fields.first { $0.type == type } }

    /// Whether there is such an attribute.
    public func has(_ type: STUNAttribute) -> Bool { field(type) != nil }

    /// The attribute's value without padding.
    public func value(_ type: STUNAttribute) -> ArraySlice<UInt8>? {
        field(type).map { bytes[$0.offset..<($0.offset + $0.count)] }
    }

    /// The value of an attribute of four octets; nil when it has another length.
    public func unsigned32(_ type: STUNAttribute) -> UInt32? {
        guard let field = field(type), field.count == 4 else { return nil }
        return bytes.unsigned32(at: field.offset)
    }

    /// The value of an attribute of eight octets; nil when it has another length.
    public func unsigned64(_ type: STUNAttribute) -> UInt64? {
        guard let field = field(type), field.count == 8 else { return nil }
        return bytes.unsigned64(at: field.offset)
    }

    /// The value as text; what is not UTF-8 is replaced.
    public func text(_ type: STUNAttribute) -> String? { value(type).map { String(decoding: $0, as: UTF8.self) } }

    /// An address that is masked with cookie and transaction (RFC 8489 section 14.2).
    public func address(_ type: STUNAttribute) -> SocketAddress? {
        field(type).flatMap { STUNAddress.decode(bytes[$0.offset..<($0.offset + $0.count)], mask: transaction) }
    }

    /// All addresses of that type: a server of two families relays at two.
    public func addresses(_ type: STUNAttribute) -> [SocketAddress] {
        fields.filter { $0.type == type }.compactMap {
            STUNAddress.decode(bytes[$0.offset..<($0.offset + $0.count)], mask: transaction)
        }
    }

    /// An address in clear: ALTERNATE-SERVER.
    public func plainAddress(_ type: STUNAttribute) -> SocketAddress? {
        value(type).flatMap { STUNAddress.decode($0, mask: nil) }
    }

    /// ERROR-CODE, 300 to 699; nil when there is none.
    public var errorCode: Int? {
        guard let value = value(.errorCode), value.count >= 4 else { return nil }
        let digits = Array(value.prefix(4))
        let code = Int(digits[2] & 7) * 100 + Int(digits[3])
        return digits[3] < 100 && (300..<700).contains(code) ? code : nil
    }

    /// Attributes that must be understood and are not (RFC 8489 section 6.3).
    public var unknownAttributes: [STUNAttribute] {
        fields.map(\.type).filter { $0.mustBeUnderstood && !STUNAttribute.understood.contains($0) }
    }

    /// Checks the strongest code that the message carries.
    public func verify(_ key: STUNKey) -> Verification {
        if let field = field(.messageIntegritySHA256) {
            // Neither ICE nor TURN allows a shortened code (RFC 8489 section 14.6).
            return field.count == 32 && matches(field, key, .sha256) ? .valid : .wrong
        }
        guard let field = field(.messageIntegrity) else { return .absent }
        return field.count == 20 && matches(field, key, .sha1) ? .valid : .wrong
    }

    private func matches(_ field: Field, _ key: STUNKey, _ integrity: STUNKey.Integrity) -> Bool {
        var header = Array(bytes[..<Self.headerBytes])
        header.store(UInt16(field.offset + field.count - Self.headerBytes), at: 2)
        let code = key.code(header, bytes[Self.headerBytes..<(field.offset - 4)], integrity)
        // Every octet is looked at, whatever the first ones were.
        let difference = zip(code, bytes[field.offset..<(field.offset + field.count)]).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
        return difference == 0
    }
}
