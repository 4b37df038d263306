/// What an encoder makes of digital silence, once that no longer changes: then it need not encode it again, and rests.
///
/// An encoder that is not asked, and a decoder that is given the same packet again, stay where they are, so that both go on together.
struct RestingPacket {
    /// Equal packets in a row after which it is kept: a second of 20 ms each.
    private static let equal = 50
    /// A longer packet is not kept. Silence takes some thirty bytes.
    private static let capacity = 128

    private var bytes = InlineArray<128, UInt8>(repeating: 0)
    private var length = 0
    private var count = 0

    /// Copies the packet into `payload`.
    /// - Returns: its bytes; nil: what silence becomes is not settled, or there is no room.
    func copy(into payload: UnsafeMutableRawBufferPointer) -> Int? {
        guard count >= Self.equal, length <= payload.count else { return nil }
        for index in 0..<length { payload[index] = bytes[index] }
        return length
    }

    /// The next frame, a silent one, became these bytes.
    mutating func note(_ packet: UnsafeRawBufferPointer) {
        guard packet.count <= Self.capacity else { return removeAll() }
        let isEqual = packet.count == length && (0..<length).allSatisfy { packet[$0] == bytes[$0] }
        count = isEqual ? count + 1 : 1
        guard !isEqual else { return }
        length = packet.count
        for index in 0..<length { bytes[index] = packet[index] }
    }

    /// There was sound, or the encoder works otherwise from now on.
    mutating func removeAll() { (length, count) = (0, 0) }

    /// Whether a frame is digital silence.
    static func isSilent(_ frame: UnsafeBufferPointer<Float>) -> Bool {
        guard frame.first == 0, frame.last == 0 else { return false }
        return frame.allSatisfy { $0 == 0 }
    }
}
