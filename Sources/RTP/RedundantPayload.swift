/// Why a payload of the redundancy type is dropped with all it carries (RFC 2198 section 3).
public enum RedundancyParseError: Error, Hashable, Sendable {
    /// Headers or copies reach beyond the payload.
    case truncated
    /// More copies than `RedundantPayload.maximumCopies`: no sender needs them, a flood would.
    case tooManyCopies
}

/// A payload with redundant copies of earlier content, RFC 2198: a view, valid as long as the datagram's bytes are.
///
///     [F=1 | PT | time stamp offset, 14 bits | length, 10 bits]...  [F=0 | PT]  copies...  primary
public struct RedundantPayload {
    /// Copies a payload may carry.
    public static let maximumCopies = 8
    /// The greatest age of a copy, in RTP clock units: 14 bits.
    public static let maximumTimestampOffset: UInt32 = 0x3fff
    /// The longest copy, in bytes: 10 bits.
    public static let maximumCopyBytes = 0x3ff
    /// Header of a copy and of the primary block, in bytes.
    static let copyHeaderBytes = 4
    static let primaryHeaderBytes = 1

    /// Earlier content that travels again.
    public struct Copy {
        public let payloadType: UInt8
        /// Clock units by which the content is older than the packet's time stamp, 0 to 16383.
        public let timestampOffset: UInt32
        /// May be empty.
        public let payload: UnsafeRawBufferPointer
    }

    /// Copies in front of the primary block, oldest first as a rule.
    public let copyCount: Int
    /// What the packet itself says.
    public let primaryPayloadType: UInt8
    /// May be empty.
    public let primary: UnsafeRawBufferPointer

    private let bytes: UnsafeRawBufferPointer

    /// Checks the headers; any bytes are accepted.
    public init(parsing payload: UnsafeRawBufferPointer) throws(RedundancyParseError) {
        var offset = 0
        var copies = 0
        var length = 0
        while true {
            guard offset < payload.count else { throw .truncated }
            guard payload[offset] & 0x80 != 0 else { break }
            guard payload.count - offset >= Self.copyHeaderBytes else { throw .truncated }
            guard copies < Self.maximumCopies else { throw .tooManyCopies }
            length += Int(payload.bigEndian32(at: offset)) & Self.maximumCopyBytes
            offset += Self.copyHeaderBytes
            copies += 1
        }
        primaryPayloadType = payload[offset] & 0x7f
        let start = offset + Self.primaryHeaderBytes
        guard payload.count - start >= length else { throw .truncated }
        primary = payload.slice(start + length..<payload.count)
        copyCount = copies
        bytes = payload
    }

    /// Hands out each copy in the order of the payload.
    public func forEachCopy(_ body: (Copy) -> Void) {
        var start = Self.copyHeaderBytes * copyCount + Self.primaryHeaderBytes
        for index in 0..<copyCount {
            let header = bytes.bigEndian32(at: Self.copyHeaderBytes * index)
            let length = Int(header) & Self.maximumCopyBytes
            body(
                Copy(
                    payloadType: UInt8(truncatingIfNeeded: header >> 24) & 0x7f,
                    timestampOffset: header >> 10 & Self.maximumTimestampOffset,
                    payload: bytes.slice(start..<start + length)))
            start += length
        }
    }
}
