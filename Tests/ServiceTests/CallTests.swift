import Realtime
import Reporting
import Settings
import Softphone
import Testing

import Service

@Suite("Calls by request") struct CallTests {
    @Test("a call begins, is answered, held, dialled, muted and ended")
    func wholeLife() async {
        let bench = Bench()
        let made = await bench.ask("POST", "/v1/calls", #"{"to": "sip:102@example.com", "audio": {"echo": true}}"#)
        #expect(made.status == 201 && made.json.text("state") == "calling" && made.json.text("account") == "office")
        let id = made.json.text("id") ?? ""
        #expect(made.response.headers.contains { $0.name == "Location" && $0.value == "/v1/calls/\(id)" })
        #expect(bench.telephone.wished == [#"sip:102@example.com office {"echo": true}"#] || bench.telephone.wished.count == 1)
        let call = bench.telephone.calls[0]
        call.tell(.callProgress(sipCode: 180, reason: "Ringing", earlyMedia: false))
        #expect(await bench.ask("GET", "/v1/calls/\(id)").json.text("state") == "ringing")
        #expect(await bench.ask("PUT", "/v1/calls/\(id)/hold").status == 409, "nobody has answered yet")
        #expect(await bench.ask("POST", "/v1/calls/\(id)/answer").status == 409, "it is ours")
        call.tell(.callAnswered(sipCode: 200))
        #expect(await bench.ask("PUT", "/v1/calls/\(id)/hold").json.text("state") == "held")
        #expect(await bench.ask("DELETE", "/v1/calls/\(id)/hold").json.text("state") == "active")
        #expect(await bench.ask("POST", "/v1/calls/\(id)/dtmf", #"{"digits": "1#a"}"#).status == 202)
        #expect(await bench.ask("POST", "/v1/calls/\(id)/dtmf", #"{"digits": "1x"}"#).status == 400)
        #expect(await bench.ask("PUT", "/v1/calls/\(id)/mute").json.value(at: "muted") == .boolean(true))
        #expect(await bench.ask("DELETE", "/v1/calls/\(id)/mute").json.value(at: "muted") == .boolean(false))
        #expect(await bench.ask("GET", "/v1/calls/\(id)/stats").json.text("call_id") == id)
        let ended = await bench.ask("DELETE", "/v1/calls/\(id)")
        #expect(ended.json.text("state") == "ended" && ended.json.text("end_reason") == "local_hangup")
        #expect(
            call.asked == ["held true", "held false", "digit 1", "digit #", "digit A", "muted true", "muted false", "hang up"])
        bench.core.calls.closeEnded()
        #expect(bench.core.calls.running == 0)
        #expect(await bench.ask("DELETE", "/v1/calls/\(id)").status == 200, "ending what is over does no harm")
        #expect(await bench.ask("PUT", "/v1/calls/\(id)/mute").status == 409)
        #expect(await bench.ask("GET", "/v1/calls/\(id)/stats").json.text("reason") == "local_hangup")
    }

