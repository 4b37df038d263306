import Codecs
import Link
import SDP
import SecureRTP

/// A call's number within its signalling; none is used twice.
public struct SignalledCallID: Hashable, Sendable, CustomStringConvertible {
    public let number: UInt64

    public init(number: UInt64) { self.number = number }

    public var description: String { "\(number)" }
}

/// The number of a text that was sent; none is used twice.
public struct SentMessageID: Hashable, Sendable {
    public let number: UInt64

    public init(number: UInt64) { self.number = number }
}

/// How calls are made and ended, seen from above: the same for SIP and for whatever else may come.
///
/// Every function may be called from any thread and returns at once; what comes of it is told by events, in order, to the
/// handler that was given at the start, on the signalling's own thread. A request about a call that is over does nothing.
/// A request that the call cannot carry out in its state is told by `CallSignallingEvent.requestRefused`.
///
/// Out: `invite` → `progress`* → `negotiated` → `answered` → `ended`. In: `incoming` → `prepare` → `negotiated` → `ring`, `answer`
/// → `answered` → `ended`. Each call has exactly one `ended`, and no event after it.
///
/// A call over plain RTP needs no signalling; whoever wants it behind this seam tells `answered` at the first packet.
public protocol CallSignalling: Sendable {
    /// Calls somebody.
    func invite(_ call: OutgoingCall) -> SignalledCallID
    /// Names the ports of a call that came and works out the answer; nothing is sent yet, so that devices can be started
    /// before the caller hears of it. Where nothing fits, the call is refused and ends.
    func prepare(_ call: SignalledCallID, media: LocalPorts)
    /// Tells the caller that it rings; `withMedia` sends the prepared answer along, for early media.
    func ring(_ call: SignalledCallID, withMedia: Bool)
    /// Answers a call that was prepared.
    func answer(_ call: SignalledCallID)
    /// Refuses a call that came.
    func reject(_ call: SignalledCallID, _ refusal: CallRefusal)
    /// Holds or resumes.
    func hold(_ call: SignalledCallID, _ held: Bool)
    /// Moves this side's media to other ports.
    func move(_ call: SignalledCallID, media: LocalPorts)
    /// Asks the other side to call `target` instead of us; `replacing` connects it with a call of ours.
    func transfer(_ call: SignalledCallID, to target: String, replacing other: SignalledCallID?)
    /// The other side's wish to be transferred: agreed to with the ports of the new call, refused with nil.
    func answerTransfer(_ call: SignalledCallID, media: LocalPorts?)
    /// Sends a text to the other side of an answered call; `textAnswered` tells how it went.
    func send(text: String, in call: SignalledCallID)
    /// Tells the other side of an answered call of a key by INFO: where its media take none.
    func send(digit: Character, in call: SignalledCallID)
    /// Sends somebody a text (RFC 3428); `messageSent` tells how that went.
    /// - Parameter account: as whom; nil: as nobody in particular.
    func send(_ text: String, to target: String, account: String?) -> SentMessageID
    /// Ends a call in whatever state it is.
    func hangUp(_ call: SignalledCallID)
    /// Registers an account of the configuration, or registers it anew at once.
    func register(_ account: String)
    func unregister(_ account: String)
    /// Takes other accounts from now on: new ones are registered, those that are missing taken back, changed ones registered anew.
    /// Calls that there are go on, whatever becomes of their accounts.
    /// - Throws: one makes no sense; nothing has changed then.
    func change(accounts: [AccountSettings]) throws(AccountSettingsError)
    /// Lets no call begin any more: callers hear 503, and may try again after so many seconds. Those there are go on.
    func drain(retryAfter seconds: Int)
    /// Tells who asks (OPTIONS) that there is no place for another call: 503, and in how many seconds to ask again.
    /// - Parameter seconds: nil: there are places again.
    func setFull(retryAfter seconds: Int?)
    /// Ends every call, takes registrations back, waits for the answers for so long at most, in seconds, and closes. A quarter
    /// of a second more is for those whose BYE had to wait until then.
    func shutdown(within seconds: Double) async
}

/// A call to be made.
public struct OutgoingCall: Sendable, Hashable {
    /// `sip:`, `sips:` or, with an account, `tel:`.
    public var target: String
    /// The account's name in the configuration; nil: no account.
    public var account: String?
    /// Whether the media are encrypted; nil: as the account says.
    public var encryption: MediaSecurity.Mode?
    /// What is offered, the most wanted first; nil: what the configuration says.
    public var codecs: [Codec]?
    public var media: LocalPorts

    public init(
        target: String, account: String? = nil, encryption: MediaSecurity.Mode? = nil, media: LocalPorts
    ) {
        self.target = target
        self.account = account
        self.encryption = encryption
        self.media = media
    }
}

/// Where this side's media is received.
public struct LocalPorts: Sendable, Hashable {
    /// Numeric address to be told to the other side; nil: the one from which packets leave towards it.
    public var address: String?
    public var port: UInt16
    /// Of RTCP; equal to `port`: RTCP can only share it.
    public var controlPort: UInt16
    public var ssrc: UInt32?
    public var canonicalName: String?
    /// Of the certificate that this side's DTLS will show; nil: no keys by DTLS.
    public var fingerprint: DTLSFingerprint?
    /// nil: ICE is neither offered nor answered.
    public var ice: LocalICE?
    /// Where a STUN server sees `port`: told to those who are on its side of a NAT.
    public var reflexive: SocketAddress?
    /// Whether what is received there is mixed with other calls: levels are asked for and told.
    public var mixes: Bool

    /// - Parameter controlPort: nil: the port after `port`.
    public init(
        address: String? = nil, port: UInt16, controlPort: UInt16? = nil, ssrc: UInt32? = nil,
        canonicalName: String? = nil, fingerprint: DTLSFingerprint? = nil, ice: LocalICE? = nil,
        reflexive: SocketAddress? = nil, mixes: Bool = false
    ) {
        self.address = address
        self.port = port
        self.controlPort = controlPort ?? (port == .max ? port : port + 1)
        self.ssrc = ssrc
        self.canonicalName = canonicalName
        self.fingerprint = fingerprint
        self.ice = ice
        self.reflexive = reflexive
        self.mixes = mixes
    }
}

/// Why a call that came is refused.
public enum CallRefusal: Sendable, Hashable {
    /// Nobody can talk now: another call is running.
    case busy
    /// The person does not want it.
    case declined
    /// Nobody is there.
    case unavailable
    /// No calls begin here any more (`drain`).
    case ending
    /// There is no place for another call at present; another server may have one, or this one after so many seconds.
    case full(retryAfter: Int)
    /// This caller may not call.
    case forbidden

    var status: Int {
        switch self {
        case .busy: 486
        case .declined: 603
        case .unavailable: 480
        case .ending, .full: 503
        case .forbidden: 403
        }
    }

    /// Seconds after which the caller may try again; nil: not told by the refusal itself.
    var retryAfter: UInt32? { if case .full(let seconds) = self { UInt32(clamping: max(1, seconds)) } else { nil } }
}
