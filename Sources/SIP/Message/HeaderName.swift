/// A header field's name. Names compare without case, and a compact form equals its long form (RFC 3261 section 7.3.3).
public struct HeaderName: Hashable, Sendable, CustomStringConvertible {
    /// As it is written when we send it.
    public let text: String
    /// Of the text in small letters (FNV-1a): names that differ are told apart by one comparison of numbers.
    private let fingerprint: UInt64

    public init(_ text: String) {
        self = Self.known[text.asciiLowercased] ?? HeaderName(known: text)
    }

    /// A name that is written as it is given.
    private init(known text: String) {
        self.text = text
        fingerprint = text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64(ByteClass.lowercased($1))) &* 0x100_0000_01B3 }
    }

    public static func == (left: HeaderName, right: HeaderName) -> Bool {
        left.fingerprint == right.fingerprint && (left.text == right.text || left.text.equalsIgnoringCase(right.text))
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

    public var description: String { text }

    public static let accept = HeaderName(known: "Accept")
    public static let acceptEncoding = HeaderName(known: "Accept-Encoding")
    public static let alertInfo = HeaderName(known: "Alert-Info")
    public static let allow = HeaderName(known: "Allow")
    public static let allowEvents = HeaderName(known: "Allow-Events")
    public static let authenticationInfo = HeaderName(known: "Authentication-Info")
    public static let authorization = HeaderName(known: "Authorization")
    public static let callID = HeaderName(known: "Call-ID")
    public static let contact = HeaderName(known: "Contact")
    public static let contentDisposition = HeaderName(known: "Content-Disposition")
    public static let contentEncoding = HeaderName(known: "Content-Encoding")
    public static let contentLength = HeaderName(known: "Content-Length")
    public static let contentType = HeaderName(known: "Content-Type")
    public static let cSeq = HeaderName(known: "CSeq")
    public static let date = HeaderName(known: "Date")
    public static let event = HeaderName(known: "Event")
    public static let expires = HeaderName(known: "Expires")
    public static let from = HeaderName(known: "From")
    public static let maxForwards = HeaderName(known: "Max-Forwards")
    public static let minExpires = HeaderName(known: "Min-Expires")
    public static let minSE = HeaderName(known: "Min-SE")
    public static let pAssertedIdentity = HeaderName(known: "P-Asserted-Identity")
    public static let path = HeaderName(known: "Path")
    public static let proxyAuthenticate = HeaderName(known: "Proxy-Authenticate")
    public static let proxyAuthorization = HeaderName(known: "Proxy-Authorization")
    public static let proxyRequire = HeaderName(known: "Proxy-Require")
    public static let rAck = HeaderName(known: "RAck")
    public static let reason = HeaderName(known: "Reason")
    public static let recordRoute = HeaderName(known: "Record-Route")
    public static let referTo = HeaderName(known: "Refer-To")
    public static let referredBy = HeaderName(known: "Referred-By")
    public static let replaces = HeaderName(known: "Replaces")
    public static let require = HeaderName(known: "Require")
    public static let retryAfter = HeaderName(known: "Retry-After")
    public static let route = HeaderName(known: "Route")
    public static let rSeq = HeaderName(known: "RSeq")
    public static let server = HeaderName(known: "Server")
    public static let serviceRoute = HeaderName(known: "Service-Route")
    public static let sessionExpires = HeaderName(known: "Session-Expires")
    public static let subject = HeaderName(known: "Subject")
    public static let subscriptionState = HeaderName(known: "Subscription-State")
    public static let supported = HeaderName(known: "Supported")
    public static let timestamp = HeaderName(known: "Timestamp")
    public static let to = HeaderName(known: "To")
    public static let unsupported = HeaderName(known: "Unsupported")
    public static let userAgent = HeaderName(known: "User-Agent")
    public static let via = HeaderName(known: "Via")
    public static let warning = HeaderName(known: "Warning")
    public static let wwwAuthenticate = HeaderName(known: "WWW-Authenticate")

    /// Long and compact forms in small letters. Compact forms: RFC 3261 section 20, 3515, 3892, 4028, 6665.
    private static let known: [String: HeaderName] = {
        let all: [HeaderName] = [
            accept, acceptEncoding, alertInfo, allow, allowEvents, authenticationInfo, authorization, callID, contact,
            contentDisposition, contentEncoding, contentLength, contentType, cSeq, date, event, expires, from,
            maxForwards, minExpires, minSE, pAssertedIdentity, path, proxyAuthenticate, proxyAuthorization,
            proxyRequire, rAck, reason, recordRoute, referTo, referredBy, replaces, require, retryAfter, route, rSeq,
            server, serviceRoute, sessionExpires, subject, subscriptionState, supported, timestamp, to, unsupported,
            userAgent, via, warning, wwwAuthenticate,
        ]
        var table = Dictionary(uniqueKeysWithValues: all.map { ($0.text.asciiLowercased, $0) })
        let compact: [(String, HeaderName)] = [
            ("i", callID), ("m", contact), ("e", contentEncoding), ("l", contentLength), ("c", contentType), ("f", from),
            ("s", subject), ("k", supported), ("t", to), ("v", via), ("r", referTo), ("b", referredBy),
            ("x", sessionExpires), ("o", event), ("u", allowEvents),
        ]
        for (form, name) in compact { table[form] = name }
        return table
    }()
}
