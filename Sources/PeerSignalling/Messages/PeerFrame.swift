/// A datagram of DTLS application data: a part of a message, or the receipt for one.
///
/// ```
///  0        1        2                                   6        7        8
/// +--------+--------+-----------------------------------+--------+--------+----------
/// | 1      | kind   | number of the message             | part   | parts  | bytes ...
/// +--------+--------+-----------------------------------+--------+--------+----------
/// ```
/// Big endian. Each side counts its messages from 1; parts are counted from 0.
struct PeerFrame: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        case part = 1
        case receipt = 2
    }

    private static let version: UInt8 = 1
    private static let headerLength = 8
    /// Bytes of a part at most, so that a frame is one DTLS record in one datagram.
    static let longestPart = 1000
    /// Parts of a message at most.
    static let mostParts = 8

    var kind: Kind
    var number: UInt32
    var part: Int
    var parts: Int
    /// Of a part; a receipt has none.
    var bytes: [UInt8] = []

    init(_ kind: Kind, number: UInt32, part: Int, parts: Int, bytes: [UInt8] = []) {
        (self.kind, self.number, self.part, self.parts, self.bytes) = (kind, number, part, parts, bytes)
    }

    /// - Returns: nil for what is no frame of this version.
    init?(_ datagram: [UInt8]) {
        guard datagram.count >= Self.headerLength, datagram.count <= Self.headerLength + Self.longestPart,
            datagram[0] == Self.version, let kind = Kind(rawValue: datagram[1])
        else { return nil }
        let number = datagram[2..<6].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let (part, parts) = (Int(datagram[6]), Int(datagram[7]))
        guard number > 0, (1...Self.mostParts).contains(parts), part < parts else { return nil }
        guard kind == .part || datagram.count == Self.headerLength else { return nil }
        self.init(kind, number: number, part: part, parts: parts, bytes: Array(datagram[Self.headerLength...]))
    }

    var datagram: [UInt8] {
        let header = [Self.version, kind.rawValue] + (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) }
        return header + [UInt8(part), UInt8(parts)] + bytes
    }
}
