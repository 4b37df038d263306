/// A call's number within a user agent.
public struct CallHandle: Hashable, Sendable {
    public let number: UInt64
}

/// What the person, or the call above, is told.
public enum UserAgentEvent: Sendable {
    /// A call came and rings: `ring`, `answer` or `reject` it.
    case incoming(CallHandle, IncomingCall)
    /// A provisional response to our INVITE.
    case progress(CallHandle, Progress)
    /// A 2xx to our INVITE, acknowledged unless it has an offer: then `acknowledge` with the answer.
    case answered(CallHandle, AgreedBody)
    /// The ACK to our 2xx came; with the answer, when our 2xx had the offer.
    case acknowledged(CallHandle, Body?)
    /// The peer wants to change the session: `answer` or `reject` it. nil: it asks for an offer.
    case modificationRequested(CallHandle, Body?)
    /// Our modification was agreed to. With an offer in it (ours had none): `acknowledge` with the answer.
    case modified(CallHandle, AgreedBody)
    /// Our modification was refused; the session stays as it was.
    case modificationFailed(CallHandle, status: Int, reason: String)
    /// What a modification had to wait for (`offerPending`), or was given up for, is over, or the way that it did not find may
    /// be there: `modify` with a new offer.
    case modificationPossible(CallHandle)
    /// The call is over. Nothing about it follows.
    case ended(CallHandle, CallEnd)
    /// INFO inside the call, already answered 200.
    case info(CallHandle, Body?)
    /// The peer asks us to call somebody: `acceptTransfer` or `rejectTransfer`.
    case transferRequested(CallHandle, TransferRequest)
    /// How far the transfer that we asked for has come: 100, 180, 200 ...
    case transferProgress(CallHandle, status: Int, reason: String)
    case registered(AccountID, Registered)
    case registrationFailed(AccountID, RegistrationFailure)
    case unregistered(AccountID)
    /// A request to the account's own address came back through its registrar, or no longer does.
    case reachability(AccountID, isReachable: Bool)
    /// The answer to `options` or `send`.
    case answer(RequestID, status: Int, reason: String, body: Body?)
    /// A MESSAGE with a plain text, already answered 200; within a call, or nil: outside of any.
    case message(in: CallHandle?, from: NameAddress, to: NameAddress, Body, SignallingSource)
    /// The answer to `sendText`.
    case textAnswered(CallHandle, text: [UInt8], status: Int, reason: String)
    /// NOTIFY of an account's server (message waiting), outside of a dialog or in one that we have subscribed to; already answered 200.
    case notified(AccountID, event: String, Body?)
    /// The account's server does not tell whether messages wait: its status, and seconds until it is asked again; nil: it is not.
    case messagesUnwatched(AccountID, status: Int?, reason: String, retryAfter: Double?)
    /// A packet was dropped.
    case dropped(DropReason, SignallingSource)
}

/// The number of a request of `UserAgent.options` and `UserAgent.send`.
public struct RequestID: Hashable, Sendable {
    public let number: UInt64
}

/// A call that came. All texts are the network's: escape them before they are shown or logged.
public struct IncomingCall: Sendable {
    public let from: NameAddress
    public let to: NameAddress
    public let requestURI: URI
    public let callID: String
    public let source: SignallingSource
    /// The account that it came for; nil when it is for none.
    public let account: AccountID?
    /// It came from one of that account's servers, not from a stranger.
    public let isFromAccountServer: Bool
    /// The caller's name as the account's server vouches for it (RFC 3325). nil from anybody else.
    public let assertedIdentity: NameAddress?
    /// The offer; nil when the answer has to make one.
    public let body: Body?
    /// The call of ours that this one takes the place of (RFC 3891). It ends when this one is answered.
    public let replaces: CallHandle?
    public let headers: Headers
}

/// A provisional response.
public struct Progress: Sendable {
    public let status: Int
    public let reason: String
    /// Which of several phones says so: the To tag.
    public let branch: String
    public let body: Body?
    /// It has an offer that wants an answer: `acknowledge`.
    public let needsAnswer: Bool
}

/// What came with a 2xx.
public struct AgreedBody: Sendable {
    /// Which of several phones: the To tag.
    public let branch: String
    public let body: Body?
    /// `body` is an offer: `acknowledge` with the answer.
    public let needsAnswer: Bool
    public let headers: Headers
}

/// Why and how a call ended.
public struct CallEnd: Sendable {
    public enum Cause: String, Sendable {
        /// We hung up, cancelled or rejected.
        case local
        /// The peer said BYE or CANCEL.
        case remote
        /// The peer, or a server on the way, refused the call.
        case refused
        /// 3xx: `contacts` says where to.
        case redirected
        /// Nothing came back in time.
        case timeout
        /// No way to the peer.
        case network
        /// A password was wanted, or was wrong.
        case authentication
        /// The caller never acknowledged our answer.
        case notAcknowledged
        /// The session was not refreshed (RFC 4028).
        case sessionExpired
        /// Another call took this one's place.
        case replaced
        /// Nobody answered within the ringing limit.
        case noAnswer
    }

    public let cause: Cause
    /// The status code of the last response; nil when none came.
    public let status: Int?
    public let reason: String
    public let contacts: [NameAddress]
    /// Reason header fields of BYE, CANCEL or the response (RFC 3326).
    public let reasons: [Reason]
    public let warnings: [Warning]
    /// In seconds.
    public let retryAfter: UInt32?

    init(_ cause: Cause, status: Int? = nil, reason: String? = nil, headers: Headers = Headers()) {
        self.cause = cause
        self.status = status
        self.reason = reason ?? status.map(StatusCode.reason) ?? cause.rawValue
        contacts = cause == .redirected ? headers.contacts : []
        reasons = headers.reasons
        warnings = headers.warnings
        retryAfter = headers.retryAfter
    }
}

/// The peer asks for a transfer (REFER, RFC 3515).
public struct TransferRequest: Sendable {
    public let target: URI
    /// An attended transfer: the dialog to replace.
    public let replaces: Replaces?
    public let referredBy: NameAddress?
    /// Where the request came from.
    public let source: SignallingSource
}

/// A registration that holds.
public struct Registered: Sendable {
    /// Granted, in seconds.
    public let expires: UInt32
    public let contact: URI
    /// Where the registrar saw our packet come from, if it says so.
    public let seenAddress: SignallingAddress?
    public let serviceRoute: [NameAddress]
    /// P-Associated-URI is not read; Flow-Timer in seconds is (RFC 5626).
    public let flowTimer: UInt32?
}

/// A registration that does not hold.
public struct RegistrationFailure: Sendable {
    public enum Class: String, Sendable {
        case authentication, refused, server, network
    }

    public let kind: Class
    public let status: Int?
    public let reason: String
    /// Seconds until it is tried again.
    public let retryAfter: Double
}

/// Why a packet was dropped.
public enum DropReason: Hashable, Sendable {
    case unparsable(ParseProblem)
    /// A response that belongs to no request of ours.
    case strayResponse
    /// An ACK that belongs to nothing.
    case strayAcknowledgement
    /// The source, or all together, keep too much state here.
    case tooManyTransactions
    case tooManyCalls
    case brokenStream(StreamFramer.Failure)
}
