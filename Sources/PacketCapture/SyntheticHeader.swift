/// IP and UDP headers in front of a datagram that a socket handed over without them: what a dissector needs to find RTP.
enum SyntheticHeader {
    private static let udp: UInt8 = 17
    private static let udpBytes = 8

    static func bytes(source: UDPEndpoint, destination: UDPEndpoint, payload: UnsafeRawBufferPointer) -> [UInt8] {
        let isV4 = source.address.count == 4 && destination.address.count == 4
        let length = udpBytes + payload.count
        var header: [UInt8] = []
        header.reserveCapacity(48)
        if isV4 {
            header += [0x45, 0xb8]
            append(UInt16(clamping: 20 + length), to: &header)
            // No identification, don't fragment, 64 hops; the checksum comes when the rest is known.
            header += [0, 0, 0x40, 0, 64, udp, 0, 0]
            header += source.address + destination.address
            let sum = ~folded(wordSum(header))
            (header[10], header[11]) = (UInt8(sum >> 8), UInt8(sum & 0xff))
        } else {
            header += [0x6b, 0x80, 0, 0]
            append(UInt16(clamping: length), to: &header)
            header += [udp, 64]
            header += mapped(source.address) + mapped(destination.address)
        }
        let addresses = header.suffix(isV4 ? 8 : 32)
        append(source.port, to: &header)
        append(destination.port, to: &header)
        append(UInt16(clamping: length), to: &header)
        var sum = wordSum(addresses) &+ UInt32(udp) &+ UInt32(clamping: length) &+ UInt32(clamping: length)
        sum &+= UInt32(source.port) &+ UInt32(destination.port) &+ wordSum(payload)
        let checksum = ~folded(sum)
        append(checksum == 0 ? 0xffff : checksum, to: &header)
        return header
    }

    /// An IPv4 address in IPv6 form.
    private static func mapped(_ address: [UInt8]) -> [UInt8] {
        address.count == 16 ? address : [UInt8](repeating: 0, count: 10) + [0xff, 0xff] + address.prefix(4)
    }

    private static func append(_ value: UInt16, to bytes: inout [UInt8]) {
        bytes += [UInt8(value >> 8), UInt8(value & 0xff)]
    }

    /// Sum of 16-bit words (RFC 1071), an odd byte last padded with zero.
    private static func wordSum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var sum: UInt32 = 0
        var isHigh = true
        for byte in bytes {
            sum &+= UInt32(byte) << (isHigh ? 8 : 0)
            isHigh.toggle()
        }
        return sum
    }

    private static func folded(_ sum: UInt32) -> UInt16 {
        var sum = sum
        while sum >> 16 != 0 { sum = sum & 0xffff &+ sum >> 16 }
        return UInt16(sum)
    }
}
