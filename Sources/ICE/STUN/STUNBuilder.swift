import Link

/// Writes a STUN message (RFC 8489 section 5). It is to stay below 64 KiB.
public struct STUNBuilder: Sendable {
    private var bytes: [UInt8]
    private let transaction: TransactionID

    /// A message without attributes.
    public init(_ messageClass: STUNClass, _ method: STUNMethod, _ transaction: TransactionID) {
        self.transaction = transaction
        bytes = [UInt8](repeating: 0, count: STUNMessage.headerBytes)
        bytes.reserveCapacity(160)
        bytes.store(STUNMessageType(messageClass, method).encoded, at: 0)
        bytes.store(STUNMessage.cookie, at: 4)
        bytes.store(UInt32(truncatingIfNeeded: transaction.bits >> 64), at: 8)
        bytes.store(UInt64(truncatingIfNeeded: transaction.bits), at: 12)
    }

    /// Appends an attribute with its padding.
    public mutating func add(_ type: STUNAttribute, _ value: some Collection<UInt8>) {
        let start = bytes.count
        bytes += [0, 0, 0, 0]
        bytes.store(type.rawValue, at: start)
        bytes.store(UInt16(truncatingIfNeeded: value.count), at: start + 2)
        bytes += value
        while bytes.count % 4 != 0 { bytes.append(0) }
        bytes.store(UInt16(truncatingIfNeeded: bytes.count - STUNMessage.headerBytes), at: 2)
    }

    /// Appends a number in network order, as wide as its type.
    public mutating func add(_ type: STUNAttribute, number: some FixedWidthInteger) {
        var value = [UInt8](repeating: 0, count: number.bitWidth / 8)
        value.store(number, at: 0)
        add(type, value)
    }

    /// Appends text in UTF-8.
    public mutating func add(_ type: STUNAttribute, text: String) { add(type, Array(text.utf8)) }

    /// Appends an address masked with cookie and transaction (RFC 8489 section 14.2).
    public mutating func add(_ type: STUNAttribute, _ address: SocketAddress) {
        add(type, STUNAddress.encode(address, mask: transaction))
    }

    /// Appends an address in clear, as MAPPED-ADDRESS and ALTERNATE-SERVER carry it (RFC 8489 section 14.1).
    public mutating func add(_ type: STUNAttribute, plain address: SocketAddress) {
        add(type, STUNAddress.encode(address, mask: nil))
    }

    /// Appends ERROR-CODE (RFC 8489 section 14.8). `errorCode`: 300 to 699; others become the nearest of these.
    public mutating func add(errorCode: Int, _ reason: String) {
        let code = min(max(errorCode, 300), 699)
        add(.errorCode, [0, 0, UInt8(code / 100), UInt8(code % 100)] + Array(reason.utf8))
    }

    /// The whole message, with integrity under `key`, then FINGERPRINT if it is asked for.
    public func finished(_ key: STUNKey? = nil, fingerprint: Bool = false) -> [UInt8] {
        var result = self
        if let key {
            let type: STUNAttribute = key.integrity == .sha1 ? .messageIntegrity : .messageIntegritySHA256
            let covered = bytes.count
            result.add(type, [UInt8](repeating: 0, count: key.integrity == .sha1 ? 20 : 32))
            let header = Array(result.bytes[..<STUNMessage.headerBytes])
            let code = key.code(header, bytes[STUNMessage.headerBytes...], key.integrity)
            result.bytes.replaceSubrange((covered + 4)..., with: code)
        }
        if fingerprint {
            let covered = result.bytes.count
            result.add(.fingerprint, number: UInt32(0))
            result.bytes.store(CRC32.checksum(result.bytes[..<covered]) ^ 0x5354_554e, at: covered + 4)
        }
        return result.bytes
    }
}
