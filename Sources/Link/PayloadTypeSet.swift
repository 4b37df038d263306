/// RTP payload types, 0 to 127, that a stream takes.
public struct PayloadTypeSet: Sendable, Hashable {
    private var bits: UInt128

    public init(bits: UInt128 = 0) { self.bits = bits }

    /// Whether `payloadType` is one of them; numbers above 127 never are.
    public func contains(_ payloadType: UInt8) -> Bool { payloadType < 128 && bits >> UInt128(payloadType) & 1 != 0 }
}
