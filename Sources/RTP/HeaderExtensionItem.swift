/// What a header extension has under one of the numbers that were agreed on (RFC 8285).
public enum HeaderExtensionItem {
    /// Its data.
    case found(UnsafeRawBufferPointer)
    /// The packet has no such item.
    case absent
    /// An item before it, or itself, reaches beyond the extension.
    case malformed

    /// Profile words of items with a head of one byte, and of two (without their four bits of the application's).
    static let oneByte: UInt16 = 0xbede
    static let twoBytes: UInt16 = 0x1000
    /// Numbers of items whose head is one byte.
    static let shortNumbers: ClosedRange<UInt8> = 1...14

    /// Looks for an item.
    /// - Parameters:
    ///   - number: its number, 1 to 255.
    ///   - packet: where; the data found is a view into it.
    public init(_ number: UInt8, in packet: RTPPacket) {
        switch packet.extensionProfile {
        case Self.oneByte: self = Self.short(number, in: packet.extensionData)
        case .some(let profile) where profile & 0xfff0 == Self.twoBytes: self = Self.long(number, in: packet.extensionData)
        default: self = .absent
        }
    }

    /// RFC 8285 section 4.2.
    private static func short(_ number: UInt8, in data: UnsafeRawBufferPointer) -> HeaderExtensionItem {
        var offset = 0
        while offset < data.count {
            let head = data[offset]
            offset += 1
            if head == 0 { continue }
            let (id, end) = (head >> 4, offset + Int(head & 0x0f) + 1)
            // Padding with a length, and 15: what follows is not to be read.
            guard id != 0, id != 15 else { return .absent }
            guard end <= data.count else { return .malformed }
            if id == number { return .found(data.slice(offset..<end)) }
            offset = end
        }
        return .absent
    }

    /// RFC 8285 section 4.3.
    private static func long(_ number: UInt8, in data: UnsafeRawBufferPointer) -> HeaderExtensionItem {
        var offset = 0
        while offset < data.count {
            let id = data[offset]
            offset += 1
            if id == 0 { continue }
            guard offset < data.count else { return .malformed }
            let end = offset + 1 + Int(data[offset])
            guard end <= data.count else { return .malformed }
            if id == number { return .found(data.slice(offset + 1..<end)) }
            offset = end
        }
        return .absent
    }
}
