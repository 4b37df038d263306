/// What was offered, answered and is in force, line by line, and why.
public struct NegotiationReceipt: Hashable, Sendable {
    public enum Side: String, Hashable, Sendable {
        case us, peer
    }

    /// What a row is about.
    public enum Subject: Hashable, Sendable {
        /// The media line as a whole; the value is its `media`.
        case line(String)
        case codec(String)
        case telephoneEvent(Int)
        case comfortNoise
        case redundancy(String)
        case address
        case direction
        case packetTime
        case rtcp
        /// Of the media (RFC 5763, 4568).
        case encryption
        /// RFC 8839.
        case ice
        case bandwidth
    }

    public struct Row: Hashable, Sendable {
        /// Index of the media line, from 0.
        public var line: Int
        public var subject: Subject
        /// nil: not offered.
        public var offered: String?
        /// nil: not answered.
        public var answered: String?
        /// nil: not in force.
        public var inForce: String?
        public var why: Reason
    }

    /// What the agreement costs the sound that this side sends.
    public struct Cost: Hashable, Sendable {
        /// One packet, in milliseconds.
        public var packetTime: Double
        /// What the codec adds, in milliseconds.
        public var lookahead: Double
        /// Bits a second on the network: payload, copies, RTP, UDP and IP headers.
        public var bitRate: Int
        /// The headers' part of it.
        public var headerBitRate: Int

        public init(packetTime: Double, lookahead: Double, bitRate: Int, headerBitRate: Int) {
            self.packetTime = packetTime
            self.lookahead = lookahead
            self.bitRate = bitRate
            self.headerBitRate = headerBitRate
        }

        /// In milliseconds.
        public var delay: Double { packetTime + lookahead }
    }

    /// Whose offer it was.
    public var offeredBy: Side
    public var rows: [Row] = []
    /// nil: nothing is sent.
    public var cost: Cost?

    /// Why a row ended as it did.
    public enum Reason: Hashable, Sendable {
        case agreed
        /// Both can, but another one comes first.
        case anotherFirst
        /// The answer leaves it out.
        case notAnswered
        /// This side cannot do it, or does not want to.
        case notOurs
        /// A number without rtpmap that RFC 3551 does not bind.
        case unknownNumber
        /// The codecs in force have another clock rate.
        case otherClockRate(Int)
        /// Its fmtp does not name the codec in force alone.
        case notPaired
        case heldByUs, heldByPeer, heldByBoth
        /// One side alone, or a limit, decided.
        case limited
        /// Only the answerer could not.
        case notMuxed
        /// Somebody between changed the address of the line (RFC 8839 section 4.2.5).
        case addressChanged
        case refused(LineRefusal)
    }
}

/// Why a media line has port 0.
public enum LineRefusal: Hashable, Sendable, CustomStringConvertible {
    /// Video and everything else that is no sound.
    case notAudio(String)
    /// A call has one audio line.
    case secondAudio
    /// The offer itself has port 0.
    case disabledByOffer
    /// The other side's answer has port 0.
    case refusedByPeer
    /// A secured profile, and encryption is switched off here, or the line has no keys that could be used.
    case encryption(String)
    /// Nothing of encryption in the line, and plain media are not wanted.
    case unencrypted
    /// A profile that is not RTP's.
    case transport(String)
    case noCommonCodec
    case address(MediaAddressRefusal)

    public var description: String {
        switch self {
        case .notAudio(let media): "\(media) is not supported, only audio"
        case .secondAudio: "a call has one audio line"
        case .disabledByOffer: "the offer has port 0"
        case .refusedByPeer: "the answer has port 0"
        case .encryption(let transport): "no keys for the encrypted media of \(transport) can be agreed on"
        case .unencrypted: "the media must be encrypted, and the other side does not"
        case .transport(let transport): "\(transport) is not supported, only the profiles of RTP"
        case .noCommonCodec: "no codec that both sides know"
        case .address(let refusal): refusal.description
        }
    }
}
