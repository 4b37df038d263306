import Realtime

/// Requests and responses as all parts build them.
extension UserAgent {
    static let allowed = Method.served.map(\.name).joined(separator: ", ")
    /// Extensions that we serve: what `Require` may name.
    static let supportedExtensions = ["100rel", "replaces", "timer"]

    func accountState(_ id: AccountID?) throws(UserAgentError) -> AccountState? {
        guard let id else { return nil }
        guard let state = accounts[id] else { throw .noSuchAccount(id) }
        return state
    }

    func call(_ handle: CallHandle) throws(UserAgentError) -> SIPCall {
        guard let call = calls[handle] else { throw .noSuchCall }
        return call
    }

    /// A request outside of a dialog, without Via and Contact.
    func newRequest(_ method: Method, to target: URI, _ state: AccountState?) throws(UserAgentError) -> Request {
        var uri: URI
        switch target {
        case .sip(var sip):
            // Header fields in a URI would let a link write parts of our request (RFC 3261 section 19.1.5).
            sip.headers = []
            sip.parameters.remove("method")
            uri = .sip(sip.withEscapedUser)
        case .tel(let tel):
            guard let account = state?.account else { throw .badURI(target.text) }
            uri = .sip(tel.sip(host: account.address.host, isSecure: account.address.isSecure))
        case .other: throw .badURI(target.text)
        }
        var request = Request(method: method, uri: uri)
        for route in state?.preloadedRoutes ?? [] { request.headers.append(.route, route.text) }
        request.headers.append(.maxForwards, "70")
        var from = NameAddress(
            displayName: state?.account.displayName,
            uri: .sip(state?.account.address ?? SIPURI(user: configuration.user, host: "anonymous.invalid")))
        from.tag = randomToken()
        request.headers.append(.from, from.text)
        if case .sip(let sip) = uri { uri = .sip(sip.addressOfRecordKeepingUserParameter) }
        request.headers.append(.to, NameAddress(uri: uri).text)
        request.headers.append(.callID, randomToken(words: 2))
        request.headers.append(.cSeq, CSeq(number: 1, method: method).text)
        if let product = configuration.product { request.headers.append(.userAgent, product) }
        return request
    }

    /// Where a request outside of a dialog goes when no Route says so: an account's own domain is reached through its
    /// registrar, which need not be found under the domain's name, and by the registrar's transport.
    func nextHop(for request: Request, _ state: AccountState?) -> SIPURI? {
        guard let account = state?.account, !request.headers.contains(.route), case .sip(let uri) = request.uri,
            uri.host.equalsIgnoringCase(account.address.host), uri.port == nil || uri.port == account.address.port
        else { return nil }
        // Where nothing is said of a registrar it is the domain itself, at its port; `sip:` does not leave the account's TLS there.
        let isElsewhere = account.address.isSecure || account.address.port != uri.port
        return account.registrar ?? (isElsewhere ? account.registrarURI : nil)
    }

    /// A response with what every response copies (RFC 3261 section 8.2.6.2).
    func response(
        to request: Request, _ status: Int, reason: String? = nil, tag: String?
    ) -> Response {
        var headers = Headers()
        for name in [HeaderName.via, .from] { for field in request.headers.all(name) { headers.append(field) } }
        var to = request.headers.to
        if to.tag == nil, status > 100, let tag {
            to.tag = tag
            headers.append(.to, to.text)
        } else if let field = request.headers.first(.to) {
            headers.append(field)
        }
        for name in [HeaderName.callID, .cSeq] { if let field = request.headers.first(name) { headers.append(field) } }
        if status == 100, let field = request.headers.first(.timestamp) { headers.append(field) }
        if let product = configuration.product { headers.append(.server, product) }
        return Response(status: status, reason: reason, headers: headers)
    }

    /// Answers without keeping state: the same request gets the same answer, To tag included (RFC 3261 section 8.2.7).
    /// - Parameter tag: To tag that belongs to the request; nil: it has none of its own.
    func reply(
        to request: Request, _ status: Int, from source: SignallingSource, tag: String? = nil, adding fields: [HeaderField] = []
    ) {
        var answer = response(to: request, status, tag: tag ?? statelessTag(request))
        for field in fields { answer.headers.append(field) }
        send(answer.bytes, to: source.destination(for: request.headers))
    }

    /// A hash of what identifies the request, by a seed that nobody outside knows.
    func statelessTag(_ request: Request) -> String {
        var hash = FNV1a(seed: tagSeed)
        for name in [HeaderName.callID, .from, .via] {
            for byte in request.headers.first(name)?.raw ?? [] { hash.add(byte) }
        }
        return String(hash.value, radix: 16)
    }

    /// The header fields of a response that makes or keeps a dialog.
    func addDialogFields(to answer: inout Response, _ request: Request, source: SignallingSource, account: AccountID?) {
        for field in request.headers.all(.recordRoute) { answer.headers.append(field) }
        let hop = ServerHop(transport: source.transport, address: source.remote, local: shownAddress(towards: source))
        // RFC 3261 section 12.1.1.
        let peer = request.headers.addresses(.recordRoute).first ?? request.headers.contacts.first
        let saysSIPS = request.uri.isSecure || source.transport == .tls && peer?.uri.isSecure == true
        answer.headers.append(.contact, contact(account: account, hop: hop, secure: saysSIPS, isServer: false))
        answer.headers.append(.allow, Self.allowed)
        answer.headers.append(.supported, Self.supportedExtensions.joined(separator: ", "))
    }

    /// Where the peer of a request finds us again: the address that it sent to, and the port that is listened on. A stream
    /// of ours has a port of its own.
    private func shownAddress(towards source: SignallingSource) -> SignallingAddress? {
        guard let local = source.local else { return nil }
        let port = configuration.localAddresses[source.transport]?.port
        return SignallingAddress(host: local.host, port: port ?? local.port)
    }

    func add(_ dialog: Dialog, to call: SIPCall) {
        call.dialogs[dialog.id.remoteTag] = dialog
        dialogs[dialog.id] = call
    }

    func forget(_ dialog: Dialog, of call: SIPCall) {
        call.dialogs[dialog.id.remoteTag] = nil
        dialogs[dialog.id] = nil
    }

    func notePeer(_ call: SIPCall, _ headers: Headers) {
        if headers.contains(.allow) { call.peerAllows = headers.allow }
    }

    func schedule(_ call: SIPCall) {
        guard !call.hasEnded else { return }
        timers.schedule(.call(call.handle), at: call.deadline)
    }

    /// The call is over: the only place where that is told.
    func end(_ call: SIPCall, _ end: CallEnd) {
        guard !call.hasEnded else { return }
        call.hasEnded = true
        for dialog in call.dialogs.values { dialogs[dialog.id] = nil }
        calls[call.handle] = nil
        call.success = nil
        call.reliable = nil
        call.session = nil
        call.retry = nil
        call.owedAnswer = nil
        emit(.ended(call.handle, end))
    }
}

extension SIPURI {
    /// With what a person types and no user part may have, `#` of a service code above all, escaped (RFC 3261 section 25.1).
    var withEscapedUser: SIPURI {
        var uri = self
        uri.user = user.map(PercentEscape.escapedUser)
        return uri
    }

    /// Without parameters, but for `user=phone`.
    var addressOfRecordKeepingUserParameter: SIPURI {
        var uri = addressOfRecord
        if let kind = parameters["user"] { uri.parameters.set("user", kind) }
        return uri
    }
}
