import Realtime

/// One call of the user agent: an INVITE of ours or of a peer's, its dialogs, and what is under way in it.
final class SIPCall {
    /// An ACK of ours, kept to be sent again when its 2xx comes again.
    struct Acknowledgement {
        let number: UInt32
        let bytes: [UInt8]
        let destination: SignallingDestination
        /// What it was made of, where it went by TCP because it is long; until then a stream that fails may have lost it.
        let moved: (request: Request, hop: ServerHop, until: HostTime)?
    }

    /// A 2xx of ours to INVITE, sent until its ACK comes (RFC 3261 section 13.3.1.4).
    struct Success {
        let key: TransactionKey
        let number: UInt32
        let response: Response
        /// The ACK brings the answer to our offer.
        let hasOffer: Bool
        var interval: Double
        var next: HostTime
        let limit: HostTime
    }

    /// A provisional response of ours, sent until its PRACK comes (RFC 3262 section 3).
    struct Reliable {
        let number: UInt32
        let response: Response
        var interval: Double
        var next: HostTime
        let limit: HostTime
    }

    /// The peer's re-INVITE or UPDATE, which waits for our user.
    struct RemoteOffer {
        let key: TransactionKey
        let request: Request
        let limit: HostTime
    }

    /// A 2xx or a reliable provisional brought an offer, which waits for our user's answer.
    struct OwedAnswer {
        enum Carrier {
            case acknowledge
            case prack(RAck)
        }
        let tag: String
        let number: UInt32
        let carrier: Carrier
        let limit: HostTime
    }

    /// A change of ours that has to wait (491, RFC 3261 section 14.1).
    struct Retry {
        let body: Body?
        let usesUpdate: Bool
        let time: HostTime
        let count: Int
    }

    /// A change of ours that found no way to the peer.
    struct LostWay {
        /// How many in a row.
        let count: Int
        /// When another one is worth trying; nil: it is being tried.
        var next: HostTime?
    }

    let handle: CallHandle
    let isOutgoing: Bool
    let account: AccountID?
    let callID: String
    let localTag: String
    var hasEnded = false
    /// A 2xx was sent or has come.
    var isAnswered = false

    /// Dialogs by the peer's tag: several early ones when a call forks.
    var dialogs: [String: Dialog] = [:]
    /// The dialog that the call lives in.
    var currentTag: String?
    /// What the peer says that it serves.
    var peerAllows: [Method] = []
    /// It has refused an UPDATE as a method that it does not serve, whatever its Allow says.
    var refusesUpdate = false

    // As caller
    /// Its transaction, or the search for its server, keeps it: it keeps the call.
    weak var invite: Exchange?
    /// The way that its INVITE went last.
    var way: SignallingDestination?
    var isCancelSent = false
    /// Forks whose late 2xx was acknowledged and ended.
    var discarded: Set<String> = []
    var acknowledgements: [String: Acknowledgement] = [:]
    /// The last RSeq by the peer's tag.
    var reliableNumbers: [String: UInt32] = [:]
    /// ACKs and PRACKs of ours that found no way, by the peer's tag: each goes anew when its response comes again.
    var lostAcknowledgements: [String: Request] = [:]
    var lostPracks: [String: Request] = [:]

    // As callee
    var serverKey: TransactionKey?
    var request: Request?
    var source: SignallingSource?
    var replaces: CallHandle?
    var reliable: Reliable?
    var queuedProvisionals: [(status: Int, reason: String?, body: Body?)] = []
    var lastReliableNumber: UInt32 = 0
    /// A provisional response waits for an offer of ours.
    var owesEarlyOffer = false
    /// What the caller is told at the ringing limit.
    var unansweredStatus = 480
    /// `answer` came while a reliable provisional was not acknowledged.
    var queuedAnswer: Body??
    /// The body that a reliable provisional has already carried: the 2xx repeats it.
    var lastProvisional: Response?
    var nextProvisional: HostTime?
    var success: Success?
    var byeWhenAcknowledged: CallEnd?

    // Both
    /// Peers' tags of dialogs in which an offer has met its answer before the call was answered.
    var agreedTags: Set<String> = []
    /// UPDATE or PRACK has changed the session before the call was answered.
    var hasEarlyChange = false
    var ringingLimit: HostTime?
    var modification: Exchange?
    var retry: Retry?
    var lostWay: LostWay?
    /// How often a change was put off in a row.
    var retryCount = 0
    /// The user waits until a change of ours is possible.
    var isChangeAwaited = false
    var remoteOffer: RemoteOffer?
    var owedAnswer: OwedAnswer?
    var session: SessionTimer?
    /// INFOs of ours that wait for the answer to the one under way.
    var waitingInfos: [Body] = []
    var hasOpenInfo = false
    /// How often a 422 was followed in a row.
    var intervalRetries = 0
    /// The longest minimum that a 422 has told: every later interval is as long (RFC 4028 section 7.4).
    var leastInterval: UInt32 = 0
    /// What we last said of our side of the session, for refreshes.
    var localBody: Body?
    var transfer = Transfer()

    init(handle: CallHandle, isOutgoing: Bool, account: AccountID?, callID: String, localTag: String) {
        self.handle = handle
        self.isOutgoing = isOutgoing
        self.account = account
        self.callID = callID
        self.localTag = localTag
    }

    /// It was made over `sips:`: its requests stay on TLS (RFC 3261 section 26.2.2), whatever the peer's Contact says.
    var isSecure: Bool { dialogs.values.contains(where: \.isSecure) || invite?.request.uri.isSecure == true }

    /// The dialog that the call lives in; before an answer as callee, the only one.
    var current: Dialog? {
        get { currentTag.flatMap { dialogs[$0] } }
        set { if let newValue { dialogs[newValue.id.remoteTag] = newValue } }
    }

    /// Whether changes and refreshes may go by UPDATE.
    var peerServesUpdate: Bool { !refusesUpdate && peerAllows.contains(.update) }

    /// The next time at which something of this call is due.
    var deadline: HostTime? {
        // Once it was hung up, only its ACK is waited for.
        if byeWhenAcknowledged != nil { return success.map { min($0.next, $0.limit) } }
        var times = [ringingLimit, nextProvisional, retry?.time, remoteOffer?.limit, owedAnswer?.limit]
        times += [session?.next, transfer.limit, lostWay?.next]
        if let success { times += [success.next, success.limit] }
        if let reliable { times += [reliable.next, reliable.limit] }
        return times.compactMap { $0 }.min()
    }

    /// As callee: what INVITE began is settled by other requests, so that no response to it brings an offer or an answer any more.
    var isSettledOtherwise: Bool { hasEarlyChange || (request?.hasOffer == false && !agreedTags.isEmpty) }

    /// An offer is under way in either direction (RFC 3264 section 4).
    var hasPendingOffer: Bool {
        modification != nil || remoteOffer != nil || owedAnswer != nil || success != nil
    }
}
