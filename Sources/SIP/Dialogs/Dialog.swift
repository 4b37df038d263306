/// What a dialog is found by, RFC 3261 section 12.
struct DialogID: Hashable {
    let callID: String
    let localTag: String
    /// Empty for a peer of RFC 2543.
    let remoteTag: String

    init(callID: String, localTag: String, remoteTag: String) {
        self.callID = callID
        self.localTag = localTag
        self.remoteTag = remoteTag
    }

    /// The dialog that a request from the peer belongs to; nil when it has no To tag.
    init?(incoming request: Request) {
        guard let localTag = request.headers.to.tag else { return nil }
        self.init(callID: request.headers.callID, localTag: localTag, remoteTag: request.headers.from.tag ?? "")
    }
}

/// One dialog: what the next request of either side needs to be right (RFC 3261 section 12).
struct Dialog {
    private(set) var id: DialogID
    /// No 2xx yet.
    private(set) var isEarly = true
    let local: NameAddress
    let remote: NameAddress
    /// The last CSeq of ours.
    private(set) var localNumber: UInt32
    /// The last CSeq of the peer's; nil before its first request.
    private(set) var remoteNumber: UInt32?
    /// Where the peer is: its last Contact.
    private(set) var remoteTarget: URI
    /// Route header fields in the order in which we send them.
    private(set) var routes: [NameAddress]
    /// Made over `sips:`: its requests stay on TLS, and say so themselves (RFC 3261 section 12.1).
    let isSecure: Bool

    /// The caller's side, from a response. Without a To tag it is one of RFC 2543.
    init(caller request: Request, response: Response) {
        id = DialogID(
            callID: request.headers.callID, localTag: request.headers.from.tag ?? "",
            remoteTag: response.headers.to.tag ?? "")
        local = request.headers.from
        remote = response.headers.to
        localNumber = request.headers.cSeq.number
        // A 2xx must have a Contact; without one the request URI is the best guess.
        remoteTarget = response.headers.contacts.first?.uri ?? request.uri
        routes = response.headers.addresses(.recordRoute).reversed()
        isSecure = request.uri.isSecure
    }

    /// The callee's side, from the request and the tag that we give it.
    /// - Parameter usesTLS: the request came by TLS.
    init(callee request: Request, localTag: String, usesTLS: Bool) {
        let headers = request.headers
        id = DialogID(callID: headers.callID, localTag: localTag, remoteTag: headers.from.tag ?? "")
        var own = headers.to
        own.tag = localTag
        local = own
        remote = headers.from
        localNumber = 0
        remoteNumber = headers.cSeq.number
        remoteTarget = headers.contacts.first?.uri ?? headers.from.uri
        routes = headers.addresses(.recordRoute)
        isSecure = usesTLS && request.uri.isSecure
    }

    /// The subscriber's side, from a NOTIFY (RFC 6665 section 4.4.1). The NOTIFY is still to be admitted.
    init(subscriber subscribe: Request, notify: Request) {
        let headers = notify.headers
        id = DialogID(
            callID: subscribe.headers.callID, localTag: subscribe.headers.from.tag ?? "", remoteTag: headers.from.tag ?? "")
        local = subscribe.headers.from
        remote = headers.from
        localNumber = subscribe.headers.cSeq.number
        remoteTarget = headers.contacts.first?.uri ?? subscribe.uri
        routes = headers.addresses(.recordRoute)
        isSecure = subscribe.uri.isSecure
        isEarly = false
    }

    /// A 2xx came or went. The caller takes the route set from it anew (RFC 3261 section 13.2.2.4).
    mutating func confirm(with response: Response? = nil) {
        isEarly = false
        guard let response else { return }
        routes = response.headers.addresses(.recordRoute).reversed()
        refreshTarget(response.headers)
    }

    /// A target refresh, by INVITE or UPDATE and their 2xx.
    mutating func refreshTarget(_ headers: Headers) {
        if let contact = headers.contacts.first, contact.uri.sip != nil { remoteTarget = contact.uri }
    }

    /// The number of the first request that the callee sends is at random below 2^31 (RFC 3261 section 12.1.1).
    mutating func startNumbering(at number: UInt32) { localNumber = max(localNumber, number & 0x3FFF_FFFF) }

    /// Whether the peer's request comes in order; its number is kept if so. ACK and CANCEL repeat a number.
    mutating func admits(_ cSeq: CSeq) -> Bool {
        guard cSeq.method != .ack, cSeq.method != .cancel else { return true }
        if let remoteNumber, cSeq.number <= remoteNumber { return false }
        remoteNumber = cSeq.number
        return true
    }

    /// A request inside the dialog, without Via and Contact. ACK takes its INVITE's number, all others the next one.
    mutating func request(_ method: Method, number: UInt32? = nil, body: Body? = nil) -> Request {
        let sequence = number ?? next()
        var uri = remoteTarget
        var route = routes
        // A strict router wants to be the request URI; the target goes to the end of its route (section 12.2.1.1).
        if let first = routes.first, first.uri.sip?.isLooseRoute != true {
            uri = first.uri
            route = routes.dropFirst() + [NameAddress(uri: remoteTarget)]
        }
        if case .sip(var target) = uri, !target.headers.isEmpty {
            target.headers = []
            uri = .sip(target)
        }
        var request = Request(method: method, uri: uri)
        for hop in route { request.headers.append(.route, hop.text) }
        request.headers.append(.maxForwards, "70")
        request.headers.append(.from, local.text)
        request.headers.append(.to, remote.text)
        request.headers.append(.callID, id.callID)
        request.headers.append(.cSeq, CSeq(number: sequence, method: method).text)
        if let body { request.set(body) }
        return request
    }

    /// The number for a request that is sent again with credentials.
    mutating func next() -> UInt32 {
        localNumber += 1
        return localNumber
    }

    /// A request outside of `request(_:)` used this number (an INVITE with credentials before the dialog was).
    mutating func raise(to number: UInt32) { localNumber = max(localNumber, number) }
}

extension Request {
    /// The URI of the next hop: the first Route, or the request URI (RFC 3261 section 8.1.2).
    var nextHop: URI {
        guard let route = headers.addresses(.route).first, route.uri.sip?.isLooseRoute == true else { return uri }
        return route.uri
    }

    mutating func set(_ body: Body) {
        headers.set(.contentType, body.contentType)
        self.body = body.bytes
    }
}

extension Response {
    mutating func set(_ body: Body) {
        headers.set(.contentType, body.contentType)
        self.body = body.bytes
    }
}
