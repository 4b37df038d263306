import SIP
import Testing

/// A peer's requests of one call towards the agent, as the test wants them.
struct PeerCall {
    var callID = "peer-call@192.0.2.9"
    var fromTag = "caller"
    /// The agent's tag, once it is known.
    var toTag: String?
    var number: UInt32 = 1
    var branch = 0
    var extra: [(HeaderName, String)] = []

    /// A request of the peer's with the next branch; `number` stays unless the caller raises it.
    mutating func request(
        _ method: SIP.Method, number: UInt32? = nil, body: Body? = nil, _ fields: [(HeaderName, String)] = []
    ) -> Request {
        branch += 1
        return request(method, number: number, branch: "z9hG4bKpeer\(callID.utf8.count)x\(branch)", body: body, fields)
    }

    func request(
        _ method: SIP.Method, number: UInt32? = nil, branch: String, body: Body? = nil,
        _ fields: [(HeaderName, String)] = []
    ) -> Request {
        let target = URI("sip:me@192.0.2.1") ?? .other(scheme: "x", text: "x:y")
        var request = Request(method: method, uri: target)
        request.headers.append(.via, "SIP/2.0/UDP 192.0.2.9:5060;branch=\(branch);rport")
        request.headers.append(.maxForwards, "70")
        request.headers.append(.from, "\"Peer\" <sip:peer@example.com>;tag=\(fromTag)")
        request.headers.append(.to, "<sip:me@example.com>" + (toTag.map { ";tag=\($0)" } ?? ""))
        request.headers.append(.callID, callID)
        request.headers.append(.cSeq, "\(number ?? self.number) \(method.name)")
        if method == .invite || method == .update || method == .refer {
            request.headers.append(.contact, "<sip:peer@192.0.2.9:5060>")
        }
        for (name, value) in extra + fields { request.headers.append(name, value) }
        if let body {
            request.headers.append(.contentType, body.contentType)
            request.body = body.bytes
        }
        return request
    }
}

extension Bench {
    func feed(_ request: Request) { feed(request.bytes) }

    /// A call of ours that the peer has answered.
    func establishedOutgoing(
        fields: [(HeaderName, String)] = [(.allow, "INVITE, ACK, BYE, UPDATE, PRACK")]
    ) throws -> CallHandle {
        let handle = try agent.invite(uri("sip:peer@192.0.2.9"), body: offer, now: now)
        collect()
        answer(try request(.invite), 200, fields, body: answerBody)
        try #require(answered.count == 1)
        clear()
        return handle
    }

    /// A call of the peer's that we have answered, and its side of the dialog.
    /// - Parameter contact: where the peer says it is; `nil`: as its requests have it.
    func establishedIncoming(
        contact: String? = nil, _ fields: [(HeaderName, String)] = []
    ) throws -> (CallHandle, PeerCall) {
        var call = PeerCall()
        var invite = call.request(.invite, body: offer, fields)
        if let contact { invite.headers.set(.contact, contact) }
        feed(invite)
        let handle = try #require(incoming.last?.0)
        try agent.answer(handle, body: answerBody, now: now)
        collect()
        call.toTag = try response().headers.to.tag
        feed(call.request(.ack))
        clear()
        return (handle, call)
    }
}
