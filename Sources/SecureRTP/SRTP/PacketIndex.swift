/// A packet's place in its stream: rollover counter and sequence number, 48 bits (RFC 3711 section 3.3.1).
struct PacketIndex: Comparable, Hashable {
    let value: UInt64

    init(_ value: UInt64) { self.value = value }
    init(rollover: UInt32, sequence: UInt16) { value = UInt64(rollover) << 16 | UInt64(sequence) }

    var rollover: UInt32 { UInt32(truncatingIfNeeded: value >> 16) }
    var sequence: UInt16 { UInt16(truncatingIfNeeded: value) }

    static func < (left: PacketIndex, right: PacketIndex) -> Bool { left.value < right.value }

    /// Where the packet `sequence` most likely is when this is the highest place so far (RFC 3711 appendix A). Before
    /// half of the first round there is no round before it.
    func estimate(of sequence: UInt16) -> PacketIndex {
        guard value > 0x8000 else { return PacketIndex(rollover: 0, sequence: sequence) }
        let (own, other) = (Int(self.sequence), Int(sequence))
        if own < 0x8000 {
            return PacketIndex(rollover: other - own > 0x8000 ? rollover &- 1 : rollover, sequence: sequence)
        }
        return PacketIndex(rollover: own - 0x8000 > other ? rollover &+ 1 : rollover, sequence: sequence)
    }
}

/// The places of a stream that packets have come from: from the first one to the highest, and again for each time that the
/// stream went on elsewhere. What lies between is counted as seen: nobody can make us take it twice.
struct SeenIndices {
    /// Parts of the stream that are over.
    private var past: [ClosedRange<PacketIndex>] = []
    private var lowest: PacketIndex
    /// The highest place of where the stream is now.
    private(set) var highest: PacketIndex

    init(_ first: PacketIndex) { (lowest, highest) = (first, first) }

    /// Times that the stream went on elsewhere.
    var restarts: Int { past.count }

    func contains(_ index: PacketIndex) -> Bool { (lowest...highest).contains(index) || isPast(index) }

    /// Whether a place belongs to a part of the stream that is over.
    func isPast(_ index: PacketIndex) -> Bool { !past.isEmpty && past.contains { $0.contains(index) } }

    mutating func insert(_ index: PacketIndex) {
        if index > highest { highest = index } else if index < lowest { lowest = index }
    }

    mutating func restart(at index: PacketIndex) {
        past.append(lowest...highest)
        (lowest, highest) = (index, index)
    }
}
