/// Why and how a call ended, as signalling tells it.
public struct CallEnding: Sendable, Hashable {
    public enum Reason: String, Sendable, Hashable {
        /// We hung up, cancelled or rejected.
        case localHangup
        /// The other side hung up, or the caller gave up.
        case remoteHangup
        /// The other side is in another call (486, 600).
        case busy
        /// The other side refused (4xx and 6xx).
        case refused
        /// Nobody answered in time (408, 480, or our own limit).
        case noAnswer
        /// 3xx: `contacts` say where to.
        case redirected
        /// Offer and answer have nothing in common.
        case noCommonMedia
        /// A password was wanted, or was wrong.
        case authentication
        /// A certificate that is not the expected one.
        case certificate
        /// No way to the other side, or a server that fails (5xx).
        case network
        /// The other side vanished: it no longer acknowledged or refreshed the call.
        case lost
        /// Another call took this one's place.
        case replaced
        /// The call could not be made as it was asked for.
        case badTarget
    }

    public var reason: Reason
    /// The code of the last response; nil when none came.
    public var sipCode: Int?
    /// In words; they may be the network's.
    public var text: String
    /// Of a redirection.
    public var contacts: [String]

    public init(_ reason: Reason, sipCode: Int? = nil, text: String, contacts: [String] = []) {
        self.reason = reason
        self.sipCode = sipCode
        self.text = text
        self.contacts = contacts
    }
}
