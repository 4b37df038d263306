import Link

/// The value of an address attribute (RFC 8489 sections 14.1 and 14.2).
enum STUNAddress {
    static func decode(_ value: ArraySlice<UInt8>, mask: TransactionID?) -> SocketAddress? {
        let bytes = Array(value)
        guard bytes.count >= 8, bytes[1] == 1 && bytes.count == 8 || bytes[1] == 2 && bytes.count == 20 else { return nil }
        let port = bytes.unsigned16(at: 2) ^ (mask == nil ? 0 : UInt16(STUNMessage.cookie >> 16))
        if bytes[1] == 1 {
            let bits = bytes.unsigned32(at: 4) ^ (mask == nil ? 0 : STUNMessage.cookie)
            return SocketAddress(IPAddress(v4: bits), port: port)
        }
        let bits = UInt128(bytes.unsigned64(at: 4)) << 64 | UInt128(bytes.unsigned64(at: 12))
        return SocketAddress(IPAddress(v6: bits ^ (mask.map(wideMask) ?? 0)), port: port)
    }

    static func encode(_ address: SocketAddress, mask: TransactionID?) -> [UInt8] {
        let isV4 = address.address.family == .v4
        var bytes = [UInt8](repeating: 0, count: isV4 ? 8 : 20)
        bytes[1] = isV4 ? 1 : 2
        bytes.store(address.port ^ (mask == nil ? 0 : UInt16(STUNMessage.cookie >> 16)), at: 2)
        let bits = address.address.bits
        if isV4 {
            bytes.store(UInt32(truncatingIfNeeded: bits) ^ (mask == nil ? 0 : STUNMessage.cookie), at: 4)
        } else {
            let masked = bits ^ (mask.map(wideMask) ?? 0)
            bytes.store(UInt64(truncatingIfNeeded: masked >> 64), at: 4)
            bytes.store(UInt64(truncatingIfNeeded: masked), at: 12)
        }
        return bytes
    }

    private static func wideMask(_ transaction: TransactionID) -> UInt128 {
        UInt128(STUNMessage.cookie) << 96 | transaction.bits
    }
}

/// Numbers in network order. Whoever calls has checked the length.
extension [UInt8] {
    func unsigned16(at offset: Int) -> UInt16 { UInt16(self[offset]) << 8 | UInt16(self[offset + 1]) }

    func unsigned32(at offset: Int) -> UInt32 {
        UInt32(unsigned16(at: offset)) << 16 | UInt32(unsigned16(at: offset + 2))
    }

    func unsigned64(at offset: Int) -> UInt64 {
        UInt64(unsigned32(at: offset)) << 32 | UInt64(unsigned32(at: offset + 4))
    }

    mutating func store(_ value: some FixedWidthInteger, at offset: Int) {
        let count = value.bitWidth / 8
        for index in 0..<count { self[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - index))) }
    }
}
