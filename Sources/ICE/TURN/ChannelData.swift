/// Framing of a channel's packets (RFC 8656 section 12.4): number and length, 4 octets instead of an indication's 36.
enum ChannelData {
    static let headerBytes = 4
    /// The numbers that may be bound.
    static let numbers: ClosedRange<UInt16> = 0x4000...0x4fff

    /// The channel's number and where its payload lies; nil when the length does not fit. Over UDP there may be padding.
    static func parse(_ datagram: UnsafeRawBufferPointer) -> (number: UInt16, payload: Range<Int>)? {
        guard datagram.count >= headerBytes else { return nil }
        let number = UInt16(datagram[0]) << 8 | UInt16(datagram[1])
        let count = Int(datagram[2]) << 8 | Int(datagram[3])
        guard numbers.contains(number), headerBytes + count <= datagram.count else { return nil }
        return (number, headerBytes..<(headerBytes + count))
    }

    /// Frames the packet at the head of `buffer` in place; nil when there is no room.
    /// - Parameter isPadded: to a multiple of 4 octets, as a stream wants it.
    static func frame(_ buffer: UnsafeMutableRawBufferPointer, count: Int, number: UInt16, isPadded: Bool = false) -> Int? {
        let padding = isPadded ? -count & 3 : 0
        guard let base = buffer.baseAddress, count + headerBytes + padding <= buffer.count, count <= Int(UInt16.max) else {
            return nil
        }
        (base + headerBytes).copyMemory(from: base, byteCount: count)
        buffer[0] = UInt8(number >> 8)
        buffer[1] = UInt8(truncatingIfNeeded: number)
        buffer[2] = UInt8(truncatingIfNeeded: count >> 8)
        buffer[3] = UInt8(truncatingIfNeeded: count)
        for index in 0..<padding { buffer[headerBytes + count + index] = 0 }
        return count + headerBytes + padding
    }
}
