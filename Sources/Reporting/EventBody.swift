import Metrics

/// What happened. Each case is declared here and told in `form` below; the types' names stay the same.
public enum EventBody: Sendable, Equatable {
    /// Sockets and devices are ready and sending begins.
    case callStarted(remote: String?, local: String, codec: String, device: String)
    /// The first valid packet came, this long after the start.
    case mediaStarted(remote: String, afterMilliseconds: Double)
    /// Once a second.
    case stats(CallStatistics)
    /// A direction's sound goes elsewhere; `nil` is nowhere.
    case routeChanged(direction: EventDirection, from: String?, to: String?, reason: String)
    case deviceLost(device: String, reason: String)
    case deviceBack(device: String, afterMilliseconds: Double)
    /// The peer began a new RTP stream (RFC 3550 section 8).
    case ssrcChanged(from: UInt32, to: UInt32)
    /// The peer's stream comes from another address; `nil`: who was taken for the peer fell silent at once.
    case remoteChanged(from: String, to: String?)
    /// The other side speaks in another codec, and so do we.
    case codecChanged(codec: String, payloadType: Int)
    case xrun(direction: EventDirection, count: Int)
    case echoState(EchoFigures)
    case dtmf(digit: String, direction: EventDirection)
    /// Something the person may want to mend: what, and what to do.
    case warning(String)
    /// What nothing in the program acts upon: all there is to it is how it is told.
    case told(EventForm)
    case callEnded(reason: String, durationSeconds: Double?, sipCode: Int? = nil, explanation: String? = nil)
    /// Somebody calls by signalling and waits for an answer.
    case callIncoming(from: String, name: String?, to: String, account: String?)
    /// The other side is reached, and says how far it is.
    case callProgress(sipCode: Int, reason: String, earlyMedia: Bool)
    /// By which response; `nil`: not by SIP.
    case callAnswered(sipCode: Int?)
    /// Calls from person to person are waited for, by this certificate (SHA-256).
    case waiting(local: String, fingerprint: String)
    /// The call of a browser is waited for: where its page is, and what whoever calls has to bear.
    case waitingForBrowser(url: String, token: String)
    /// Who is at the other end of a call from person to person, and what is known of him.
    case peer(PeerReport)
    /// What offer and answer brought about.
    case negotiated(NegotiationReport)
    /// The media are encrypted from now on: by which suite, with keys of which kind, proven by whose certificate (SHA-256).
    case secured(suite: String, kind: String, fingerprint: String?)
    /// Media pass by another pair of addresses from now on, of this cost: the kinds of both ends, and where the other one is.
    case ice(pair: String, local: String, remote: String, address: String, isNominated: Bool)
    /// By us, by the other side, or by both.
    case callHeld(byUs: Bool, byPeer: Bool)
    case callResumed
    /// The other side has us call somebody else, who is being called.
    case transferRequested(target: String)
    /// How far the other side has come with calling whom it was to call in place of us; 200: it is done, 300 and more: it failed.
    case transferProgress(target: String, sipCode: Int, reason: String)
    /// The call goes on with somebody else.
    case callTransferred(to: String)
    /// So many calls are one conversation.
    case callsJoined(parties: Int)
    /// Somebody sent a text by signalling.
    case message(from: String, name: String?, to: String, text: String)
    /// The other side of the call has taken our text.
    case textSent(to: String, text: String)
    /// What was recorded on request has ended before the call.
    case recordingEnded(RecordingEnd)
    /// Whether voice messages wait for an account, and how many; `nil`: the server does not count them.
    case messagesWaiting(account: String, isWaiting: Bool, new: Int?, old: Int?)
    /// Where an account stands at its registrar.
    case registration(RegistrationReport)
    case report(CallReport)
    case loopbackReport(LoopbackReport)
}

/// Why a recording on request ended before its call.
public enum RecordingEnd: String, Sendable {
    /// The media began anew: another way, other keys, another audio end.
    case mediaRestarted = "media_restarted"
    /// The call goes on with somebody else.
    case transferred

    var words: String {
        switch self {
        case .mediaRestarted: "the media begin anew"
        case .transferred: "the call goes on with somebody else"
        }
    }
}

/// How an event is told. What it says is made only where somebody asks.
public struct EventForm: Sendable, Equatable {
    /// Its `type`.
    let type: String
    /// Everything behind `type`, `time` and `call_id`.
    let members: @Sendable () -> [JSONMember]
    /// One plain line; `nil` for what has a text of its own.
    let text: @Sendable () -> String?

