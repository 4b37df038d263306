/// A parsed RTP packet: a view into the datagram, valid as long as the datagram's bytes are.
public struct RTPPacket {
    /// The fixed fields.
    public let header: RTPHeader
    /// Contributing sources in network byte order, 4 bytes each.
    public let csrcList: UnsafeRawBufferPointer
    /// Profile word of the header extension, nil without one.
    public let extensionProfile: UInt16?
    /// Data of the header extension after its 4-byte head.
    public let extensionData: UnsafeRawBufferPointer
    /// What is left after header and padding; may be empty.
    public let payload: UnsafeRawBufferPointer

    /// Parses and validates a datagram: RFC 3550 section 5.1, header checks of appendix A.1.
    public init(parsing datagram: UnsafeRawBufferPointer) throws(RTPParseError) {
        guard datagram.count >= RTPHeader.fixedLength else { throw .truncated }
        guard datagram[0] >> 6 == 2 else { throw .badVersion }
        let payloadType = datagram[1] & 0x7f
        guard !(72...76).contains(payloadType) else { throw .reservedPayloadType }
        var offset = RTPHeader.fixedLength
        let csrcBytes = 4 * Int(datagram[0] & 0x0f)
        guard datagram.count >= offset + csrcBytes else { throw .truncated }
        csrcList = datagram.slice(offset..<offset + csrcBytes)
        offset += csrcBytes

        if datagram[0] & 0x10 != 0 {
            guard datagram.count >= offset + 4 else { throw .truncated }
            extensionProfile = datagram.bigEndian16(at: offset)
            let bytes = 4 * Int(datagram.bigEndian16(at: offset + 2))
            offset += 4
            guard datagram.count >= offset + bytes else { throw .truncated }
            extensionData = datagram.slice(offset..<offset + bytes)
            offset += bytes
        } else {
            extensionProfile = nil
            extensionData = UnsafeRawBufferPointer(start: nil, count: 0)
        }

        var end = datagram.count
        if datagram[0] & 0x20 != 0 {
            // The last octet counts the padding, itself included.
            let padding = Int(datagram[datagram.count - 1])
            guard padding > 0, padding <= end - offset else { throw .badPadding }
            end -= padding
        }
        payload = datagram.slice(offset..<end)
        header = RTPHeader(
            marker: datagram[1] & 0x80 != 0,
            payloadType: payloadType,
            sequence: datagram.bigEndian16(at: 2),
            timestamp: datagram.bigEndian32(at: 4),
            ssrc: datagram.bigEndian32(at: 8))
    }

    /// Number of contributing sources, 0 to 15.
    public var csrcCount: Int { csrcList.count / 4 }

    /// Contributing source `index`, nil outside 0..<`csrcCount`.
    public func csrc(_ index: Int) -> UInt32? {
        guard index >= 0, index < csrcCount else { return nil }
        return csrcList.bigEndian32(at: 4 * index)
    }
}
