/// A header field's name. Names compare without case, and a compact form equals its long form (RFC 3261 section 7.3.3).
public struct HeaderName: Hashable, Sendable, CustomStringConvertible {
    /// As it is written when we send it.
    public let text: String
    /// Of the text in small letters (FNV-1a): names that differ are told apart by one comparison of numbers.
    private let fingerprint: UInt64

    public init(_ text: String) {
        self = Self.known[text.asciiLowercased] ?? HeaderName(written: text)
    }

    /// A name that is written as it is given.
    private init(written text: String) {
        self.text = text
        var hash = FNV1a()
        for byte in text.utf8 { hash.add(ByteClass.lowercased(byte)) }
        fingerprint = hash.value
    }

    public static func == (left: HeaderName, right: HeaderName) -> Bool {
        left.fingerprint == right.fingerprint && (left.text == right.text || left.text.equalsIgnoringCase(right.text))
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

    public var description: String { text }

    public static let accept = HeaderName(written: "Accept")
    public static let acceptEncoding = HeaderName(written: "Accept-Encoding")
    public static let alertInfo = HeaderName(written: "Alert-Info")
    public static let allow = HeaderName(written: "Allow")
    public static let allowEvents = HeaderName(written: "Allow-Events")
    public static let authenticationInfo = HeaderName(written: "Authentication-Info")
    public static let authorization = HeaderName(written: "Authorization")
    public static let callID = HeaderName(written: "Call-ID")
    public static let contact = HeaderName(written: "Contact")
    public static let contentDisposition = HeaderName(written: "Content-Disposition")
    public static let contentEncoding = HeaderName(written: "Content-Encoding")
    public static let contentLength = HeaderName(written: "Content-Length")
    public static let contentType = HeaderName(written: "Content-Type")
    public static let cSeq = HeaderName(written: "CSeq")
    public static let date = HeaderName(written: "Date")
    public static let event = HeaderName(written: "Event")
    public static let expires = HeaderName(written: "Expires")
    public static let from = HeaderName(written: "From")
    public static let maxForwards = HeaderName(written: "Max-Forwards")
    public static let minExpires = HeaderName(written: "Min-Expires")
    public static let minSE = HeaderName(written: "Min-SE")
    public static let pAssertedIdentity = HeaderName(written: "P-Asserted-Identity")
    public static let path = HeaderName(written: "Path")
    public static let proxyAuthenticate = HeaderName(written: "Proxy-Authenticate")
    public static let proxyAuthorization = HeaderName(written: "Proxy-Authorization")
    public static let proxyRequire = HeaderName(written: "Proxy-Require")
    public static let rAck = HeaderName(written: "RAck")
    public static let reason = HeaderName(written: "Reason")
    public static let recordRoute = HeaderName(written: "Record-Route")
    public static let referTo = HeaderName(written: "Refer-To")
    public static let referredBy = HeaderName(written: "Referred-By")
    public static let replaces = HeaderName(written: "Replaces")
    public static let require = HeaderName(written: "Require")
    public static let retryAfter = HeaderName(written: "Retry-After")
    public static let route = HeaderName(written: "Route")
    public static let rSeq = HeaderName(written: "RSeq")
    public static let server = HeaderName(written: "Server")
    public static let serviceRoute = HeaderName(written: "Service-Route")
    public static let sessionExpires = HeaderName(written: "Session-Expires")
    public static let subject = HeaderName(written: "Subject")
    public static let subscriptionState = HeaderName(written: "Subscription-State")
    public static let supported = HeaderName(written: "Supported")
    public static let timestamp = HeaderName(written: "Timestamp")
    public static let to = HeaderName(written: "To")
    public static let unsupported = HeaderName(written: "Unsupported")
    public static let userAgent = HeaderName(written: "User-Agent")
    public static let via = HeaderName(written: "Via")
    public static let warning = HeaderName(written: "Warning")
    public static let wwwAuthenticate = HeaderName(written: "WWW-Authenticate")

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
