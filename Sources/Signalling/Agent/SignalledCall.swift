import Codecs
import SDP
import SIP

/// What the driver keeps of one call.
struct SignalledCall {
    let id: SignalledCallID
    /// nil: its first server is still being looked for.
    var handle: CallHandle?
    let isOutgoing: Bool
    var account: AccountID?
    /// What is offered of codecs; nil: what the configuration says.
    var codecs: [Codec]?
    /// Our offer as it was made, and one copy for each phone that has answered it early, by its tag.
    var negotiation: Negotiation?
    var early: [String: Negotiation] = [:]
    /// The phone whose media were told last; `nil`: none were.
    var toldBranch: String?
    /// The caller's offer, until it is prepared.
    var remoteOffer: SessionDescription?
    /// What `answer` will send.
    var preparedBody: Body?
    var isPrepared = false
    /// `answer` or `ring` has sent the answer that was prepared.
    var hasSentMedia = false
    var isAnswered = false
    /// The caller has taken notice of our answer.
    var isAcknowledged = false
    /// Our offer went out in a 2xx; its answer comes with the ACK.
    var awaitsAnswerInAcknowledgement = false
    /// What the person wants, which may have to wait for a change that is under way.
    var wantsHold = false
    var wantedPorts: LocalPorts?
    /// Those of the change that is under way.
    var offeredPorts: LocalPorts?
    /// An offer of ours was given up for one of the other side's: what it said is to be said again.
    var owesOffer = false
    /// Where packets to the other side go first: its media, or the first server of its signalling.
    var mediaPeer: String?
    /// Our offer as it is made by the other family of addresses, where the server has addresses of both, and where packets go then.
    var otherOffer: (negotiation: Negotiation, peer: String)?
    var isHeld = false
    var isHeldByPeer = false
    /// Somebody waits to be told how this call goes: it follows from the transfer of that one.
    var reportsTo: SignalledCallID?
    /// The one that the peer wants us to call.
    var transferTarget: TransferRequest?
    let sourceAddress: SignallingAddress?
    /// Whether the media are encrypted, as whoever called it wants; nil: as the account says.
    var encryption: MediaSecurity.Mode?
    /// What its offer says of that, after the offers that were refused.
    var attempt = SecurityAttempt.asWanted
    /// As it was made, for whoever is called in its place.
    var made: MadeCall?
    /// Whom it called before a redirection.
    var visited: [URI] = []
    /// Whom a redirection named besides, the most wanted first.
    var alternatives: [URI] = []
    /// SDP travels by TLS: it may carry keys.
    var isSignalledByTLS = false

    /// A call that could be made again.
    struct MadeCall {
        var call: OutgoingCall
        let replaces: Replaces?
        let referredBy: NameAddress?
    }

    init(
        id: SignalledCallID, handle: CallHandle?, isOutgoing: Bool, account: AccountID?,
        sourceAddress: SignallingAddress? = nil
    ) {
        self.id = id
        self.handle = handle
        self.isOutgoing = isOutgoing
        self.account = account
        self.sourceAddress = sourceAddress
    }
}
