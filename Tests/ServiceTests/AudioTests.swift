import Foundation
import Reporting
import Testing

import Service

@Suite("Audio ends that change") struct AudioTests {
    private func change(_ bench: Bench, _ id: String, _ audio: String) async -> (status: Int, json: JSONValue) {
        let done = await bench.ask("PUT", "/v1/calls/\(id)/audio", audio)
        return (done.status, done.json)
    }

    @Test("a running call gets another one, and tells it")
    func changed() async {
        let bench = Bench()
        let (id, call) = await bench.call()
        call.tell(.callAnswered(sipCode: 200))
        let place = bench.core.spool.position.sequence
        let done = await change(bench, id, #"{"echo": true}"#)
        #expect(done.status == 200 && done.json.value(at: "audio.echo") == .boolean(true))
        #expect(await change(bench, id, #"{"silence": true}"#).status == 200)
        #expect(call.asked == [#"audio {"echo":true}"#, #"audio {"silence":true}"#])
        let told = bench.core.spool.read(after: place).items
        #expect(told.map(\.type) == ["call_audio", "call_audio"] && told[0].data.contains(#""audio":{"echo":true}"#))
    }

    @Test("what cannot be leaves the call as it is")
    func refused() async {
        let bench = Bench()
        let (id, call) = await bench.call()
        for (audio, status) in [
            ("{}", 400), (#"{"echo": true, "silence": true}"#, 400), (#"{"call": "\#(id)"}"#, 400), (#"{"call": "e1-9"}"#, 400),
            (#"{"handset": "e1-9"}"#, 400), (#"{"conference": "e1-c9"}"#, 400), (#"{"record": true}"#, 409),
            (#"{"device": "default"}"#, 400), (#"{"echo": true, "loop": true}"#, 400), (#"{"eccho": true}"#, 400),
            (#"{"silence": 1}"#, 400),
        ] {
            #expect(await change(bench, id, audio).status == status, "\(audio)")
        }
        #expect(call.asked.isEmpty && bench.core.calls.record(id)?.audio == .device("null"))
        #expect(await change(bench, "e1-77", #"{"echo": true}"#).status == 404)
        call.end(.remoteHangup)
        #expect(await change(bench, id, #"{"echo": true}"#).status == 409)
    }

    @Test("a recorder gets a file of its own, and a call that begins with one too")
    func recorder() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-audio-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let bench = Bench(recordings: folder)
        let made = await bench.ask("POST", "/v1/calls", #"{"to": "sip:102@example.com", "audio": {"record": true}}"#)
        let id = made.json.text("id") ?? ""
        #expect(made.status == 201 && made.json.text("recording") == "\(id)-1.wav")
        #expect(made.json.value(at: "audio.record") == .boolean(true))
        #expect(await bench.ask("DELETE", "/v1/calls/\(id)/recording").status == 409)
        #expect(await change(bench, id, #"{"device": "default"}"#).status == 400, "the device does not open")
        #expect(bench.core.calls.record(id)?.recording == "\(id)-1.wav")
        #expect(await change(bench, id, #"{"echo": true}"#).json.value(at: "recording") == .null)
        #expect(FileManager.default.fileExists(atPath: "\(folder)/\(id)-1.wav"))
    }

    @Test("two calls hear each other, a third comes in, and the end of one ends those that name it")
    func bridged() async {
        let bench = Bench()
        let first = await bench.call(), second = await bench.call(), third = await bench.call()
        #expect(await change(bench, first.id, #"{"call": "\#(second.id)"}"#).status == 200)
        #expect(first.call.asked == [#"audio {"call":"\#(second.id)"} bridged"#])
        #expect(second.call.asked == [#"audio {"call":"\#(first.id)"} bridged"#])
        #expect(await change(bench, third.id, #"{"call": "\#(first.id)"}"#).status == 200)
        #expect(first.call.asked.count == 1, "it is there already")
        let fourth = await bench.ask("POST", "/v1/calls", #"{"to": "sip:4@example.com", "audio": {"call": "\#(first.id)"}}"#)
        #expect(fourth.status == 201 && bench.telephone.wished.last?.hasSuffix("bridged") == true)
        second.call.end(.remoteHangup)
        bench.core.calls.closeEnded()
        #expect(first.call.asked.last == "hang up")
        bench.core.calls.closeEnded()
        #expect(third.call.asked.last == "hang up")
    }

    @Test("a conference is opened, calls come in, and its end is theirs")
    func conference() async {
        let bench = Bench()
        #expect(await bench.ask("GET", "/v1/conferences").json.value(at: "conferences") == .array([]))
        let opened = await bench.ask("POST", "/v1/conferences", #"{"name": "monday"}"#)
        let id = opened.json.text("id") ?? ""
        #expect(opened.status == 201 && opened.json.text("name") == "monday")
        let first = await bench.call(), second = await bench.call()
        for call in [first, second] { #expect(await change(bench, call.id, #"{"conference": "\#(id)"}"#).status == 200) }
        let shown = await bench.ask("GET", "/v1/conferences/\(id)").json
        #expect(shown.value(at: "calls") == .array([.string(first.id), .string(second.id)]))
        let offer = await bench.ask(
            "POST", "/v1/webrtc?conference=\(id)", "v=0 offer", headers: ["content-type": "application/sdp"])
        #expect(offer.status == 201)
        #expect(await bench.ask("DELETE", "/v1/conferences/\(id)").status == 200)
        #expect(first.call.asked.last == "hang up" && second.call.asked.last == "hang up")
        #expect(bench.telephone.calls.last?.asked.last == "hang up")
        for method in ["GET", "DELETE"] { #expect(await bench.ask(method, "/v1/conferences/\(id)").status == 404) }
        #expect(await change(bench, first.id, #"{"conference": "\#(id)"}"#).status != 200)
    }

    @Test("who comes to a conference and who leaves is told, down to the one who is left alone, and its end names its calls")
    func conferenceMembers() async throws {
        let bench = Bench()
        let id = await bench.ask("POST", "/v1/conferences").json.text("id") ?? ""
        let place = bench.core.spool.position.sequence
        let first = await bench.call(), second = await bench.call()
        for call in [first, second] { #expect(await change(bench, call.id, #"{"conference": "\#(id)"}"#).status == 200) }
        second.call.end(.remoteHangup)
        #expect(await change(bench, first.id, #"{"echo": true}"#).status == 200)
        let third = await bench.ask("POST", "/v1/calls", #"{"to": "sip:3@example.com", "audio": {"conference": "\#(id)"}}"#)
        #expect(await bench.ask("DELETE", "/v1/conferences/\(id)").status == 200)
        let told = bench.core.spool.read(after: place).items.filter { $0.type.hasPrefix("conference") }
        let members = try told.map { try JSONValue(reading: $0.data).value(at: "conference.calls") }
        let thirdID = third.json.text("id") ?? ""
        let wanted = [[first.id], [first.id, second.id], [first.id], [], [thirdID], [thirdID]]
        #expect(members == wanted.map { .array($0.map { .string($0) }) })
        #expect(told.last?.type == "conference_ended" && told.dropLast().allSatisfy { $0.type == "conference_changed" })
    }

    @Test("a call that is on its way to a conference when that ends is not left alone in it")
    func conferenceEndsEarly() async {
        let bench = Bench()
        let id = await bench.ask("POST", "/v1/conferences").json.text("id") ?? ""
        let (call, live) = await bench.call()
        let core = bench.core
        bench.telephone.beforeChange.withLock { $0 = FakeTelephone.Hook { try? core.conferences.close(id) } }
        _ = await change(bench, call, #"{"conference": "\#(id)"}"#)
        #expect(live.asked.last == "hang up" && bench.core.calls.record(call)?.state == .ended)
    }

    @Test("handsets have names, and a call that rings at one is answered by no other")
    func handsets() async {
        var rules = AccountRules()
        rules.handsets = ["desk"]
        let bench = Bench(rules: rules)
        var ids: [String] = []
        for name in ["desk", "lobby"] {
            let made = await bench.ask(
                "POST", "/v1/webrtc?handset=true&name=\(name)", "v=0 offer", headers: ["content-type": "application/sdp"])
            #expect(made.status == 201)
            ids.append(bench.core.calls.records.last?.id ?? "")
        }
        bench.core.callCame(1, account: "office", from: "sip:101@example.com", at: bench.telephone)
        let call = bench.core.calls.records.last
        let id = call?.id ?? ""
        #expect(call?.handsets == ["desk"])
        let wrong = await bench.ask("POST", "/v1/calls/\(id)/answer", #"{"audio": {"handset": "\#(ids[1])"}}"#)
        #expect(wrong.status == 409 && wrong.json.text("detail")?.contains("desk") == true)
        #expect(await bench.ask("POST", "/v1/calls/\(id)/answer", #"{"audio": {"handset": "\#(ids[0])"}}"#).status == 202)
        let listed = await bench.ask("GET", "/v1/handsets").json.text
        #expect(listed.contains(#"{"id":"\#(ids[0])","name":"desk","calls":["\#(id)"]}"#), "\(listed)")
    }
}
