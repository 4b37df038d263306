/// What an RTP payload type carries in a call.
public enum PayloadKind: Sendable, Hashable {
    case audio
    case telephoneEvent
    case comfortNoise
    /// Audio with copies of earlier audio, RFC 2198.
    case redundancy
}

/// Payload type numbers: the static ones of RFC 3551 table 4, and yodel's defaults in the dynamic range.
public enum PayloadType {
    public static let pcmu: UInt8 = 0
    public static let pcma: UInt8 = 8
    /// RFC 3389; the clock is always 8 kHz.
    public static let comfortNoise: UInt8 = 13
    public static let opus: UInt8 = 111
    /// L16, mono, 16 kHz.
    public static let l16: UInt8 = 112
    /// Telephone events beside a codec with an 8 or 16 kHz clock.
    public static let telephoneEvent: UInt8 = 101
    /// Telephone events beside Opus: the clock is that of the audio (RFC 4733 section 2.1), 48 kHz.
    public static let telephoneEvent48k: UInt8 = 102
}

/// The payload types that a receiver accepts; every other one is a counted drop.
public struct PayloadTypeTable: Sendable, Hashable {
    private var audio: UInt128 = 0
    private var telephoneEvent: UInt128 = 0
    private var comfortNoise: UInt128 = 0
    private var redundancy: UInt128 = 0

    public init() {}

    /// The usual table of a call: one audio payload type, optionally telephone events, comfort noise (13), redundancy.
    public init(
        audio: UInt8, telephoneEvent: UInt8? = nil, comfortNoise: UInt8? = PayloadType.comfortNoise,
        redundancy: UInt8? = nil
    ) {
        if let redundancy { self[redundancy] = .redundancy }
        if let comfortNoise { self[comfortNoise] = .comfortNoise }
        if let telephoneEvent { self[telephoneEvent] = .telephoneEvent }
        self[audio] = .audio
    }

    /// What `payloadType` carries; nil: unknown. Numbers above 127 are never known.
    public subscript(payloadType: UInt8) -> PayloadKind? {
        get {
            let bit: UInt128 = payloadType < 128 ? 1 << UInt128(payloadType) : 0
            if audio & bit != 0 { return .audio }
            if telephoneEvent & bit != 0 { return .telephoneEvent }
            if comfortNoise & bit != 0 { return .comfortNoise }
            return redundancy & bit != 0 ? .redundancy : nil
        }
        set {
            let bit: UInt128 = payloadType < 128 ? 1 << UInt128(payloadType) : 0
            audio &= ~bit
            telephoneEvent &= ~bit
            comfortNoise &= ~bit
            redundancy &= ~bit
            switch newValue {
            case .audio: audio |= bit
            case .telephoneEvent: telephoneEvent |= bit
            case .comfortNoise: comfortNoise |= bit
            case .redundancy: redundancy |= bit
            case nil: break
            }
        }
    }
}
