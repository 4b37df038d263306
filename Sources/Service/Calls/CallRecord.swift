import Metrics
import Reporting
import Softphone

/// What is known of a call, as routes and events tell it.
package struct CallRecord: Sendable {
    package enum Direction: String, Sendable, CaseIterable { case outgoing, incoming }

    /// By which way the other side comes.
    package enum Kind: String, Sendable, CaseIterable { case sip, browser }

    package enum State: String, Sendable, CaseIterable {
        /// Ours: nobody has been reached yet.
        case calling
        /// The other side rings, or ours does.
        case ringing
        case active
        /// By a side or both.
        case held
        case ended
    }

    package let id: String
    package let direction: Direction
    package let kind: Kind
    package var account: String?
    package var from: String?
    package var to: String?
    /// The other side's name, as it is told.
    package var name: String?
    package var audio: AudioEnd
    package let started: Timestamp
    package var answered: Timestamp?
    package var ended: Timestamp?
    package var isReached = false
    /// It rings at the other side (180), and sound of it has come.
    private var (ringsThere, isHeard) = (false, false)
    package var isMuted = false
    package var isHeldByUs = false
    package var isHeldByPeer = false
    /// Who has it while it rings here.
    package var ringing = Ringing.free
    /// Another audio end is on its way: only one at a time is.
    package var isChangingAudio = false
    package var codec: String?
    package var remote: String?
    /// What offer and answer brought about last.
    package var negotiation: NegotiationReport?
    package var sipCode: Int?
    package var endReason: String?
    package var explanation: String?
    package var durationSeconds: Double?
    /// Name of the recording that is being made; empty: it is just being begun.
    package var recording: String?
    /// Name of the message that the caller has left.
    package var message: String?
    /// Names of the handsets where it rings; empty: all.
    package var handsets: [String] = []
    package var report: CallReport?
    /// When sound was made up for, and why.
    package var concealed = ConcealedSpans()

    package init(
        id: String, _ direction: Direction, kind: Kind = .sip, account: String?, from: String? = nil, to: String? = nil,
        audio: AudioEnd, started: Timestamp = .now()
    ) {
        (self.id, self.direction, self.account, self.from, self.to) = (id, direction, account, from, to)
        self.kind = kind
        (self.audio, self.started) = (audio, started)
    }

    package var state: State {
        if ended != nil { return .ended }
        if answered != nil { return isHeldByUs || isHeldByPeer ? .held : .active }
        return direction == .incoming || isReached ? .ringing : .calling
    }

    /// Whoever calls is to hear that it rings.
    var ringsBack: Bool { state == .ringing && direction == .outgoing && ringsThere && !isHeard }

    var isBeginningRecording: Bool { recording?.isEmpty == true }

    /// Takes note of what happened.
    package mutating func take(_ event: PartyEvent) {
        concealed.note(event, isAnswered: answered != nil)
        switch event.body {
        // Later ones are of whom the call is transferred to.
        case .callProgress(let sipCode, let reason, _) where answered == nil:
            isReached = true
            ringsThere = ringsThere || sipCode == 180
            self.sipCode = sipCode
            explanation = Self.clip(reason)
        case .mediaStarted: isHeard = true
        case .callIncoming(let from, let name, let to, let account):
            (self.from, self.to, self.name) = (Self.clip(from), Self.clip(to), name.map(Self.clip))
            self.account = account
        case .negotiated(let report):
            (codec, remote) = (report.codec, report.remote)
            negotiation = report
            // The network's lines are kept few.
            negotiation?.rows = Array(report.rows.prefix(Self.negotiationLimit))
        case .callAnswered(let sipCode):
            self.sipCode = sipCode
            explanation = nil
            answered = answered ?? event.time
        // A browser's call was answered when it came; it is there once its keys are.
        case .secured where kind == .browser: answered = answered ?? event.time
        case .callHeld(let byUs, let byPeer): (isHeldByUs, isHeldByPeer) = (byUs, byPeer)
        case .callResumed: (isHeldByUs, isHeldByPeer) = (false, false)
        // A recorder that is the audio end begins anew with the media.
        case .recordingEnded where !audio.records: recording = nil
        case .callEnded(let reason, let seconds, let sipCode, let explanation):
            ended = event.time
            (endReason, durationSeconds) = (reason, seconds)
            // A provisional response has ended nothing.
            self.sipCode = sipCode ?? self.sipCode.flatMap { $0 < 200 ? nil : $0 }
            self.explanation = explanation.map(Self.clip)
        default: break
        }
    }

    /// Rows of a negotiation that are kept.
    package static let negotiationLimit = 64

    /// The network's texts are kept short.
    private static func clip(_ text: String) -> String { text.utf8.count <= 1024 ? text : String(text.prefix(256)) + "..." }

    package var json: JSONValue {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        return .object([
            JSONMember("id", .string(id)), JSONMember("direction", .string(direction.rawValue)),
            JSONMember("kind", .string(kind.rawValue)), JSONMember("state", .string(state.rawValue)),
            JSONMember("account", text(account)), JSONMember("from", text(from)), JSONMember("to", text(to)),
            JSONMember("name", text(name)),
            JSONMember("audio", audio.json), JSONMember("muted", .boolean(isMuted)),
            JSONMember(
                "held",
                .object([
                    JSONMember("by_us", .boolean(isHeldByUs)), JSONMember("by_peer", .boolean(isHeldByPeer)),
                ])),
            JSONMember("codec", text(codec)), JSONMember("remote", text(remote)),
            JSONMember("started", .string(started.text)), JSONMember("answered", text(answered?.text)),
            JSONMember("ended", text(ended?.text)), JSONMember("end_reason", text(endReason)),
            JSONMember("sip_code", sipCode.map { .integer($0) } ?? .null), JSONMember("explanation", text(explanation)),
            JSONMember("duration_s", durationSeconds.map { .number($0, decimals: 2) } ?? .null),
            JSONMember("recording", text(recording.flatMap { $0.isEmpty ? nil : $0 })),
            JSONMember("message", text(message)), JSONMember("handsets", .array(handsets.map { .string($0) })),
            JSONMember("ringback", .boolean(ringsBack)),
        ])
    }

    /// The report of a call that is over, and when sound was made up for in it.
    var reportMembers: [JSONMember]? {
        guard let report, case .object(let figures) = report.measurements else { return nil }
        return figures + concealed.members
    }

    /// The figures of a running call, and at the end the report.
    /// - Parameter program: of its audio end, where that is a program.
    package func statisticsJSON(_ statistics: CallStatistics?, program: JSONValue? = nil) -> JSONValue {
        var members = [
            JSONMember("call_id", .string(id)), JSONMember("state", .string(state.rawValue)),
            JSONMember("time", .string(Timestamp.now().text)),
        ]
        if let reportMembers {
            members += reportMembers
        } else if let statistics, case .object(let figures) = statistics.json {
            members += figures
        }
        if let program { members.append(JSONMember("program", program)) }
        return .object(members)
    }
}
