import Reporting
import Testing

import Service

@Suite("What the service tells besides: texts, messages, delay, accounts") struct InsightTests {
    @Test("a text is sent, listed, and its outcome told, in whichever order both come")
    func texts() async {
        let bench = Bench()
        let sent = await bench.ask("POST", "/v1/messages", #"{"to": "sip:102@example.com", "text": "one\ntwo"}"#)
        #expect(sent.status == 202 && sent.json.text("state") == "sending" && sent.json.text("account") == "office")
        #expect(bench.telephone.wished.last == "text one\ntwo to sip:102@example.com as office")
        bench.core.messages.answered(7, sipCode: 200, reason: "OK")
        let told = bench.core.spool.read(after: 0).items.last
        #expect(told?.type == "message_sent" && told?.data.contains(#""state":"delivered""#) == true)
        bench.core.messages.answered(9, sipCode: nil, reason: "no way")
        let early = bench.core.messages.sent(9, to: "sip:1@h", account: nil, text: "x")
        #expect(early.text("state") == "failed" && early.text("reason") == "no way")
        let toldEarly = bench.core.spool.read(after: 0).items.last
        #expect(toldEarly?.type == "message_sent" && toldEarly?.data.contains("no way") == true, "it is told, too")
        let all = await bench.ask("GET", "/v1/messages").json
        guard case .array(let list) = all.value(at: "messages") else { return #expect(Bool(false)) }
        #expect(list.map { $0.text("state") } == ["delivered", "failed"])
        for _ in 0..<600 { _ = bench.core.messages.sent(1, to: "sip:1@h", account: nil, text: "x") }
        guard case .array(let kept) = await bench.ask("GET", "/v1/messages").json.value(at: "messages") else {
            return #expect(Bool(false))
        }
        #expect(kept.count == MessageBook.limit)
        // Outcomes of texts that are not kept any more do not take the places of others.
        for number in UInt64(100)..<300 { bench.core.messages.answered(number, sipCode: 200, reason: "OK") }
        bench.core.messages.answered(1000, sipCode: 200, reason: "OK")
        #expect(bench.core.messages.sent(1000, to: "sip:1@h", account: nil, text: "x").text("state") == "delivered")
    }

    @Test("a text that comes is told with what is kept of it, and listed")
    func textCame() async throws {
        let bench = Bench()
        bench.core.take(notice: .message(from: "sip:102@example.com", name: "Ann", to: "sip:office@example.com", text: "hello"))
        let told = try #require(bench.core.spool.read(after: 0).items.last)
        let event = try JSONValue(reading: told.data)
        guard case .array(let list) = await bench.ask("GET", "/v1/messages").json.value(at: "messages") else {
            return #expect(Bool(false))
        }
        #expect(told.type == "message" && event.text("from") == "sip:102@example.com" && event.text("text") == "hello")
        #expect(list.count == 1 && event.value(at: "message") == list[0] && list[0].text("state") == "received")
        bench.core.take(notice: .warning("something else"))
        #expect(bench.core.spool.read(after: 0).items.last?.type == "warning")
    }

    @Test(
        "what is no text is refused",
        arguments: [
            ("{}", "to"), (#"{"to": "sip:1@h"}"#, "text"), (#"{"to": "sip:1@h", "text": ""}"#, "text"),
            (#"{"to": "sip:1@h", "text": "\u0000"}"#, "text"), (#"{"to": "sip:1@h", "text": 5}"#, "text"),
            (#"{"to": "sip:1@h", "text": "x", "account": "nobody"}"#, "account"),
        ])
    func noText(_ body: String, _ place: String) async {
        let bench = Bench()
        let refused = await bench.ask("POST", "/v1/messages", body)
        #expect(refused.status == 400 && refused.json.text("at") == place, "\(refused.json.text)")
        let long = String(repeating: "x", count: 1001)
        #expect(await bench.ask("POST", "/v1/messages", #"{"to": "sip:1@h", "text": "\#(long)"}"#).status == 400)
        #expect(await bench.ask("POST", "/v1/messages", #"{"to": "mailto:a@h", "text": "x"}"#).status == 400)
    }

    @Test("an account is shown and registered anew; one that is not there is not")
    func accounts() async {
        let bench = Bench()
        #expect(await bench.ask("GET", "/v1/accounts/office").json.text("name") == "office")
        #expect(await bench.ask("POST", "/v1/accounts/office/refresh").status == 202)
        #expect(bench.telephone.wished == ["refresh office"])
        #expect(await bench.ask("GET", "/v1/accounts/nobody").status == 404)
        #expect(await bench.ask("POST", "/v1/accounts/nobody/refresh").status == 404)
    }

    @Test("voice messages at an account's server are told with the whole account, stand in it, and go with a changed account")
    func messagesWaiting() async {
        let bench = Bench()
        let before = await bench.ask("GET", "/v1/accounts/office").json
        #expect(before.value(at: "messages_waiting") == .null && before.value(at: "messages_new") == .null)
        bench.core.accounts.take(WaitingMessages(isWaiting: true, new: 2), of: "office")
        let told = bench.core.spool.read(after: 0).items.last
        #expect(told?.type == "mwi" && told?.data.contains(#""waiting":true"#) == true)
        #expect(told?.data.contains(#""registration":{"name":"office""#) == true)
        bench.core.accounts.take(RegistrationReport(account: "office", state: "registered"))
        let account = await bench.ask("GET", "/v1/accounts/office").json
        #expect(account.value(at: "messages_waiting") == .boolean(true) && account.value(at: "messages_new") == .integer(2))
        #expect(account.value(at: "messages_old") == .null && account.text("state") == "registered")
        let count = bench.core.spool.published
        bench.core.accounts.take(WaitingMessages(isWaiting: true), of: "nobody")
        #expect(bench.core.spool.published == count, "an account that has gone is told of no more")
        bench.core.accounts.change([("office", "sip:office@example.com")], renewed: ["office"])
        #expect(await bench.ask("GET", "/v1/accounts/office").json.value(at: "messages_waiting") == .null)
    }

    @Test("the delay of a call names what nobody knows, and a call without messages has none")
    func delay() async {
        let bench = Bench()
        let (id, _) = await bench.call()
        let delay = await bench.ask("GET", "/v1/calls/\(id)/delay").json
        guard case .array(let unknown) = delay.value(at: "unknown") else { return #expect(Bool(false)) }
        #expect(unknown.contains(.string("network")) && delay.text("call_id") == id)
        #expect(await bench.ask("GET", "/v1/calls/\(id)/sip").json.value(at: "messages") == .array([]))
        #expect(await bench.ask("GET", "/v1/calls/e1-99/sip").status == 404)
        #expect(await bench.ask("GET", "/v1/calls/e1-99/delay").status == 404)
    }

    @Test("what was negotiated last is told line by line, also of a call that is over, and of 64 lines at most")
    func negotiation() async {
        let bench = Bench()
        let (id, call) = await bench.call()
        let path = "/v1/calls/\(id)/negotiation"
        let before = await bench.ask("GET", path)
        #expect(before.status == 200 && before.json.value(at: "negotiation") == .null && before.json.text("call_id") == id)
        var report = NegotiationReport(offeredByUs: true)
        (report.codec, report.delayMilliseconds, report.bitRate) = ("pcmu", 20, 80_000)
        let row = NegotiationReport.Row(
            line: 0, subject: "codec pcma", offered: "8", answered: nil, inForce: nil, why: "not answered")
        report.rows = Array(repeating: row, count: 100)
        call.tell(.negotiated(report))
        call.end(.remoteHangup)
        bench.core.calls.closeEnded()
        let after = await bench.ask("GET", path).json
        #expect(after.text("negotiation.codec") == "pcmu" && after.text("negotiation.offered_by") == "us")
        guard case .array(let lines) = after.value(at: "negotiation.lines") else { return #expect(Bool(false)) }
        #expect(lines.count == CallRecord.negotiationLimit && lines.first?.text("why") == "not answered")
        #expect(lines.first?.value(at: "answered") == .null)
        #expect(await bench.ask("GET", "/v1/calls/e1-99/negotiation").status == 404)
    }

    @Test("the end is asked for by administrators alone")
    func drain() async {
        let bench = Bench(tokens: [.admin: Bench.token, .operate: "operator-0123456789"])
        let refused = await bench.ask("POST", "/v1/drain", headers: ["authorization": "Bearer operator-0123456789"])
        #expect(refused.status == 403 && !bench.core.wantsEnd)
        #expect(await bench.ask("POST", "/v1/drain").status == 202 && bench.core.wantsEnd)
    }
}
