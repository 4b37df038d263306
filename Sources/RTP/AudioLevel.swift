/// How loud a packet's sound is, as its sender says (RFC 6464), or a mixer of each who is heard in it (RFC 6465).
public struct AudioLevel: Hashable, Sendable {
    /// The least there is: digital silence.
    public static let silence = AudioLevel(decibelsBelow: 127)

    /// Decibels below full scale, 0 (the loudest) to 127: its level is that of so many dBov with a minus.
    public let decibelsBelow: UInt8
    /// Whether the sender takes it for somebody's voice; a mixer says nothing of that.
    public let isVoice: Bool

    public init(decibelsBelow: UInt8, isVoice: Bool = false) {
        self.decibelsBelow = min(decibelsBelow, 127)
        self.isVoice = isVoice
    }

    /// The nearest to a level in dBov.
    public init(dBov: Double) {
        self.init(decibelsBelow: dBov.isNaN ? 127 : UInt8(max(0, min(127, -dBov.rounded()))))
    }

    /// The level in dBov, -127 ... 0.
    public var dBov: Double { -Double(decibelsBelow) }

    /// The data of an item (RFC 6464 section 3); nil where it is not one byte.
    init?(_ data: UnsafeRawBufferPointer) {
        guard data.count == 1 else { return nil }
        self.init(decibelsBelow: data[0] & 0x7f, isVoice: data[0] & 0x80 != 0)
    }
}
