import Foundation
import Reporting
import Settings
import Testing

import Service

@Suite("Rules and persons at one call") struct RuleRaceTests {
    private static let kinds: [AccountUnanswered] = [.refuse, .answer, .announce, .message, .forward]

    private func rules(_ unanswered: AccountUnanswered) -> AccountRules {
        var rules = AccountRules()
        (rules.unanswered, rules.forwardTo) = (unanswered, "sip:999@example.com")
        return rules
    }

    /// A call that came and rings: its account's own rule does nothing.
    private func incoming(_ bench: Bench) -> (id: String, call: FakeCall) {
        bench.core.callCame(1, account: "office", from: "sip:101@example.com", at: bench.telephone)
        return (bench.core.calls.records.last?.id ?? "", bench.telephone.calls.last ?? FakeCall())
    }

    private func act(_ kind: AccountUnanswered, on id: String, _ bench: Bench) throws {
        try bench.core.rules.act(rules(kind), on: id, in: bench.core)
    }

    @Test(
        "a call that a person has answered, refused or ended is left alone, also before that has taken effect",
        arguments: kinds, ["answer", "reject", "end"])
    func taken(kind: AccountUnanswered, done: String) async throws {
        for isSlow in [true, false] {
            try await withScratchFolder { folder in
                let bench = Bench(recordings: folder)
                let (id, call) = incoming(bench)
                call.isSlow.withLock { $0 = isSlow }
                let path = "/v1/calls/\(id)"
                let status = await bench.ask(done == "end" ? "DELETE" : "POST", done == "end" ? path : "\(path)/\(done)").status
                #expect(status == (done == "end" && !isSlow ? 200 : 202))
                let (asked, audio) = (call.asked, bench.core.calls.record(id)?.audio)
                #expect(asked == [done == "answer" ? "answer" : "hang up"])
                try act(kind, on: id, bench)
                #expect(call.asked == asked && bench.telephone.calls.count == 1)
                #expect(bench.core.calls.record(id)?.audio == audio && audio == .device("null"))
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            }
        }
    }

    @Test("a call that its rule has taken is no person's any more", arguments: [AccountUnanswered.refuse, .answer, .message])
    func ruled(kind: AccountUnanswered) async throws {
        try await withScratchFolder { folder in
            let bench = Bench(recordings: folder)
            let (id, call) = incoming(bench)
            call.isSlow.withLock { $0 = true }
            try act(kind, on: id, bench)
            let asked = call.asked
            #expect(asked.last == (kind == .refuse ? "hang up" : "answer"))
            for deed in ["answer", "reject"] {
                let refused = await bench.ask("POST", "/v1/calls/\(id)/\(deed)")
                #expect(refused.status == 409 && refused.json.text("detail")?.contains("being answered or ended") == true)
            }
            try act(.answer, on: id, bench)
            #expect(call.asked == asked)
            call.end(.remoteHangup)
        }
    }