    /// - Parameters:
    ///   - type: its `type`.
    ///   - members: everything behind `type`, `time` and `call_id`.
    ///   - text: one plain line; `nil` for what has a text of its own.
    package init(
        _ type: String, _ members: @autoclosure @escaping @Sendable () -> [JSONMember],
        _ text: @autoclosure @escaping @Sendable () -> String?
    ) {
        (self.type, self.members, self.text) = (type, members, text)
    }

    public static func == (one: EventForm, other: EventForm) -> Bool {
        one.type == other.type && one.members() == other.members() && one.text() == other.text()
    }
}

extension EventBody {
    /// The event's `type`.
    public var type: String { form.type }

    /// Name, members and text of each event.
    var form: EventForm {
        switch self {
        case .callStarted(let remote, let local, let codec, let device):
            EventForm(
                "call_started",
                [.text("remote", remote), .text("local", local), .text("codec", codec), .text("device", device)],
                "call started: \(local) to \(remote ?? "whoever calls"), \(codec), device \(device)")
        case .mediaStarted(let remote, let after):
            EventForm(
                "media_started", [.text("remote", remote), JSONMember("after_ms", .number(after, decimals: 1))],
                "media started: hearing \(remote) after \(Text.fixed(after, 0)) ms")
        case .stats(let statistics): EventForm("stats", statistics.json.members, nil)
        case .routeChanged(let direction, let from, let to, let reason):
            EventForm(
                "route_changed",
                [.text("direction", direction.rawValue), .text("from", from), .text("to", to), .text("reason", reason)],
                "\(direction.rawValue) \(from.map { "moved from \($0) " } ?? "")to \(to ?? "nowhere") "
                    + "(\(reason.split(separator: "_").joined(separator: " ")))")
        case .deviceLost(let device, let reason):
            EventForm(
                "device_lost", [.text("device", device), .text("reason", reason)],
                "device \(device) lost: \(reason); the call goes on, it is tried again")
        case .deviceBack(let device, let after):
            EventForm(
                "device_back", [.text("device", device), JSONMember("after_ms", .number(after, decimals: 0))],
                "device \(device) back after \(Text.fixed(after / 1000, 1)) s")
        case .ssrcChanged(let from, let to):
            EventForm(
                "ssrc_changed", [.count("from", Int(from)), .count("to", Int(to))],
                "the other side began a new stream (SSRC \(hexadecimal(from)) to \(hexadecimal(to)))")
        case .remoteChanged(let from, let to):
            EventForm(
                "remote_changed", [.text("from", from), .text("to", to)],
                to.map { "the other side moved from \(from) to \($0)" }
                    ?? "\(from) sent a few packets and fell silent; waiting for a caller again")
        case .codecChanged(let codec, let payloadType):
            EventForm(
                "codec_changed", [.text("codec", codec), .count("payload_type", payloadType)],
                "the other side speaks \(codec) (payload type \(payloadType)), and so do we")
        case .xrun(let direction, let count):
            EventForm(
                "xrun", [.text("direction", direction.rawValue), .count("count", count)],
                "xrun of \(direction.rawValue), \(count) so far")
        case .echoState(let echo): EventForm("echo_state", echo.json.members, text(echo))
        case .dtmf(let digit, let direction):
            EventForm(
                "dtmf", [.text("digit", digit), .text("direction", direction.rawValue)], "digit \(digit) \(direction.rawValue)")
        case .warning(let message): EventForm("warning", [.text("message", message)], "warning: \(message)")
        case .told(let form): form
        case .callEnded(let reason, let duration, let sipCode, let explanation):
            EventForm(
                "call_ended",
                [.text("reason", reason)]
                    + (duration.map { [JSONMember("duration_s", .number($0, decimals: 2))] } ?? [])
                    + (sipCode.map { [.count("sip_code", $0)] } ?? [])
                    + (explanation.map { [.text("explanation", $0)] } ?? []),
                endText(reason, duration, sipCode, explanation))
        case .callIncoming(let from, let name, let to, let account):
            EventForm(
                "call_incoming", [.text("from", from), .text("name", name), .text("to", to), .text("account", account)],
                "call from \(named(name, from)) to <\(to)>: a answers, q refuses")
        case .callProgress(let sipCode, let reason, let earlyMedia):
            EventForm(
                "call_progress",
                [.count("sip_code", sipCode), .text("reason", reason), JSONMember("early_media", .boolean(earlyMedia))],
                "\(sipCode) \(reason)" + (earlyMedia ? ", with sound" : ""))
        case .callAnswered(let sipCode):
            EventForm("call_answered", sipCode.map { [.count("sip_code", $0)] } ?? [], "answered")
        case .waiting(let local, let fingerprint):
            EventForm(
                "waiting", [.text("local", local), .text("fingerprint", fingerprint)],
                "waiting at \(local), our key is \(fingerprint)")
        case .waitingForBrowser(let url, let token):
            EventForm(
                "waiting", [.text("url", url), .text("token", token)],
                "open \(url)#token=\(token) in a browser; it takes one call")
        case .peer(let report): EventForm("peer", report.members, report.text)
        case .negotiated(let report): EventForm("negotiated", report.members, report.text)
        case .secured(let suite, let kind, let fingerprint):
            EventForm(
                "secured", [.text("suite", suite), .text("kind", kind), .text("fingerprint", fingerprint)],
                "encrypted by \(suite)" + (fingerprint.map { ", the other side's certificate \($0)" } ?? ""))
        case .ice(let pair, let local, let remote, let address, let isNominated):
            EventForm(
                "ice",
                [
                    .text("pair", pair), .text("local", local), .text("remote", remote), .text("address", address),
                    JSONMember("nominated", .boolean(isNominated)),
                ],
                "the way is \(pair == "relay" ? "by a relay" : pair == "host" ? "direct" : "through a NAT"), to \(address)"
                    + (isNominated ? "" : ", for now"))
        case .callHeld(let byUs, let byPeer):
            EventForm(
                "call_held", [JSONMember("by_us", .boolean(byUs)), JSONMember("by_peer", .boolean(byPeer))],
                "held by " + (byUs && byPeer ? "both sides" : byUs ? "us" : "the other side"))
        case .callResumed: EventForm("call_resumed", [], "resumed")
        case .transferRequested(let target):
            EventForm("transfer_requested", [.text("target", target)], "the other side transfers us to <\(target)>")
        case .transferProgress(let target, let sipCode, let reason):
            EventForm(
                "transfer_progress",
                [.text("target", target), .count("sip_code", sipCode), .text("reason", reason)],
                "transfer to <\(target)>: \(sipCode) \(reason)")
        case .callsJoined(let parties):
            EventForm("calls_joined", [.count("parties", parties)], "a conference with \(parties) others")
        case .callTransferred(let to):
            EventForm("call_transferred", [.text("to", to)], "the call goes on with <\(to)>")
        case .message(let from, let name, let to, let words):
            EventForm(
                "message", [.text("from", from), .text("name", name), .text("to", to), .text("text", words)],
                "text from \(named(name, from)): \(words)")
        case .textSent(let to, let words):
            EventForm("message_sent", [.text("to", to), .text("text", words)], "text to <\(to)>: \(words)")
        case .recordingEnded(let reason):
            EventForm(
                "call_recording_ended", [.text("reason", reason.rawValue)],
                "the recording has ended, because \(reason.words); begin another one")
        case .messagesWaiting(let account, let isWaiting, let new, let old):
            EventForm(
                "mwi",
                [
                    .text("account", account), JSONMember("waiting", .boolean(isWaiting)), .count("new", new),
                    .count("old", old),
                ],
                isWaiting
                    ? "\(new.map(String.init) ?? "new") voice messages for \(account)" : "no new voice messages for \(account)")
        case .registration(let report): EventForm("registration", report.members, report.text)
        case .report(let report): EventForm("report", report.json.members, nil)
        case .loopbackReport(let report): EventForm("report", report.json.members, nil)
        }
    }

