/// RTP payload type numbers where nothing was negotiated: each codec's own, and those of what is sent beside it. RFC 3551
/// section 6 fixes the static ones; the others are yodel's convention.
extension Codec {
    /// The codec's own number.
    public var defaultPayloadType: UInt8 {
        switch payloadType {
        case .static(let number), .dynamic(let number): number
        }
    }

    /// Whether `defaultPayloadType` is bound to the codec by RFC 3551.
    public var hasStaticPayloadType: Bool {
        switch payloadType {
        case .static: true
        case .dynamic: false
        }
    }

    /// Telephone events beside this codec. Their clock is that of the audio (RFC 4733 section 2.1), so that a 48 kHz clock
    /// has a number of its own.
    public var telephoneEventPayloadType: UInt8 { rtpClockRate() == 48_000 ? 102 : 101 }

    /// Comfort noise beside this codec: static with an 8 kHz clock (RFC 3389 section 4), dynamic with another.
    public var comfortNoisePayloadType: UInt8 { rtpClockRate() == 8_000 ? 13 : 105 }

    /// Redundant audio (RFC 2198) between two ends of ours that agreed to it.
    public static let redundancyPayloadType: UInt8 = 121

    /// Numbers from here on are not bound to a format (RFC 3551 section 6); those below either are, or are no format's.
    public static let firstDynamicPayloadType: UInt8 = 96

    /// The codec that RFC 3551 binds to `payloadType`; nil when it binds none of ours.
    public static func withStaticPayloadType(_ payloadType: UInt8) -> Codec? {
        allCases.first { $0.payloadType == .static(payloadType) }
    }
}
