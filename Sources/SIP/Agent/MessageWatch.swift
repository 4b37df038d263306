import Realtime

/// Whether messages wait, as an account's server is asked to tell: a subscription that is kept (RFC 6665, 3842).
struct MessageWatch {
    /// nil: there is none, or none yet.
    var subscription: MessageSubscription?
    /// The expiry that is asked for, in seconds: the package's own (RFC 3842 section 3.4), or more after a 423.
    var expires: UInt32 = 3600
    /// When to refresh, to try again, or to forget one that was given back.
    var next: HostTime?
    /// Failures in a row.
    var failures = 0
    /// The server has said that it never tells: it is not asked again by itself.
    var isUnserved = false
    /// The server may have lost it, or not know where we are now.
    var isDoubtful = false

    static let event = "message-summary"
    static let bodyType = "application/simple-message-summary"
}

/// One subscription: its dialog, and how far it is.
struct MessageSubscription {
    /// The first SUBSCRIBE as it was sent last. A NOTIFY that comes before its answer makes the dialog of it (RFC 6665 section 4.4.1).
    var request: Request
    var dialog: Dialog?
    /// A NOTIFY has come. From then on another server's has no part in it.
    var isSettled = false
    /// A SUBSCRIBE waits for its answer.
    var isAsking = true
    /// It was given back; the server's last word is still taken.
    var isEnding = false
    let since: HostTime

    init(_ request: Request, since: HostTime) { (self.request, self.since) = (request, since) }

    var callID: String { request.headers.callID }
    var localTag: String { request.headers.from.tag ?? "" }
}
