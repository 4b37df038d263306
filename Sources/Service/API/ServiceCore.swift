import History
import Link
import LiveMedia
import Realtime
import Reporting
import Signalling
import Softphone
import Synchronization

/// What the routes work on: calls, accounts, events. It knows neither sockets nor SIP.
package final class ServiceCore: Sendable {
    package let calls: CallBook
    package let accounts: AccountBook
    package let spool: EventSpool
    package let check: CheckDesk
    package let webhooks: WebhookDesk
    package let started = Timestamp.now()
    private let choices: @Sendable () -> AudioEnds
    /// The configuration in force, and how it is read again; set once the service has all that they need.
    private let configured = Lock<Configured?>(nil)

    /// Functions by themselves in a lock would be wrapped once more each time that they are taken out.
    private struct Configured {
        let show: @Sendable () -> JSONValue
        let reload: @Sendable () throws(Problem) -> Reload
        let secrets: @Sendable () -> [String]
    }
    /// Open where the service was given no token; `nil`: it was.
    let firstDoor: FirstDoor?
    /// `nil`: none is kept.
    package let history: CallHistory?
    /// For browsers; `nil`: they are told of none.
    let relays: @Sendable () -> BrowserRelays?
    /// The folder of recordings; `nil`: calls are not recorded on request.
    package let recordings: String?
    let audioOfAccount: @Sendable (String?) -> AudioEnd
    let begin: @Sendable (String, String?, AudioEnd, CallBridge?) throws(SoftphoneError) -> any LiveCall
    let changeEnd: @Sendable (any LiveCall, AudioEnd, CallBridge?) throws(SoftphoneError) -> Void
    private let answer: @Sendable ([UInt8], AudioEnd?, CallBridge?) async throws(SoftphoneError) -> BrowserConversation
    let ladder: @Sendable ([String]) -> [SIPLadder.Step]
    let refresh: @Sendable (String) -> Void
    package let accountChecks: AccountCheckDesk
    /// How fast calls go out.
    let pace: OutboundPace
    /// How the threads fare that calls without a device share.
    package let loops: @Sendable () -> SessionLoopFigures
    /// What came by SIP and was dropped.
    package let drops: SignallingDrops
    private let sendText: @Sendable (String, String, String?) throws(SoftphoneError) -> UInt64
    /// Whether a request has asked for the end.
    private let endIsWished = Atomic(false)
    package let messages: MessageBook
    package let conferences: ConferenceBook
    private let browserPermits = BrowserPermits()
    package let rules: RuleDesk
    let ruleBook: RuleBook
    private let subscriberCount = Atomic(0)
    private let lastSnapshot = Lock<(place: UInt64, time: HostTime, text: String)?>(nil)
    /// What changes without an event is in a snapshot after so long, ms.
    private static let snapshotMilliseconds = 1000.0

    package init(
        calls: CallBook, accounts: AccountBook, ends: @escaping @Sendable () -> AudioEnds, history: CallHistory? = nil,
        recordings: String? = nil, webhooks: WebhookDesk? = nil, firstDoor: FirstDoor? = nil,
        telephone: some Telephone, check: CheckDesk = CheckDesk { [] }, callsPerMinute: @escaping @Sendable () -> Int = { 0 },
        relays: @escaping @Sendable () -> BrowserRelays? = { nil },
        loops: @escaping @Sendable () -> SessionLoopFigures = { SessionLoopFigures() },
        drops: SignallingDrops = SignallingDrops(),
        rulesOfAccount: @escaping @Sendable (String?) -> AccountRules = { _ in AccountRules() },
        unreached: @escaping @Sendable (_ account: String, _ target: String) -> String? = { _, _ in nil },
        audioOfAccount: @escaping @Sendable (String?) -> AudioEnd
    ) {
        (self.calls, self.accounts, spool, choices) = (calls, accounts, calls.spool, ends)
        (self.history, self.recordings) = (history, recordings)
        (self.check, self.firstDoor, self.relays, self.loops, self.drops) = (check, firstDoor, relays, loops, drops)
        pace = OutboundPace(calls.counters, callsPerMinute)
        self.webhooks = webhooks ?? WebhookDesk(calls.spool, folder: nil, byteLimit: 0)
        self.audioOfAccount = audioOfAccount
        begin = { (target, account, audio, bridge) throws(SoftphoneError) in
            try telephone.call(target, account: account, audio: audio, bridge: bridge)
        }
        changeEnd = { (call, audio, bridge) throws(SoftphoneError) in try telephone.change(call, to: audio, bridge: bridge) }
        answer = { (offer, audio, bridge) async throws(SoftphoneError) in
            try await telephone.answer(offer: offer, audio: audio, bridge: bridge)
        }
        ladder = { telephone.ladder($0) }
        refresh = { telephone.refresh($0) }
        accountChecks = AccountCheckDesk { (account) throws(SoftphoneError) in try telephone.check(account) }
        sendText = { (text, target, account) throws(SoftphoneError) in
            try telephone.send(text, to: target, account: account)
        }
        messages = MessageBook(calls.spool, history)
        conferences = ConferenceBook(calls.spool)
        let ruleBook = RuleBook(history, ends: ends, unreached: unreached, base: rulesOfAccount)
        self.ruleBook = ruleBook
        rules = RuleDesk { ruleBook.rules(of: $0) }
        calls.watch { [weak self] record, body in
            guard let self else { return }
            rules.note(body, of: record, in: self)
            guard case .callEnded = body else { return }
            browserPermits.release(record.id)
            lookAtConferences(record)
        }
    }

    /// What requests may choose.
    var ends: AudioEnds { choices() }

    /// - Parameters:
    ///   - show: the configuration in force, as it may be shown.
    ///   - reload: reads it again.
    ///   - secrets: what nobody may find in anything that leaves the service.
    package func configure(
        show: @escaping @Sendable () -> JSONValue, reload: @escaping @Sendable () throws(Problem) -> Reload,
        secrets: @escaping @Sendable () -> [String] = { [] }
    ) { configured.withLock { $0 = Configured(show: show, reload: reload, secrets: secrets) } }

    func configuration() -> JSONValue { configured.withLock { $0?.show }?() ?? .null }

    /// Takes out what nobody may find.
    var redaction: Redaction { Redaction(secrets: configured.withLock { $0?.secrets }?() ?? []) }

    /// Reads the configuration again.
    func reload() throws(Problem) -> Reload {
        guard let reload = configured.withLock({ $0?.reload }) else {
            throw Problem(409, "there is no configuration to read again", "start the service with one")
        }
        return try reload()
    }

    /// Sends somebody a text.
    func send(_ text: String, to target: String, account: String?) throws(Problem) -> JSONValue {
        let number: UInt64
        do throws(SoftphoneError) { number = try sendText(text, target, account) } catch { throw Problem(error) }
        return messages.sent(number, to: target, account: account, text: text)
    }

    /// Tells what belongs to no call; a text is kept, and told with all that is known of it.
    /// - Parameter body: what happened.
    package func take(notice body: EventBody) {
        guard case .message(let from, let name, let to, let text) = body, case .object(let members) = Event(body).json else {
            return spool.publish(type: body.type, Event(body).json)
        }
        let message = messages.received(from: from, name: name, to: to, text: text)
        spool.publish(type: body.type, .object(members + [JSONMember("message", message)]))
    }

    /// The service is to end, as if by SIGTERM.
    func wishEnd() {
        endIsWished.store(true, ordering: .releasing)
        calls.lookAgain()
    }

    package var wantsEnd: Bool { endIsWished.load(ordering: .acquiring) }

    /// The audio end of calls without an account that choose none.
    var usualAudio: AudioEnd { audioOfAccount(nil) }

    /// Takes a browser's call on.
    /// - Parameters:
    ///   - audio: its other end; `nil`: the calls that it becomes the handset of.
    ///   - name: of the handset.
    ///   - source: where the offer came from.
    ///   - permit: ends the call when it does not allow calls any more; `nil`: nothing does.
    /// - Returns: the call, and the answer to its offer.
    func browserCame(
        _ offer: [UInt8], audio: AudioEnd?, name: String?, from source: IPAddress?, permit: Permit?
    ) async throws(Problem) -> (record: CallRecord, answer: String) {
        let bridge = try audio.map { (audio) throws(Problem) in try place(of: audio).bridge } ?? nil
        let (record, made) = try await calls.openBrowser(
            name: name, audio: audio, bridge: bridge, source: source
        ) { () async throws(SoftphoneError) in
            try await answer(offer, audio, bridge)
        }
        if let permit { browserPermits.bind(record.id, to: permit, in: calls) }
        if let made = calls.record(record.id) { lookAtConferences(made) }
        return (record, made.answer)
    }

    /// Takes on somebody who calls, or refuses.
    package func callCame<T: Telephone>(_ caller: T.Caller, account: String?, from: String, at telephone: T) {
        // An account that has just gone.
        if let account, !accounts.has(account) { return telephone.refuse(caller, .unavailable) }
        if let refusal = rules.refusal(of: from, account: account) {
            logger.notice("a call from \(from.prefix(200)) was refused by the rules of its account")
            return telephone.refuse(caller, refusal)
        }
        let audio = audioOfAccount(account).forOneCall
        do throws(Problem) {
            let handsets = rules.rules(of: account).handsets
            let record = try calls.open(
                .incoming, account: account, from: from, audio: audio, handsets: handsets
            ) { (_) throws(SoftphoneError) in try telephone.accept(caller, audio: audio) }
            rules.came(record, in: self)
        } catch {
            // A second refusal, of what `accept` has refused already, does nothing.
            telephone.refuse(
                caller, calls.isDraining ? .ending : .full(retryAfter: error.retryAfterSeconds ?? CallBook.retrySeconds))
            logger.notice("a call from \(from.prefix(200)) was refused: \(error.detail)")
        }
    }

    /// Ready for calls: it is not ending, and one of its accounts, if there are any, is registered.
    var isReady: Bool {
        let accounts = accounts.all
        return !calls.isDraining && (accounts.isEmpty || accounts.contains { $0.state == "registered" })
    }

    /// How it is, in one line.
    var summary: String {
        let accounts = accounts.all
        return "\(accounts.count { $0.state == "registered" }) of \(accounts.count) accounts registered"
    }

    /// A stream of events from that one on.
    /// - Parameter permit: ends it when it does not allow to look any more; `nil`: nothing does.
    package func stream(after last: EventID?, permit: Permit? = nil) -> EventStream {
        EventStream(
            spool, after: last, isAllowed: { permit?.allows(.read) ?? true }, snapshot: { [self] in snapshot(at: $0) })
    }

    /// Subscribers that come together share one text.
    private func snapshot(at place: UInt64) -> String {
        let now = HostTime.monotonicNow()
        if let last = lastSnapshot.withLock({ $0 }), last.place == place,
            now.milliseconds(since: last.time) < Self.snapshotMilliseconds
        {
            return last.text
        }
        let text = snapshot.text
        lastSnapshot.withLock { $0 = (place, now, text) }
        return text
    }

    private var snapshot: JSONValue {
        [
            JSONMember("type", .string("snapshot")), JSONMember("time", .string(Timestamp.now().text)),
            JSONMember("accounts", .array(accounts.all.map(\.json))),
            JSONMember("calls", .array(calls.records.map(\.json))), JSONMember("history", .boolean(history != nil)),
        ].object
    }

    var subscribers: Int { subscriberCount.load(ordering: .relaxed) }
    /// - Returns: how many there are with this one.
    func subscriberCame() -> Int { subscriberCount.add(1, ordering: .relaxed).newValue }
    func subscriberLeft() { subscriberCount.subtract(1, ordering: .relaxed) }
}
