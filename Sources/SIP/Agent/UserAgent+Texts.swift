import Realtime

/// Texts: MESSAGE, within calls and outside of them (RFC 3428).
extension UserAgent {
    /// Sends a text within an answered call, to whoever is at its other end. `textAnswered` tells how it went.
    public func sendText(_ handle: CallHandle, body: Body, now: HostTime) throws(UserAgentError) {
        let call = try call(handle)
        guard call.isAnswered, var dialog = call.current else { throw .wrongState("it is not answered") }
        let request = dialog.request(.message, body: body)
        call.current = dialog
        start(Exchange(request, .text(call), account: call.account), now: now)
    }

    func textProgressed(_ call: SIPCall, _ request: Request, _ result: Exchange.Result) {
        // A refusal ends no call, 481 neither: a text uses the dialog, it is no part of it (RFC 5057 section 5.3).
        guard !call.hasEnded else { return }
        let (status, reason): (Int, String)
        switch result {
        case .provisional: return
        case .final(let response), .unauthenticated(_, let response): (status, reason) = (response.status, response.reason)
        case .timedOut: (status, reason) = (408, StatusCode.reason(408))
        case .unreachable: (status, reason) = (503, "No way to the other side")
        }
        emit(.textAnswered(call.handle, text: request.body, status: status, reason: reason))
    }

    /// A text outside of calls.
    func messaged(_ request: Request, _ key: TransactionKey, _ source: SignallingSource, now: HostTime) {
        guard isAccountServer(source) || configuration.admitsTexts(source) else {
            return reply(to: request, 403, from: source)
        }
        guard let text = plainText(of: request, source) else { return }
        guard open(request, key, source, now: now) else { return }
        respond(key, response(to: request, 200, tag: randomToken()), now: now)
        emit(.message(in: nil, from: request.headers.from, to: request.headers.to, text, source))
    }

    /// A text within a call, whose transaction is open.
    func messaged(_ call: SIPCall, _ request: Request, _ key: TransactionKey, _ source: SignallingSource, now: HostTime) {
        guard let text = Self.plainText(of: request) else {
            var refusal = response(to: request, 415, tag: call.localTag)
            refusal.headers.append(.accept, Self.textType)
            return respond(key, refusal, now: now)
        }
        respond(key, response(to: request, 200, tag: call.localTag), now: now)
        emit(.message(in: call.handle, from: request.headers.from, to: request.headers.to, text, source))
    }

    private static let textType = "text/plain"

    /// The text, or the first one of several parts. What says that somebody types, or is a picture, is none.
    private static func plainText(of request: Request) -> Body? {
        let body = Body(headers: request.headers, bytes: request.body)
        return body.flatMap { body in ([body] + body.parts).first { $0.mediaType == textType } }
    }

    /// The text; a request without one is refused.
    private func plainText(of request: Request, _ source: SignallingSource) -> Body? {
        if let text = Self.plainText(of: request) { return text }
        reply(to: request, 415, from: source, adding: [HeaderField(.accept, Self.textType)])
        return nil
    }
}
