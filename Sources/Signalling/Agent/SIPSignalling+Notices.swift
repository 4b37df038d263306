import Realtime
import SIP

/// Keys by INFO, texts, and what an account's server says of voice messages.
extension SIPSignalling {
    func keyed(_ id: SignalledCallID, _ body: Body?) {
        guard let body, let digit = KeyByINFO.digit(mediaType: body.mediaType, body: body.bytes) else { return }
        tell(.digit(id, digit))
    }

    /// Whoever we talk to may send texts, wherever the call has come from; outside of calls whoever may call.
    func messaged(from: NameAddress, to: NameAddress, _ body: Body) {
        guard tellsAnother() else { return }
        tell(
            .message(
                TextMessage(
                    from: from.uri.text, name: from.displayName, to: to.uri.text,
                    text: Self.text(of: body))))
    }

    /// UTF-8 unless it says that it is Latin-1, as telephones of old do, or UTF-16.
    private static func text(of body: Body) -> String {
        switch body.parameter("charset")?.lowercased() {
        case "iso-8859-1": String(String.UnicodeScalarView(body.bytes.map { Unicode.Scalar($0) }))
        case "utf-16", "utf-16be": text(ofPairs: body.bytes, isLittleEndian: false)
        case "utf-16le": text(ofPairs: body.bytes, isLittleEndian: true)
        default: String(decoding: body.bytes, as: UTF8.self)
        }
    }

    /// UTF-16 (RFC 2781). A mark at its beginning says in which order its octets are.
    private static func text(ofPairs bytes: [UInt8], isLittleEndian: Bool) -> String {
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        let isSwapped = units.first == 0xFFFE || (isLittleEndian && units.first != 0xFEFF)
        let ordered = isSwapped ? units.map(\.byteSwapped) : units
        return String(decoding: ordered.first == 0xFEFF ? ordered.dropFirst() : ordered[...], as: UTF16.self)
    }

    public nonisolated func send(_ text: String, to target: String, account: String?) -> SentMessageID {
        let id = SentMessageID(number: nextID().number)
        perform { signalling in
            do throws(UserAgentError) {
                guard let uri = URI(target) else { throw .badURI(target) }
                let body = Body(contentType: "text/plain;charset=UTF-8", bytes: Array(text.utf8))
                let request = try signalling.agent.send(
                    .message, to: uri, account: account.map { AccountID($0) }, body: body, now: .monotonicNow())
                signalling.sentMessages[request] = id
            } catch {
                signalling.tell(.messageSent(id, sipCode: nil, reason: "\(error)"))
            }
        }
        return id
    }

    func answered(_ request: RequestID, _ status: Int, _ reason: String) {
        guard let id = sentMessages.removeValue(forKey: request) else { return }
        tell(.messageSent(id, sipCode: status, reason: reason))
    }

    func notified(_ account: AccountID, event: String, _ body: Body?) {
        guard event == "message-summary", let body,
            let summary = MessageSummary(mediaType: body.mediaType, body: body.bytes), tellsAnother()
        else { return }
        tell(.messagesWaiting(account: account.name, summary))
    }

    func unwatched(_ account: AccountID, _ status: Int?, _ reason: String, _ retryAfter: Double?) {
        let code = status.map { "\($0) " } ?? ""
        let next =
            retryAfter == nil
            ? "it is not asked again; take message_waiting out of the account, or have the server's operator allow it"
            : "it is asked again"
        tell(
            .warning(
                nil, "account \(account.name): its server does not tell whether messages wait (\(code)\(reason)); \(next)"))
    }

    private func tellsAnother() -> Bool {
        let limit = noticeLimit.admits(now: .monotonicNow())
        if limit.isFirstLeftOut { tell(.warning(nil, "more texts and notices come than are told one by one")) }
        return limit.isTold
    }
}
