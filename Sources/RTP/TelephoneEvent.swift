/// A digit that was pressed at the other end, RFC 4733 section 3.2.
public struct TelephoneEvent: Sendable, Hashable {
    /// Event code: 0 to 9 digits, 10 star, 11 pound, 12 to 15 A to D.
    public let code: UInt8
    /// How long the key was held, in milliseconds. When every packet that ends the event was lost: as long as known.
    public let durationMilliseconds: Double
    /// Power of the tone in dBm0, 0 to -63.
    public let level: Int

    /// The key.
    public var digit: Character { DTMFDigit.character(code) ?? "?" }
}

/// Event codes of the sixteen keys, RFC 4733 table 3.
public enum DTMFDigit {
    private static let keys: [Character] = Array("0123456789*#ABCD")

    /// Event code of `digit` (0-9, *, #, A-D, a-d); nil for anything else.
    public static func code(_ digit: Character) -> UInt8? {
        keys.firstIndex { $0 == digit || $0.lowercased() == String(digit) }.map { UInt8($0) }
    }

    /// The key of an event code; nil for codes above 15.
    public static func character(_ code: UInt8) -> Character? { code < 16 ? keys[Int(code)] : nil }
}

/// The four bytes of a telephone-event payload, RFC 4733 section 2.3.
struct TelephoneEventPayload: Equatable {
    static let length = 4

    var code: UInt8
    /// E bit: this packet ends the event.
    var isEnd: Bool
    /// Power without its minus sign, 0 to 63 dBm0.
    var volume: UInt8
    /// Clock units since the event's time stamp.
    var duration: UInt16

    init(code: UInt8, isEnd: Bool, volume: UInt8, duration: UInt16) {
        self.code = code
        self.isEnd = isEnd
        self.volume = volume
        self.duration = duration
    }

    /// nil when shorter than four bytes. Longer payloads carry further events of RFC 2833; they are not looked at.
    init?(parsing payload: UnsafeRawBufferPointer) {
        guard payload.count >= Self.length else { return nil }
        code = payload[0]
        isEnd = payload[1] & 0x80 != 0
        volume = payload[1] & 0x3f
        duration = payload.bigEndian16(at: 2)
    }

    /// The payload as the integer whose big-endian bytes go on the wire.
    var word: UInt32 {
        UInt32(code) << 24 | (isEnd ? 0x80_0000 : 0) | UInt32(volume & 0x3f) << 16 | UInt32(duration)
    }
}
