/// Header fields as values. Those that every message has are checked by the parser; messages built here have them too,
/// so their accessors give an empty value rather than nil.
extension Headers {
    /// Every Via, the topmost first.
    public var vias: [Via] { (elements(.via) ?? []).compactMap { Via(bytes: $0) } }

    public var topVia: Via? {
        guard let field = first(.via), let list = ByteScanner.elements(of: field.raw) else { return nil }
        return list.first { !$0.isEmpty }.flatMap { Via(bytes: $0) }
    }

    public var from: NameAddress { address(.from) ?? Self.nobody }
    public var to: NameAddress { address(.to) ?? Self.nobody }
    public var callID: String { first(.callID)?.raw.text ?? "" }
    public var cSeq: CSeq { value(.cSeq, CSeq.init) ?? CSeq(number: 0, method: Method("")) }

    private static let nobody = NameAddress(uri: .other(scheme: "invalid", text: "invalid:"))

    /// Every well-formed address of a list.
    public func addresses(_ name: HeaderName) -> [NameAddress] {
        (elements(name) ?? []).compactMap { NameAddress(bytes: $0) }
    }

    /// The first address of that name; nil when there is none, or it is not well formed.
    public func address(_ name: HeaderName) -> NameAddress? {
        guard let field = first(name) else { return nil }
        if name == .contact || name == .pAssertedIdentity { return addresses(name).first }
        return NameAddress(bytes: field.raw)
    }

    public var contacts: [NameAddress] { addresses(.contact) }
    public var maxForwards: UInt32? { number(.maxForwards) }
    public var expires: UInt32? { number(.expires) }
    public var minExpires: UInt32? { number(.minExpires) }
    public var rSeq: UInt32? { number(.rSeq) }
    public var rAck: RAck? { value(.rAck, RAck.init) }
    public var sessionExpires: SessionExpires? { value(.sessionExpires, SessionExpires.init) }
    /// Parameters after the number are passed over.
    public var minSE: UInt32? { value(.minSE, SessionExpires.init)?.seconds }
    /// In seconds.
    public var retryAfter: UInt32? { value(.retryAfter, RetryAfter.init)?.seconds }
    public var replaces: Replaces? { value(.replaces, Replaces.init) }
    public var referTo: NameAddress? { address(.referTo) }
    public var referredBy: NameAddress? { address(.referredBy) }
    public var event: TokenValue? { value(.event, TokenValue.init) }
    public var contentDisposition: TokenValue? { value(.contentDisposition, TokenValue.init) }
    public var subscriptionState: TokenValue? { value(.subscriptionState, TokenValue.init) }
    public var date: SIPDate? { value(.date, SIPDate.init) }
    public var reasons: [Reason] { (elements(.reason) ?? []).compactMap { Reason(bytes: $0) } }
    public var warnings: [Warning] { (elements(.warning) ?? []).compactMap { Warning(bytes: $0) } }
    public var allow: [Method] { tokens(.allow).map { Method($0) } }

    /// Challenges of WWW-Authenticate or Proxy-Authenticate, in order; what is not well formed is left out.
    public func challenges(_ name: HeaderName) -> [DigestChallenge] {
        all(name).flatMap { DigestChallenge.list($0.raw) }
    }

    private func number(_ name: HeaderName) -> UInt32? {
        first(name).flatMap { FieldRules.number($0, limit: UInt64(UInt32.max)) }.map { UInt32($0) }
    }

    private func value<Value>(_ name: HeaderName, _ read: (ArraySlice<UInt8>) -> Value?) -> Value? {
        first(name).flatMap { read($0.raw) }
    }
}
