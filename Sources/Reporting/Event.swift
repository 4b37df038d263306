import Metrics

/// Something that happened in a call: one line of `--json`.
public struct Event: Sendable, Equatable {
    public var time: Timestamp
    /// The call it belongs to; `nil` for what concerns the whole program.
    public var callID: String?
    public var body: EventBody

    public init(_ body: EventBody, callID: String? = nil, time: Timestamp = .now()) {
        self.time = time
        self.callID = callID
        self.body = body
    }

    /// `type`, `time` and `call_id` first, then what the event says.
    public var json: JSONValue {
        var members = [JSONMember("type", .string(body.type)), JSONMember("time", .string(time.text))]
        if let callID { members.append(JSONMember("call_id", .string(callID))) }
        return .object(members + body.members)
    }
}

/// Which way audio goes through a device or a digit through a call.
public enum EventDirection: String, Sendable { case capture, playback, sent, received }

/// What happened. The types' names stay the same.
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
    /// The jitter buffer threw its history away.
    case bufferReset(reason: String)
    case xrun(direction: EventDirection, count: Int)
    case echoState(EchoFigures)
    case dtmf(digit: String, direction: EventDirection)
    /// Something the person may want to mend: what, and what to do.
    case warning(String)
    case callEnded(reason: String, durationSeconds: Double?, sipCode: Int? = nil, explanation: String? = nil)
    /// Somebody calls by signalling and waits for an answer.
    case callIncoming(from: String, name: String?, to: String, account: String?)
    /// The other side is reached, and says how far it is.
    case callProgress(sipCode: Int, reason: String, earlyMedia: Bool)
    case callAnswered(sipCode: Int)
    /// What offer and answer brought about.
    case negotiated(NegotiationReport)
    /// The media are encrypted from now on: by which suite, with keys of which kind, proven by whose certificate (SHA-256).
    case secured(suite: String, kind: String, fingerprint: String?)
    /// By us, by the other side, or by both.
    case callHeld(byUs: Bool, byPeer: Bool)
    case callResumed
    /// Somebody sent a text by signalling.
    case message(from: String, name: String?, to: String, text: String)
    /// Whether voice messages wait for an account, and how many; `nil`: the server does not count them.
    case messagesWaiting(account: String, isWaiting: Bool, new: Int?, old: Int?)
    /// Where an account stands at its registrar.
    case registration(RegistrationReport)
    case report(CallReport)
    case loopbackReport(LoopbackReport)

    /// The event's `type`.
    public var type: String {
        switch self {
        case .callStarted: "call_started"
        case .mediaStarted: "media_started"
        case .stats: "stats"
        case .routeChanged: "route_changed"
        case .deviceLost: "device_lost"
        case .deviceBack: "device_back"
        case .ssrcChanged: "ssrc_changed"
        case .remoteChanged: "remote_changed"
        case .bufferReset: "buffer_reset"
        case .xrun: "xrun"
        case .echoState: "echo_state"
        case .dtmf: "dtmf"
        case .warning: "warning"
        case .callEnded: "call_ended"
        case .callIncoming: "call_incoming"
        case .callProgress: "call_progress"
        case .callAnswered: "call_answered"
        case .negotiated: "negotiated"
        case .secured: "secured"
        case .callHeld: "call_held"
        case .callResumed: "call_resumed"
        case .message: "message"
        case .messagesWaiting: "mwi"
        case .registration: "registration"
        case .report, .loopbackReport: "report"
        }
    }

    /// Everything behind `type`, `time` and `call_id`.
    var members: [JSONMember] {
        switch self {
        case .callStarted(let remote, let local, let codec, let device):
            return [
                JSONMember("remote", remote.map { .string($0) } ?? .null), JSONMember("local", .string(local)),
                JSONMember("codec", .string(codec)), JSONMember("device", .string(device)),
            ]
        case .mediaStarted(let remote, let after):
            return [JSONMember("remote", .string(remote)), JSONMember("after_ms", .number(after, decimals: 1))]
        case .stats(let statistics): return statistics.json.members
        case .routeChanged(let direction, let from, let to, let reason):
            return [
                JSONMember("direction", .string(direction.rawValue)), JSONMember("from", from.map { .string($0) } ?? .null),
                JSONMember("to", to.map { .string($0) } ?? .null), JSONMember("reason", .string(reason)),
            ]
        case .deviceLost(let device, let reason):
            return [JSONMember("device", .string(device)), JSONMember("reason", .string(reason))]
        case .deviceBack(let device, let after):
            return [JSONMember("device", .string(device)), JSONMember("after_ms", .number(after, decimals: 0))]
        case .ssrcChanged(let from, let to):
            return [JSONMember("from", .integer(Int(from))), JSONMember("to", .integer(Int(to)))]
        case .remoteChanged(let from, let to):
            return [JSONMember("from", .string(from)), JSONMember("to", to.map { .string($0) } ?? .null)]
        case .bufferReset(let reason): return [JSONMember("reason", .string(reason))]
        case .xrun(let direction, let count):
            return [JSONMember("direction", .string(direction.rawValue)), JSONMember("count", .integer(count))]
        case .echoState(let echo): return echo.json.members
        case .dtmf(let digit, let direction):
            return [JSONMember("digit", .string(digit)), JSONMember("direction", .string(direction.rawValue))]
        case .warning(let message): return [JSONMember("message", .string(message))]
        case .callEnded(let reason, let duration, let sipCode, let explanation):
            return [JSONMember("reason", .string(reason))]
                + (duration.map { [JSONMember("duration_s", .number($0, decimals: 2))] } ?? [])
                + (sipCode.map { [JSONMember("sip_code", .integer($0))] } ?? [])
                + (explanation.map { [JSONMember("explanation", .string($0))] } ?? [])
        case .callIncoming(let from, let name, let to, let account):
            return [
                JSONMember("from", .string(from)), JSONMember("name", name.map { .string($0) } ?? .null),
                JSONMember("to", .string(to)), JSONMember("account", account.map { .string($0) } ?? .null),
            ]
        case .callProgress(let sipCode, let reason, let earlyMedia):
            return [
                JSONMember("sip_code", .integer(sipCode)), JSONMember("reason", .string(reason)),
                JSONMember("early_media", .boolean(earlyMedia)),
            ]
        case .callAnswered(let sipCode): return [JSONMember("sip_code", .integer(sipCode))]
        case .negotiated(let report): return report.members
        case .secured(let suite, let kind, let fingerprint):
            return [
                JSONMember("suite", .string(suite)), JSONMember("kind", .string(kind)),
                JSONMember("fingerprint", fingerprint.map { .string($0) } ?? .null),
            ]
        case .callHeld(let byUs, let byPeer):
            return [JSONMember("by_us", .boolean(byUs)), JSONMember("by_peer", .boolean(byPeer))]
        case .callResumed: return []
        case .message(let from, let name, let to, let text):
            return [
                JSONMember("from", .string(from)), JSONMember("name", name.map { .string($0) } ?? .null),
                JSONMember("to", .string(to)), JSONMember("text", .string(text)),
            ]
        case .messagesWaiting(let account, let isWaiting, let new, let old):
            return [
                JSONMember("account", .string(account)), JSONMember("waiting", .boolean(isWaiting)),
                JSONMember("new", new.map { .integer($0) } ?? .null), JSONMember("old", old.map { .integer($0) } ?? .null),
            ]
        case .registration(let report): return report.members
        case .report(let report): return report.json.members
        case .loopbackReport(let report): return report.json.members
        }
    }
}

extension JSONValue {
    /// The members of an object; none for anything else.
    var members: [JSONMember] {
        if case .object(let members) = self { members } else { [] }
    }
}