    private func hexadecimal(_ value: UInt32) -> String { "0x" + String(value, radix: 16) }

    /// A name that somebody gave himself, and his address.
    private func named(_ name: String?, _ address: String) -> String { (name.map { "\($0) " } ?? "") + "<\(address)>" }

    private func text(_ echo: EchoFigures) -> String {
        if echo.noEchoPath == true { return "no echo path found: the other side's voice does not come back" }
        let depth = echo.erleDecibels.map { ", \(Text.fixed($0, 0)) dB less" } ?? ""
        return echo.converged == true ? "echo gone\(depth)" : "echo canceller is learning the room"
    }

    private func endText(_ reason: String, _ seconds: Double?, _ sipCode: Int?, _ explanation: String?) -> String {
        let words = [sipCode.map(String.init), explanation].compactMap(\.self).joined(separator: " ")
        return "call ended: \(reason)" + (words.isEmpty ? "" : " (\(words))")
            + (seconds.map { " after \(Text.clock($0))" } ?? "")
    }
}

extension JSONMember {
    /// Text; `nil` is null.
    package static func text(_ name: String, _ value: String?) -> JSONMember {
        JSONMember(name, value.map { .string($0) } ?? .null)
    }

    /// A whole number; `nil` is null.
    package static func count(_ name: String, _ value: Int?) -> JSONMember {
        JSONMember(name, value.map { .integer($0) } ?? .null)
    }
}

extension JSONValue {
    /// The members of an object; none for anything else.
    var members: [JSONMember] {
        if case .object(let members) = self { members } else { [] }
    }
}