    @Test("a call that comes rings until it is answered or rejected")
    func incoming() async {
        let bench = Bench()
        for way in ["answer", "reject"] {
            bench.core.callCame(1, account: "office", from: "sip:101@example.com", at: bench.telephone)
            let call = bench.telephone.calls.last!
            call.tell(.callIncoming(from: "sip:101@example.com", name: "Ann", to: "sip:office@example.com", account: "office"))
            let record = bench.core.calls.records.last!
            #expect(record.state == .ringing && record.name == "Ann" && record.direction == .incoming)
            #expect(await bench.ask("POST", "/v1/calls/\(record.id)/\(way)").status == 202)
            #expect(await bench.ask("POST", "/v1/calls/\(record.id)/answer").status == 409)
            #expect(
                await bench.ask("GET", "/v1/calls/\(record.id)").json.text("state") == (way == "answer" ? "active" : "ended"))
        }
    }

    @Test("waiting for the answer gives the call as it is then", arguments: ["answered", "ended"])
    func wait(outcome: String) async {
        let bench = Bench()
        async let made = bench.ask("POST", "/v1/calls", #"{"to": "sip:102@example.com", "wait": "answered"}"#)
        while bench.core.calls.records.isEmpty { await Task.yield() }
        if outcome == "answered" {
            bench.telephone.calls[0].tell(.callAnswered(sipCode: 200))
        } else {
            bench.telephone.calls[0].end(.busy, sipCode: 486)
        }
        let answer = await made
        #expect(answer.status == 201 && answer.json.text("state") == (outcome == "answered" ? "active" : "ended"))
        if outcome == "ended" { #expect(answer.json.value(at: "sip_code") == .integer(486)) }
    }

    @Test("no more calls than allowed, and none while the service ends")
    func limits() async {
        let bench = Bench(capacity: 1)
        _ = await bench.call()
        let tooMany = await bench.ask("POST", "/v1/calls", #"{"to": "sip:103@example.com"}"#)
        #expect(tooMany.status == 503 && tooMany.response.headers.contains { $0.name == "Retry-After" })
        bench.core.callCame(1, account: "office", from: "sip:101@example.com", at: bench.telephone)
        bench.core.calls.drain()
        let draining = await bench.ask("POST", "/v1/calls", #"{"to": "sip:103@example.com"}"#)
        #expect(draining.status == 503 && draining.response.headers.contains { $0.name == "Retry-After" && $0.value == "7" })
        #expect(await bench.ask("GET", "/readyz").status == 503)
        #expect(await bench.ask("GET", "/healthz").status == 200)
        bench.core.callCame(2, account: "office", from: "sip:101@example.com", at: bench.telephone)
        #expect(bench.telephone.refused == [.full(retryAfter: 5), .ending])
        bench.core.callCame(3, account: "gone", from: "sip:101@example.com", at: bench.telephone)
        #expect(bench.telephone.refused.last == .unavailable)
        let counters = bench.core.calls.counters
        #expect(counters.refused(.full) == 2 && counters.refused(.draining) == 2 && counters.refused(.memory) == 0)
    }

    @Test("the ten thousandth event of a call is told as the first, and the configuration as often as it is asked for")
    func often() async {
        let bench = Bench()
        bench.core.configure(show: { .boolean(true) }, reload: { Reload() })
        let (id, call) = await bench.call()
        call.tell(.callAnswered(sipCode: 200))
        for _ in 0..<5_000 {
            call.tell(.callHeld(byUs: true, byPeer: false))
            call.tell(.callResumed)
        }
        #expect(await bench.ask("GET", "/v1/calls/\(id)").json.text("state") == "active")
        for _ in 0..<2_000 { #expect(await bench.ask("GET", "/v1/config").status == 200) }
    }

    @Test("how many more would be let in is told, down to none; without memory nobody is, and places come back")
    func headroom() async {
        let isShort = Lock(false)
        let bench = Bench(capacity: 2, isMemoryShort: { isShort.withLock { $0 } })
        #expect(ServiceFigures.text(bench.core).contains("yodel_admission_headroom 2\n"))
        let (_, call) = await bench.call()
        #expect(bench.core.calls.headroom == 1)
        isShort.withLock { $0 = true }
        #expect(bench.core.calls.headroom == 0)
        let refused = await bench.ask("POST", "/v1/calls", #"{"to": "sip:103@example.com"}"#)
        #expect(refused.status == 503 && refused.response.headers.contains { $0.name == "Retry-After" })
        #expect(ServiceFigures.text(bench.core).contains("yodel_refused_calls_total{reason=\"memory\"} 1\n"))
        isShort.withLock { $0 = false }
        call.end(.remoteHangup)
        bench.core.calls.closeEnded()
        #expect(bench.core.calls.headroom == 2)
        bench.core.calls.drain()
        #expect(bench.core.calls.headroom == 0)
    }

    @Test("while the calls there are come late nobody new is let in, from whatever side, and calls that run are left alone")
    func late() async {
        let keepsUp = Lock(true)
        let bench = Bench(keepsUp: { keepsUp.withLock { $0 } })
        let (id, call) = await bench.call()
        call.tell(.callAnswered(sipCode: 200))
        keepsUp.withLock { $0 = false }
        #expect(ServiceFigures.text(bench.core).contains("yodel_admission_headroom 0\n"))
        let ours = await bench.ask("POST", "/v1/calls", #"{"to": "sip:103@example.com"}"#)
        #expect(ours.status == 503 && ours.response.headers.contains { $0.name == "Retry-After" && $0.value == "5" })
        let browsers = await bench.ask(
            "POST", "/v1/webrtc", "v=0 offer", headers: ["content-type": "application/sdp"])
        #expect(browsers.status == 503)
        bench.core.callCame(1, account: "office", from: "sip:101@example.com", at: bench.telephone)
        #expect(bench.telephone.refused == [.full(retryAfter: 5)])
        #expect(bench.core.calls.counters.refused(.late) == 3)
        #expect(await bench.ask("GET", "/v1/calls/\(id)").json.text("state") == "active")
        keepsUp.withLock { $0 = true }
        #expect(await bench.ask("POST", "/v1/calls", #"{"to": "sip:103@example.com"}"#).status == 201)
    }

    @Test("a call of ours that is ended while it rings has no response that ended it")
    func cancelled() async {
        let bench = Bench()
        let (id, call) = await bench.call()
        call.tell(.callProgress(sipCode: 180, reason: "Ringing", earlyMedia: false))
        #expect(await bench.ask("GET", "/v1/calls/\(id)").json.value(at: "sip_code") == .integer(180))
        #expect(await bench.ask("DELETE", "/v1/calls/\(id)").json.value(at: "sip_code") == .null)
    }

    @Test("whoever calls is to hear that it rings from a 180 on, until sound of the other side comes or the call is answered")
    func ringback() async {
        let bench = Bench()
        func isRinging(_ id: String) async -> Bool {
            await bench.ask("GET", "/v1/calls/\(id)").json.value(at: "ringback") == .boolean(true)
        }
        for end in [EventBody.mediaStarted(remote: "192.0.2.1:4000", afterMilliseconds: 100), .callAnswered(sipCode: 200)] {
            let (id, call) = await bench.call()
            call.tell(.callProgress(sipCode: 183, reason: "Session Progress", earlyMedia: true))
            #expect(await !isRinging(id), "nobody has said that it rings")
            call.tell(.callProgress(sipCode: 180, reason: "Ringing", earlyMedia: true))
            call.tell(.callProgress(sipCode: 183, reason: "Session Progress", earlyMedia: true))
            #expect(await isRinging(id))
            call.tell(end)
            #expect(await !isRinging(id))
            call.tell(.callProgress(sipCode: 180, reason: "Ringing", earlyMedia: true))
            #expect(await !isRinging(id), "it was heard, or answered")
        }
    }

    @Test("a call that was being made when all calls were closed is closed too")
    func tooLate() throws {
        let bench = Bench()
        let call = FakeCall()
        #expect(throws: Problem.self) {
            try bench.core.calls.open(.outgoing, account: "office", audio: nil) { _ in
                bench.core.calls.closeAll()
                return call
            }
        }
        #expect(bench.core.calls.running == 0 && call.endReason(of: 0) != nil)
    }

    @Test("an account is named where there are several")
    func accounts() async {
        let bench = Bench(accounts: ["office", "home"])
        #expect(await bench.ask("POST", "/v1/calls", #"{"to": "sip:1@example.com"}"#).json.text("at") == "account")
        let made = await bench.ask("POST", "/v1/calls", #"{"to": "sip:1@example.com", "account": "home"}"#)
        #expect(made.json.text("account") == "home")
        #expect(await Bench(accounts: []).ask("POST", "/v1/calls", #"{"to": "sip:1@example.com"}"#).status == 201)
    }

    @Test("ready once an account is registered; its state is told")
    func registration() async {
        let bench = Bench()
        let unready = await bench.ask("GET", "/readyz")
        #expect(unready.status == 503 && unready.response.headers.contains { $0.name == "Retry-After" })
        var report = RegistrationReport(account: "office", state: "registered")
        report.expiresSeconds = 600
        bench.core.accounts.take(report)
        #expect(await bench.ask("GET", "/readyz").status == 200)
        let accounts = await bench.ask("GET", "/v1/accounts").json
        guard case .array(let list) = accounts.value(at: "accounts") else { return #expect(Bool(false)) }
        #expect(list[0].text("state") == "registered" && list[0].value(at: "expires_s") == .integer(600))
    }

    @Test("an account that has failed says what to do, and one that is well nothing")
    func remedy() async {
        let bench = Bench()
        #expect(await bench.ask("GET", "/v1/accounts/office").json.value(at: "remedy") == .null)
        var report = RegistrationReport(account: "office", state: "failed")
        (report.reason, report.sipCode, report.remedy) = ("Forbidden", 403, "ask the operator")
        bench.core.accounts.take(report)
        let account = await bench.ask("GET", "/v1/accounts/office").json
        #expect(account.text("remedy") == "ask the operator" && account.text("state") == "failed")
        bench.core.accounts.take(RegistrationReport(account: "office", state: "registered"))
        #expect(await bench.ask("GET", "/v1/accounts/office").json.value(at: "remedy") == .null)
    }

    @Test("calls that are over are forgotten at last")
    func forgotten() async {
        let bench = Bench()
        let (first, _) = await bench.call()
        for _ in 0...CallBook.remembered {
            let (id, _) = await bench.call()
            _ = await bench.ask("DELETE", "/v1/calls/\(id)")
            bench.core.calls.closeEnded()
        }
        #expect(bench.core.calls.records.count == CallBook.remembered + 1)
        #expect(bench.core.calls.record(first)?.state == .calling, "one that runs never is")
        _ = await bench.ask("DELETE", "/v1/calls/\(first)")
        bench.core.calls.closeEnded()
        #expect(bench.core.calls.record(first)?.state == .ended, "nor one that ended just now, however long ago it began")
        #expect(bench.core.calls.records.count == CallBook.remembered)
    }

    @Test("once the service ends, calls that ring are let go of at once, and neither a person nor a rule takes them")
    func drained() async throws {
        let bench = Bench()
        let (_, outgoing) = await bench.call()
        for number in 1...2 {
            bench.core.callCame(number, account: "office", from: "sip:101@example.com", at: bench.telephone)
        }
        let (answered, ringing) = (bench.telephone.calls[1], bench.telephone.calls[2])
        for call in [answered, ringing] { call.isSlow.withLock { $0 = true } }
        let ids = bench.core.calls.records.map(\.id)
        #expect(await bench.ask("POST", "/v1/calls/\(ids[1])/answer").status == 202)
        bench.core.calls.drain()
        #expect(ringing.asked == ["hang up"] && answered.asked == ["answer"] && outgoing.asked.isEmpty)
        #expect(await bench.ask("POST", "/v1/calls/\(ids[2])/answer").status == 409)
        var rules = AccountRules()
        rules.unanswered = .answer
        try bench.core.rules.act(rules, on: ids[2], in: bench.core)
        #expect(ringing.asked == ["hang up"])
    }

    @Test("whatever is wished last of the microphone is done last, and told last")
    func mutedMeanwhile() async throws {
        let bench = Bench()
        let (id, call) = await bench.call()
        let calls = bench.core.calls
        call.beforeMute.withLock { $0 = FakeTelephone.Hook { _ = try? calls.mute(id, false) } }
        #expect(try calls.mute(id, true).isMuted == false)
        #expect(call.asked.last == "muted false" && calls.record(id)?.isMuted == false)
        let told = bench.core.spool.read(after: 0).items.map(\.type).filter { $0.hasSuffix("muted") }
        #expect(told == ["call_muted", "call_unmuted"])
    }

    @Test("every figure is there at zero, and counts")
    func figures() async {
        let bench = Bench()
        let before = ServiceFigures.text(bench.core)
        #expect(before.contains("yodel_call_ends_total{reason=\"busy\"} 0\n"))
        #expect(before.contains("yodel_calls{direction=\"incoming\",state=\"active\"} 0\n"))
        let (_, call) = await bench.call()
        call.tell(.callAnswered(sipCode: 200))
        #expect(ServiceFigures.text(bench.core).contains("yodel_calls{direction=\"outgoing\",state=\"active\"} 1\n"))
        call.end(.busy)
        let after = ServiceFigures.text(bench.core)
        #expect(after.contains("yodel_call_ends_total{reason=\"busy\"} 1\n"))
        for line in after.split(separator: "\n") where !line.hasPrefix("#") {
            #expect(line.hasPrefix("yodel_") && Double(line.split(separator: " ").last ?? "") != nil, "\(line)")
        }
    }
}
