import Glibc
import History
import Link
import LiveMedia
import Media
import Metrics
import Realtime
import Reporting
import Softphone

import Service

/// A call that does what the test says.
final class FakeCall: LiveCall {
    let parties = 1
    let wasCall = true
    let failure: SoftphoneError? = nil
    private let events = EventFanOut<PartyEvent>()
    private let state = Lock<(asked: [String], reason: Media.EndReason?)>(([], nil))
    /// Whether what was asked for takes effect only once the test tells it.
    let isSlow = Lock(false)

    /// What was done to it.
    var asked: [String] { state.withLock { $0.asked } }
    func note(_ text: String) { state.withLock { $0.asked.append(text) } }
    /// Where its packets are.
    let captureFiles = Lock<[String]>([])
    var captures: [String] { captureFiles.withLock { $0 } }

    func tell(_ body: EventBody) { events.publish(PartyEvent(party: 0, body: body)) }

    func end(_ reason: Media.EndReason, sipCode: Int? = nil) {
        let isFirst = state.withLock { state in
            defer { state.reason = state.reason ?? reason }
            return state.reason == nil
        }
        if isFirst { tell(.callEnded(reason: reason.rawValue, durationSeconds: 1, sipCode: sipCode, explanation: nil)) }
    }

    func subscribe(
        capacity: Int, onReady: (@Sendable () -> Void)?
    ) throws(SoftphoneError) -> EventSubscription<PartyEvent> {
        do { return try events.subscribe(capacity: capacity, onReady: onReady) } catch { throw .resources("\(error)") }
    }

    func endReason(of party: Int) -> Media.EndReason? { state.withLock { $0.reason } }
    func statistics(of party: Int) -> CallStatistics { CallStatistics() }
    func answer(through bridge: CallBridge?) {
        note(bridge == nil ? "answer" : "answer at the handset")
        if !isSlow.withLock({ $0 }) { tell(.callAnswered(sipCode: 200)) }
    }
    /// Is run once, before the call is muted or is so no more.
    let beforeMute = Lock<FakeTelephone.Hook?>(nil)
    func setMuted(_ muted: Bool) {
        beforeMute.withLock { $0.take() }?.run()
        note("muted \(muted)")
    }
    func setHeld(_ held: Bool) {
        note("held \(held)")
        tell(held ? .callHeld(byUs: true, byPeer: false) : .callResumed)
    }
    func record(to path: String?) throws(SoftphoneError) { note("record \(path ?? "nothing")") }
    func listen(at tap: CallTap?) throws(SoftphoneError) { note(tap == nil ? "listened to no more" : "listened to") }
    func transfer(to target: String) throws(SoftphoneError) { note("transfer to \(target)") }
    func setVolume(decibels: Int) {}
    func send(digit: Character) { note("digit \(digit)") }
    func hangUp(byDuration: Bool) {
        note("hang up")
        if !isSlow.withLock({ $0 }) { end(.localHangup) }
    }
    func close() -> [(party: Int, report: CallReport)] {
        end(.localHangup)
        var report = CallReport()
        report.reason = endReason(of: 0)?.rawValue
        return [(0, report)]
    }
}

/// A telephone whose calls are the test's.
final class FakeTelephone: Telephone {
    private let state = Lock<(calls: [FakeCall], refused: [RefusalReason], wished: [String])>(([], [], []))

    var calls: [FakeCall] { state.withLock { $0.calls } }
    var refused: [RefusalReason] { state.withLock { $0.refused } }
    var wished: [String] { state.withLock { $0.wished } }

    func call(
        _ target: String, account: String?, audio: AudioEnd, bridge: CallBridge?
    ) throws(SoftphoneError) -> any LiveCall {
        guard target.hasPrefix("sip:") else { throw .request("'\(target)' cannot be called") }
        return begin("\(target) \(account ?? "-") \(audio.json.text)\(bridge == nil ? "" : " bridged")")
    }

    func accept(_ caller: Int, audio: AudioEnd) throws(SoftphoneError) -> any LiveCall { begin("caller \(caller)") }
    func refuse(_ caller: Int, _ reason: RefusalReason) { state.withLock { $0.refused.append(reason) } }
    /// Is run before a call gets another audio end.
    struct Hook: Sendable { let run: @Sendable () -> Void }
    let beforeChange = Lock<Hook?>(nil)
    /// Whether no machine can be an audio end.
    let hasNoMachine = Lock(false)
    func change(_ call: any LiveCall, to audio: AudioEnd, bridge: CallBridge?) throws(SoftphoneError) {
        beforeChange.withLock { $0 }?.run()
        if case .device("default") = audio { throw .request("the device does not open") }
        if case .attendant = audio, hasNoMachine.withLock({ $0 }) { throw .request("the machine does not start") }
        (call as? FakeCall)?.note("audio \(audio.json.text)\(bridge == nil ? "" : " bridged")")
    }
    func answer(
        offer: [UInt8], audio: AudioEnd?, bridge: CallBridge?
    ) throws(SoftphoneError) -> BrowserConversation {
        guard offer.starts(with: Array("v=0".utf8)) else { throw .request("the offer is no session description") }
        let call = begin("browser \(audio?.json.text ?? "handset")")
        let bridge = bridge ?? (audio == nil ? CallBridge() : nil)
        return BrowserConversation(call: call, answer: "v=0 answer", bridge: bridge) { (fragment) throws(SoftphoneError) in
            guard !fragment.isEmpty else { throw .request("the fragment is empty") }
            let text = String(decoding: fragment, as: UTF8.self)
            call.note("fragment \(text)")
            return text == "a=mid:0" ? "a=candidate:late" : nil
        }
    }

