import Link

/// The audio that offer and answer have brought about, seen from this side.
public struct AudioInForce: Hashable, Sendable {
    /// What this side sends.
    public struct Sending: Hashable, Sendable {
        public var codec: AudioCodec
        /// The other side's number, which may differ from the one received.
        public var payloadType: UInt8
        /// The other side's `a=fmtp`: what it wants to receive.
        public var parameters: String
        /// In milliseconds.
        public var packetTime: Double
        /// Bits a second of payload that the other side allows; nil: no limit told.
        public var maximumBitRate: Int?
        public var comfortNoise: UInt8?
        public var telephoneEvent: TelephoneEvent?
        public var redundancy: Redundancy?
    }

    public struct TelephoneEvent: Hashable, Sendable {
        public var payloadType: UInt8
        /// The codec's, unless the other side knows no such one.
        public var clockRate: Int
        /// As `a=fmtp` writes them; empty: 0 to 15 (RFC 4733 section 2.5.1.1).
        public var events: String

        public init(payloadType: UInt8, clockRate: Int, events: String) {
            self.payloadType = payloadType
            self.clockRate = clockRate
            self.events = events
        }
    }

    public struct Redundancy: Hashable, Sendable {
        public var payloadType: UInt8
        /// Copies a packet carries at most.
        public var copies: Int

        public init(payloadType: UInt8, copies: Int) {
            self.payloadType = payloadType
            self.copies = copies
        }
    }

    /// Index of the media line.
    public var line: Int
    public var mediaID: String?
    /// What this side does: its own wish, limited by the other side's.
    public var direction: MediaDirection
    /// What this side would do, were the other side not in the way.
    public var wantedDirection: MediaDirection
    /// The other side does not want to hear (RFC 3264 section 8.4): by direction or by 0.0.0.0.
    public var isHeldByPeer: Bool
    /// Where RTP is sent; nil while the other side holds by 0.0.0.0.
    public var remote: MediaEndpoint?
    /// Where RTCP is sent; nil: nowhere.
    public var remoteControl: MediaEndpoint?
    /// Where this side receives RTP, as the other side was told.
    public var local: MediaEndpoint?
    /// RTP and RTCP share a port, both ways (RFC 5761).
    public var rtcpMux: Bool
    /// How both directions are encrypted; nil: they are not.
    public var security: SecurityInForce?
    /// How the sides find each other; nil: media go to `remote`.
    public var ice: ICEInForce?
    /// The numbers of levels in header extensions.
    public var levels: MixLevels
    public var sending: Sending
    /// What may arrive, by this side's payload types.
    public var receiving: [UInt8: AudioFormat]
    /// Payload types of earlier agreements of this call: packets on their way still carry them.
    public var receivingEarlier: [UInt8: AudioFormat]
    /// Bits a second of RTCP for senders (`b=RS`) and receivers (`b=RR`), RFC 3556; nil: the share of RFC 3550.
    public var rtcpSendersBandwidth: Int?
    public var rtcpReceiversBandwidth: Int?
    /// Both, which all RTCP of the call shares, 0: none is sent; nil: not both are told, and what is left of the share of
    /// RFC 3550 limits no call.
    public var rtcpBandwidth: Int? {
        // ICE finds a way for one component, which RTCP has no part in where the ports are apart (RFC 5761 section 5.1.1).
        if ice != nil, !rtcpMux { return 0 }
        guard let rtcpSendersBandwidth, let rtcpReceiversBandwidth else { return nil }
        let (sum, isTooMuch) = rtcpSendersBandwidth.addingReportingOverflow(rtcpReceiversBandwidth)
        return isTooMuch ? nil : sum
    }
    /// The source that the other side announces (RFC 5576).
    public var remoteSSRC: UInt32?
    public var remoteCNAME: String?
}