    @Test(
        "a person who answers while a call is forwarded has it, and the call that was made for it ends",
        arguments: [true, false])
    func forwarded(hasHandset: Bool) async throws {
        let bench = Bench()
        let (id, call) = incoming(bench)
        try act(.forward, on: id, bench)
        let outgoing = try #require(bench.telephone.calls.last)
        let other = try #require(bench.core.calls.records.last?.id)
        #expect(bench.core.calls.record(id)?.audio == .call(other) && other != id)
        var body: String?
        var end = AudioEnd.device("null")
        if hasHandset {
            _ = await bench.ask(
                "POST", "/v1/webrtc?handset=true", "v=0 offer", headers: ["content-type": "application/sdp"])
            let handset = try #require(bench.core.calls.records.last?.id)
            (body, end) = (#"{"audio": {"handset": "\#(handset)"}}"#, .handset(handset))
        }
        #expect(await bench.ask("POST", "/v1/calls/\(id)/answer", body).status == 202)
        #expect(call.asked == [hasHandset ? "answer at the handset" : "answer"] && outgoing.asked == ["hang up"])
        #expect(bench.core.calls.record(id)?.audio == end)
        for _ in 0..<3 { bench.core.calls.closeEnded() }
        #expect(bench.core.calls.record(id)?.state == .active && call.asked.count == 1, "the end of the other is not its own")
    }

    @Test("an audio end that was chosen while a call is forwarded stays")
    func chosen() async throws {
        let bench = Bench()
        let (id, call) = incoming(bench)
        try act(.forward, on: id, bench)
        #expect(await bench.ask("PUT", "/v1/calls/\(id)/audio", #"{"echo": true}"#).status == 200)
        #expect(await bench.ask("POST", "/v1/calls/\(id)/answer").status == 202)
        #expect(bench.core.calls.record(id)?.audio == .echo && bench.telephone.calls.last?.asked == ["hang up"])
        #expect(call.asked == [#"audio {"echo":true}"#, "answer"])
    }

    @Test(
        "a rule that cannot be followed leaves the call to persons, and no file",
        arguments: [AccountUnanswered.message, .forward])
    func failed(kind: AccountUnanswered) async throws {
        try await withScratchFolder { folder in
            let bench = Bench(recordings: folder)
            let (id, call) = incoming(bench)
            bench.telephone.hasNoMachine.withLock { $0 = true }
            var rules = rules(kind)
            rules.forwardTo = "tel:+49"
            #expect(throws: Problem.self) { try bench.core.rules.act(rules, on: id, in: bench.core) }
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(files.isEmpty)
            #expect(await bench.ask("POST", "/v1/calls/\(id)/answer").status == 202)
            #expect(call.asked == ["answer"] && bench.core.calls.running == 1)
        }
    }

    @Test("another audio end than the machine that takes a message ends the message, and not the call")
    func takenOver() async throws {
        try await withScratchFolder { folder in
            let bench = Bench(recordings: folder)
            let (id, call) = incoming(bench)
            try act(.message, on: id, bench)
            #expect(bench.core.calls.record(id)?.recording == "\(id)-m1.wav")
            let refused = await bench.ask("DELETE", "/v1/calls/\(id)/recording")
            #expect(refused.status == 409 && refused.json.text("detail")?.contains("message") == true)
            #expect(await bench.ask("PUT", "/v1/calls/\(id)/audio", #"{"echo": true}"#).status == 200)
            // He has said nothing: there is no message, while the call goes on.
            for _ in 0..<6000 where try !FileManager.default.contentsOfDirectory(atPath: folder).isEmpty {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            let record = bench.core.calls.record(id)
            #expect(record?.state == .active && record?.recording == nil && record?.message == nil)
            #expect(call.asked == [#"audio {"attendant":"message"}"#, "answer", #"audio {"echo":true}"#])
        }
    }

    @Test("one audio end at a time is given to a call")
    func oneAtATime() async throws {
        let bench = Bench()
        let (id, call) = incoming(bench)
        _ = try bench.core.calls.change(id, { $0.isChangingAudio = true })
        #expect(await bench.ask("PUT", "/v1/calls/\(id)/audio", #"{"echo": true}"#).status == 409)
        _ = try bench.core.calls.change(id, { $0.isChangingAudio = false })
        for (audio, status) in [(#"{"device": "default"}"#, 400), (#"{"echo": true}"#, 200), (#"{"silence": true}"#, 200)] {
            #expect(await bench.ask("PUT", "/v1/calls/\(id)/audio", audio).status == status)
        }
        #expect(call.asked.count == 2)
    }

    @Test("no recording is begun while a call is given another audio end, and the other way round, and neither is forgotten")
    func recordedMeanwhile() async throws {
        try await withScratchFolder { folder in
            let bench = Bench(recordings: folder)
            let (id, call) = await bench.call()
            call.tell(.callAnswered(sipCode: 200))
            let calls = bench.core.calls
            _ = try calls.change(id, { $0.isChangingAudio = true })
            let early = await bench.ask("PUT", "/v1/calls/\(id)/recording")
            #expect(early.status == 409 && early.json.text("detail")?.contains("ask again") == true)
            #expect(calls.record(id)?.recording == nil)
            _ = try calls.change(id, { ($0.isChangingAudio, $0.recording) = (false, "") })
            let late = await bench.ask("PUT", "/v1/calls/\(id)/audio", #"{"echo": true}"#)
            #expect(late.status == 409 && late.json.text("detail")?.contains("ask again") == true)
            #expect(call.asked.isEmpty && calls.record(id)?.recording == "")
            _ = try calls.change(id, { $0.recording = nil })
            #expect(await bench.ask("PUT", "/v1/calls/\(id)/recording").status == 201)
            #expect(await bench.ask("DELETE", "/v1/calls/\(id)/recording").status == 200)
            #expect(await bench.ask("PUT", "/v1/calls/\(id)/audio", #"{"echo": true}"#).status == 200)
        }
    }

    @Test("a call whose recording is just being begun is not taken to another call's bridge")
    func bridgedMeanwhile() async throws {
        let bench = Bench()
        let (first, second) = (await bench.call(), await bench.call())
        _ = try bench.core.calls.change(second.id, { $0.recording = "" })
        let path = "/v1/calls/\(first.id)/audio"
        let wish = #"{"call": "\#(second.id)"}"#
        #expect(await bench.ask("PUT", path, wish).status == 409)
        let made = await bench.ask("POST", "/v1/calls", #"{"to": "sip:3@example.com", "audio": \#(wish)}"#)
        #expect(made.status == 409 && bench.telephone.calls.count == 2)
        #expect(first.call.asked.isEmpty && second.call.asked.isEmpty)
        _ = try bench.core.calls.change(second.id, { $0.recording = nil })
        #expect(await bench.ask("PUT", path, wish).status == 200)
        #expect(await bench.ask("PUT", "/v1/calls/\(second.id)/audio", #"{"echo": true}"#).status == 200, "each is free again")
    }
}
