/// Who is heard in a mixer's packet (RFC 3550 section 7.1), and how loud each is (RFC 6465).
public struct ContributingSources: Sendable {
    /// Those that a packet can name.
    public static let most = 15
    /// Bytes that they add to a packet at most: the list, the head of an extension, the levels with an item's head and padding.
    public static let longestBytes = 4 * most + 4 + 20

    /// How many there are.
    public private(set) var count = 0
    private var sources = InlineArray<15, UInt32>(repeating: 0)
    private var levels = InlineArray<15, UInt8>(repeating: 127)

    public init() {}

    /// Adds one; those after the fifteenth are left out.
    /// - Parameters:
    ///   - source: its SSRC.
    ///   - level: how loud it is.
    public mutating func add(_ source: UInt32, level: AudioLevel) {
        guard count < Self.most else { return }
        (sources[count], levels[count]) = (source, level.decibelsBelow)
        count += 1
    }

    /// Begins anew.
    public mutating func removeAll() { count = 0 }

    /// Bytes that they add to a packet.
    /// - Parameter number: of the levels' item, 1 to 255.
    func length(levelsAs number: UInt8) -> Int { count == 0 ? 0 : 4 * count + 4 + itemLength(number) }

    /// The levels with their head, padded to whole words.
    private func itemLength(_ number: UInt8) -> Int { (count + Self.headLength(number) + 3) / 4 * 4 }

    private static func headLength(_ number: UInt8) -> Int { HeaderExtensionItem.shortNumbers.contains(number) ? 1 : 2 }

    /// Adds them to a packet whose fixed header was written and which has room for them.
    /// - Parameters:
    ///   - packet: from its first byte on.
    ///   - number: of the levels' item.
    func write(into packet: UnsafeMutableRawBufferPointer, levelsAs number: UInt8) {
        guard count > 0 else { return }
        packet[0] |= 0x10 | UInt8(count)
        var offset = RTPHeader.fixedLength
        for index in 0..<count {
            packet.storeBigEndian(sources[index], at: offset)
            offset += 4
        }
        let isShort = Self.headLength(number) == 1
        let end = offset + 4 + itemLength(number)
        packet.storeBigEndian(isShort ? HeaderExtensionItem.oneByte : HeaderExtensionItem.twoBytes, at: offset)
        packet.storeBigEndian(UInt16(itemLength(number) / 4), at: offset + 2)
        offset += 4
        packet[offset] = isShort ? number << 4 | UInt8(count - 1) : number
        if !isShort { packet[offset + 1] = UInt8(count) }
        offset += Self.headLength(number)
        for index in 0..<count { packet[offset + index] = levels[index] }
        for index in offset + count..<end { packet[index] = 0 }
    }
}
