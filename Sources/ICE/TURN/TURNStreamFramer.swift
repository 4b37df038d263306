/// Cuts the stream of a TURN server into messages (RFC 8656 section 3.1 and 12.5): STUN messages and channel data, which is padded to 4
/// octets there. A stream whose framing is lost cannot be mended: it has to be closed.
public struct TURNStreamFramer: Sendable {
    /// Neither a STUN message nor channel data, or one that is longer than anything that is taken.
    public struct Broken: Error, Hashable, Sendable {}

    private var buffer: [UInt8] = []

    public init() {}

    /// Octets of a message that has not ended.
    public var pendingBytes: Int { buffer.count }

    /// Takes what the stream brought, and hands out what is whole, without padding. After an error nothing more is taken.
    public mutating func receive(
        _ octets: UnsafeRawBufferPointer, _ deliver: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(Broken) {
        buffer += octets
        var start = 0
        defer { buffer.removeFirst(start) }
        while let (length, padded) = try Self.length(buffer[start...]), buffer.count - start >= padded {
            buffer.withUnsafeMutableBytes { deliver(UnsafeMutableRawBufferPointer(rebasing: $0[start..<(start + length)])) }
            start += padded
        }
    }

    /// How long the message at the head is, and with its padding; nil: its length has not come yet.
    private static func length(_ octets: ArraySlice<UInt8>) throws(Broken) -> (length: Int, padded: Int)? {
        guard octets.count >= ChannelData.headerBytes else { return nil }
        let content = Int(octets[octets.startIndex + 2]) << 8 | Int(octets[octets.startIndex + 3])
        switch octets[octets.startIndex] {
        case 0...3:
            // A STUN message's length is a multiple of 4 (RFC 8489 section 5), and one beyond the limit is nobody's.
            let whole = STUNMessage.headerBytes + content
            guard content % 4 == 0, whole <= STUNMessage.maximumBytes else { throw Broken() }
            return (whole, whole)
        case 64...79:
            let whole = ChannelData.headerBytes + content
            guard whole <= STUNMessage.maximumBytes else { throw Broken() }
            return (whole, (whole + 3) & ~3)
        default: throw Broken()
        }
    }
}
