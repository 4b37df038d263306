import Link
import Realtime
import SDP

/// What signalling tells, in order. All texts may be the network's: escape them before they are shown or logged.
public enum CallSignallingEvent: Sendable {
    case registration(RegistrationChange)
    /// Somebody calls: `prepare`, `ring`, `answer` or `reject` it.
    case incoming(SignalledCallID, CallerFacts)
    /// The other side is reached: it rings, or says how far it is.
    case progress(SignalledCallID, CallProgress)
    /// What media is agreed on; also when it changes during the call, and before the answer for early media.
    case negotiated(SignalledCallID, NegotiatedMedia)
    /// The call stands: the other side has answered, or has taken notice of our answer; told then.
    case answered(SignalledCallID, sipCode: Int, at: HostTime)
    /// Who holds the call now.
    case held(SignalledCallID, byUs: Bool, byPeer: Bool)
    /// The other side wants us to call somebody else: `answerTransfer`.
    case transferRequested(SignalledCallID, target: String)
    /// How far the transfer that we asked for is; 200: done, 300 and more: failed.
    case transferProgress(SignalledCallID, sipCode: Int, reason: String)
    /// Another call took the place of this one, or follows from its transfer.
    case followed(SignalledCallID, by: SignalledCallID)
    /// The other side pressed a key and said so by INFO.
    case digit(SignalledCallID, Character)
    case message(TextMessage)
    /// How the other side of a call took our text; 300 and more: it did not.
    case textAnswered(SignalledCallID, text: String, sipCode: Int, reason: String)
    /// What became of a text that was sent: 200 and the like where it was taken; nil: it was never sent.
    case messageSent(SentMessageID, sipCode: Int?, reason: String)
    /// The Call-ID that the call's messages have.
    case dialog(SignalledCallID, callID: String)
    /// Whether somebody has left voice messages for an account.
    case messagesWaiting(account: String, MessageSummary)
    /// A request could not be carried out: what was agreed on with the other side is as it was.
    case requestRefused(SignalledCallID, reason: String, sipCode: Int?)
    /// The call is over. Nothing about it follows.
    case ended(SignalledCallID, CallEnding)
    /// Something a person should know and can do something about.
    case warning(SignalledCallID?, String)
}

/// A call that came.
public struct CallerFacts: Sendable, Hashable {
    /// The caller's URI, which anybody can make up.
    public var from: String
    /// The name that goes with it: the account's own server vouches for it, or the caller says so.
    public var name: String?
    public var isNameVouchedFor: Bool
    public var to: String
    /// The account that it came for; nil: none.
    public var account: String?
    /// Where the packet came from.
    public var source: SocketAddress?
    /// It came from one of the account's own servers, not from a stranger.
    public var isFromAccountServer: Bool
    /// Names of the codecs that the caller offers, the most wanted first; empty: our answer makes the offer.
    public var offeredCodecs: [String]
    /// The call of ours that it takes the place of.
    public var replaces: SignalledCallID?
}

public struct CallProgress: Sendable, Hashable {
    /// 101 to 199.
    public var sipCode: Int
    public var reason: String
    /// The other side sends sound already; `negotiated` has told what.
    public var hasEarlyMedia: Bool
}

/// What offer and answer have brought about, and why.
public struct NegotiatedMedia: Sendable, Hashable {
    /// nil: no audio.
    public var agreement: MediaAgreement?
    public var receipt: NegotiationReceipt
    /// When the other side's answer to our call came that brought it; nil: it came otherwise.
    public var answeredAt: HostTime?

    public init(agreement: MediaAgreement?, receipt: NegotiationReceipt, answeredAt: HostTime? = nil) {
        (self.agreement, self.receipt, self.answeredAt) = (agreement, receipt, answeredAt)
    }
}

public struct RegistrationChange: Sendable, Hashable {
    public enum State: String, Sendable, Hashable {
        case registered, failed, unregistered
    }

    public enum Failure: String, Sendable, Hashable {
        case authentication, refused, server, network, certificate
    }

    public var account: String
    public var state: State
    /// Why it failed; nil: it has not.
    public var failure: Failure?
    public var reason: String
    public var sipCode: Int?
    /// Granted, in seconds.
    public var expires: UInt32?
    /// Seconds until it is tried again.
    public var retryAfter: Double?
    /// Whether a request came back through the registrar; nil: not tried.
    public var isReachable: Bool?
    /// Where the registrar sees us.
    public var seenAddress: String?
}