    func ladder(_ dialogs: [String]) -> [SIPLadder.Step] { [] }
    func refresh(_ account: String) { state.withLock { $0.wished.append("refresh \(account)") } }
    /// Looks wait at this door until the test opens it.
    let lookDoor = Lock(true)
    func check(_ account: String) throws(SoftphoneError) -> AccountCheck {
        state.withLock { $0.wished.append("check \(account)") }
        while !lookDoor.withLock({ $0 }) { usleep(1000) }
        if account == "broken" { throw .resources("no descriptor is left") }
        let passes = account == "office"
        let steps: [AccountCheck.Step] = [
            .init(name: "server", passed: true, detail: "192.0.2.9:5060 by UDP", milliseconds: 3),
            .init(name: "registration", passed: passes, detail: passes ? "for 600 s" : "403 Forbidden; ask the operator"),
        ]
        return AccountCheck(passes ? .registered : .refused, steps: steps, seenAddress: passes ? "192.0.2.1:5060" : nil)
    }
    func send(_ text: String, to target: String, account: String?) throws(SoftphoneError) -> UInt64 {
        guard target.hasPrefix("sip:") else { throw .request("'\(target)' cannot be called") }
        state.withLock { $0.wished.append("text \(text) to \(target) as \(account ?? "-")") }
        return 7
    }
    func drain(seconds: Int) {}

    private func begin(_ wish: String) -> FakeCall {
        let call = FakeCall()
        state.withLock {
            $0.calls.append(call)
            $0.wished.append(wish)
        }
        return call
    }
}

/// A service without sockets: requests in, responses out.
struct Bench {
    static let token = "0123456789abcdef"
    let telephone = FakeTelephone()
    let core: ServiceCore
    let router: Router<ServiceCore>
    let gate: Gate

    init(
        accounts: [String] = ["office"], capacity: Int = 4, spool: Int = 4096, folder: String? = nil, onLoopback: Bool = true,
        tokens: [Role: String] = [.admin: Bench.token], history: CallHistory? = nil, recordings: String? = nil,
        programs: [String] = [], webhooks: WebhookDesk? = nil, rules: AccountRules = AccountRules(),
        unreached: @escaping @Sendable (String, String) -> String? = { _, _ in nil },
        callsPerMinute: Int = 0, firstDoor: FirstDoor? = nil, relays: BrowserRelays? = nil,
        isMemoryShort: @escaping @Sendable () -> Bool = { false }, keepsUp: @escaping @Sendable () -> Bool = { true },
        loops: @escaping @Sendable () -> SessionLoopFigures = { SessionLoopFigures() }
    ) {
        let events = EventSpool(epoch: "e1", capacity: spool)
        let calls = CallBook(
            spool: events, counters: CallCounters(), capacity: capacity, drainSeconds: 7,
            isMemoryShort: isMemoryShort, keepsUp: keepsUp, onKept: { history?.note(CallEntry($0)) },
            onChange: {})
        core = ServiceCore(
            calls: calls, accounts: AccountBook(accounts.map { ($0, "sip:\($0)@example.com") }, spool: events),
            ends: { AudioEnds(devices: ["default"], folder: folder, programs: programs) }, history: history,
            recordings: recordings, webhooks: webhooks, firstDoor: firstDoor, telephone: telephone,
            callsPerMinute: { callsPerMinute }, relays: { relays }, loops: loops,
            rulesOfAccount: { _ in rules }, unreached: unreached,
            audioOfAccount: { _ in .device("null") })
        gate = Gate(tokens: tokens, isOnLoopback: onLoopback)
        router = Router(Routes.all, gate: gate)
    }

    func ask(
        _ method: String, _ path: String, _ body: String? = nil, headers: [String: String] = [:],
        from source: String = "127.0.0.1"
    ) async -> (status: Int, json: JSONValue, response: APIResponse) {
        var all = ["host": "localhost:8470", "authorization": "Bearer \(Self.token)"]
        if body != nil { all["content-type"] = "application/json" }
        all.merge(headers) { _, new in new }
        var request = APIRequest(method, path, headers: all, body: Array((body ?? "").utf8))
        request.source = try? IPAddress(source)
        let response = await router.answer(request, by: core)
        var text = ""
        if case .bytes(let bytes) = response.body { text = String(decoding: bytes, as: UTF8.self) }
        return (response.status, (try? JSONValue(reading: text)) ?? .string(text), response)
    }

    /// A call of ours that exists, by its id.
    func call() async -> (id: String, call: FakeCall) {
        let made = await ask("POST", "/v1/calls", #"{"to": "sip:102@example.com"}"#)
        guard case .string(let id) = made.json.value(at: "id") ?? .null, let call = telephone.calls.last else {
            return ("", FakeCall())
        }
        return (id, call)
    }
}

extension JSONValue {
    func text(_ path: String) -> String? { if case .string(let text) = value(at: path) { text } else { nil } }
}
