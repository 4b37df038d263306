import Codecs
import Link
import RTP
import SDP

/// The media of a call as both sides agreed on it, seen from this side: what a media path is set up with.
public struct MediaAgreement: Sendable, Hashable {
    public struct TelephoneEvents: Sendable, Hashable {
        public var payloadType: UInt8
        /// Time stamp units a second.
        public var clockRate: Int

        public init(payloadType: UInt8, clockRate: Int) {
            self.payloadType = payloadType
            self.clockRate = clockRate
        }
    }

    public struct Redundancy: Sendable, Hashable {
        public var payloadType: UInt8
        /// Copies of earlier packets in each packet, at most.
        public var copies: Int

        public init(payloadType: UInt8, copies: Int) {
            self.payloadType = payloadType
            self.copies = copies
        }
    }

    /// Where RTP is sent; nil: the other side holds without an address.
    public var remote: SocketAddress?
    /// Where RTCP is sent; nil: nowhere.
    public var remoteControl: SocketAddress?
    /// Where this side receives RTP, as the other side was told; nil: by a name.
    public var local: SocketAddress?
    /// RTP and RTCP share a port, both ways (RFC 5761).
    public var sharesPort: Bool
    /// How the sides find each other; nil: media go to `remote`.
    public var ice: ICEInForce?
    /// nil: the media are plain.
    public var encryption: MediaEncryption?
    /// What this side does.
    public var sends: Bool
    public var receives: Bool
    /// The other side does not want to hear (RFC 3264 section 8.4).
    public var isHeldByPeer: Bool
    /// This side does not want to hear.
    public var isHeldByUs: Bool

    /// Numbers of levels in header extensions; unused where this side mixes nothing.
    public var levels: LevelNumbers

    // What this side sends
    public var codec: Codec
    /// Of codecs with several, in Hz.
    public var sampleRate: Int
    /// The other side's number.
    public var payloadType: UInt8
    public var packetMilliseconds: Int
    /// Bits a second of payload that the other side allows; nil: no limit told.
    public var maximumBitrate: Int?
    /// Bits a second of RTCP of both sides together that the other side wants (RFC 3556), 0: none; nil: as usual.
    public var rtcpBandwidth: Int?
    public var telephoneEvents: TelephoneEvents?
    public var comfortNoise: UInt8?
    public var redundancy: Redundancy?

    // What may arrive
    /// By our numbers, each with its clock, those of earlier agreements included.
    public var received: PayloadTypeTable
    /// The codec of each audio payload type that may arrive, those of earlier agreements included.
    public var receivedCodecs: [UInt8: Codec]
    /// The other side announces this source (RFC 5576).
    public var remoteSource: UInt32?

    /// Whether media go the same way as by `former`: by ICE wherever that leads.
    package func isSamePath(as former: MediaAgreement) -> Bool {
        guard ice == nil, former.ice == nil else { return ice != nil && former.ice != nil }
        return remote == former.remote && remoteControl == former.remoteControl
    }

    /// Whether the keys of `former` stay. An association belongs to the addresses and certificates of both sides (RFC 8842
    /// section 4): where ours are others, the other side begins another one.
    package func keepsKeys(of former: MediaAgreement) -> Bool {
        guard encryption == former.encryption else { return false }
        guard case .dtls = encryption else { return true }
        return isSamePath(as: former) && (ice != nil || local == former.local)
    }

    /// What is sent arrives under the same number: no table is needed for it.
    public var isSymmetric: Bool { receivedCodecs[payloadType] == codec && receivedCodecs.count == 1 }
}
