/// The fixed fields of an RTP header, RFC 3550 section 5.1.
@frozen
public struct RTPHeader: Hashable, Sendable, BitwiseCopyable {
    /// Bytes of the fixed header.
    public static let fixedLength = 12

    /// First packet of a talkspurt (RFC 3551 section 4.1) or of a telephone event (RFC 4733 section 2.3).
    public var marker: Bool
    /// 0 to 127.
    public var payloadType: UInt8
    /// Grows by one a packet, wraps.
    public var sequence: UInt16
    /// Sampling instant of the first sample, in units of the payload's clock, wraps.
    public var timestamp: UInt32
    /// Synchronisation source.
    public var ssrc: UInt32

    public init(marker: Bool = false, payloadType: UInt8, sequence: UInt16, timestamp: UInt32, ssrc: UInt32) {
        self.marker = marker
        self.payloadType = payloadType & 0x7f
        self.sequence = sequence
        self.timestamp = timestamp
        self.ssrc = ssrc
    }

    /// Writes the header with its contributing sources and header extension.
    ///
    /// - `csrcs`: contributing sources; those after the fifteenth do not fit the field and are left out.
    /// - `headerExtension`: profile word and data; the data is padded with zeros to whole 32-bit words.
    /// - Returns: bytes written, or 0 when `buffer` is too small (nothing is written then).
    public func write(
        into buffer: UnsafeMutableRawBufferPointer,
        csrcs: [UInt32] = [],
        headerExtension: RTPHeaderExtension? = nil
    ) -> Int {
        let csrcCount = min(csrcs.count, 15)
        let extensionWords = ((headerExtension?.data.count ?? 0) + 3) / 4
        guard extensionWords <= 0xffff else { return 0 }
        let length = Self.fixedLength + 4 * csrcCount + (headerExtension == nil ? 0 : 4 + 4 * extensionWords)
        guard buffer.count >= length else { return 0 }
        buffer[0] = 0x80 | (headerExtension == nil ? 0 : 0x10) | UInt8(csrcCount)
        buffer[1] = (marker ? 0x80 : 0) | (payloadType & 0x7f)
        buffer.storeBigEndian(sequence, at: 2)
        buffer.storeBigEndian(timestamp, at: 4)
        buffer.storeBigEndian(ssrc, at: 8)
        var offset = Self.fixedLength
        for index in 0..<csrcCount {
            buffer.storeBigEndian(csrcs[index], at: offset)
            offset += 4
        }
        guard let headerExtension else { return length }
        buffer.storeBigEndian(headerExtension.profile, at: offset)
        buffer.storeBigEndian(UInt16(extensionWords), at: offset + 2)
        offset += 4
        for byte in headerExtension.data {
            buffer[offset] = byte
            offset += 1
        }
        while offset < length {
            buffer[offset] = 0
            offset += 1
        }
        return length
    }
}

/// A header extension, RFC 3550 section 5.3.1.
public struct RTPHeaderExtension: Hashable, Sendable {
    /// Meaning defined by the profile (0xBEDE: one-byte items of RFC 8285).
    public var profile: UInt16
    /// At most 65535 words of 4 bytes.
    public var data: [UInt8]

    public init(profile: UInt16, data: [UInt8]) {
        self.profile = profile
        self.data = data
    }
}
