import AudioFiles
import Foundation
import Reporting
import Testing

import Service

@Suite("Rules of accounts") struct RuleTests {
    private func rules(_ change: (inout AccountRules) -> Void) -> AccountRules {
        var rules = AccountRules()
        rules.rings = 0
        change(&rules)
        return rules
    }

    /// A call that came, once `holds`.
    private func until(_ what: String, _ holds: () -> Bool) async {
        for _ in 0..<6000 where !holds() { try? await Task.sleep(for: .milliseconds(10)) }
        #expect(holds(), "\(what)")
    }

    @Test(
        "a caller is let in whom a pattern admits",
        arguments: [
            ("sip:101@example.com", ["101@example.com"], true), ("sip:102@example.com", ["101@example.com"], false),
            ("<sip:101@EXAMPLE.com;user=phone>", ["sip:101@example.com"], true), ("sips:a@b.example", ["*@b.example"], true),
            ("sip:+4930123@gw", ["+49*@gw"], true), ("sip:+4930123@evil", ["+49*@gw"], false), ("tel:+4930", ["+49*"], true),
            ("sip:a@b", [], true), ("sip:a@b", ["*"], true), ("", ["*@*"], false), ("sip:aXbXc@h", ["a*b*c@h"], true),
            ("sip:ab@h", ["a*ab@h"], false), ("sip:200@house.test:5062", ["*@house.test"], true),
            ("sip:200@house.test:5062", ["200@house.test:5062"], true), ("sip:200@evil.test:5062", ["*@house.test"], false),
            ("sip:+49301;npdi@house.test", ["*@house.test"], true), ("sip:+49301;npdi@house.test", ["+49301@house.test"], true),
            ("tel:+49-30-123", ["tel:+49.30.123"], true), ("sip:200@house.test", ["sip:200@house.test:5062"], false),
            ("sip:a%40house.test@evil", ["*@house.test"], false),
        ])
    func admitted(_ uri: String, _ patterns: [String], _ isAdmitted: Bool) {
        #expect(rules { $0.callers = patterns }.admits(uri) == isAdmitted)
    }

    @Test("a pattern of many stars takes no longer than its text")
    func patterns() {
        let rules = rules { $0.callers = [String(repeating: "*a", count: 400) + "b"] }
        #expect(!rules.admits("sip:" + String(repeating: "a", count: 1000)))
    }

    @Test("a greeting that cannot be said is told in words, with what to do")
    func noGreeting() {
        let problem = #expect(throws: Problem.self) { try Attendant.greeting("/nonexistent/greeting.wav") }
        #expect(problem?.detail.contains("/nonexistent/greeting.wav; name an audio file") == true, "\(problem?.detail ?? "")")
    }

    @Test("who may not call is refused as such, and where nobody takes calls everybody is")
    func refused() {
        let strict = Bench(rules: rules { $0.callers = ["101@example.com"] })
        strict.core.callCame(1, account: "office", from: "sip:666@example.com", at: strict.telephone)
        #expect(strict.telephone.refused == [.forbidden] && strict.core.calls.records.isEmpty)
        strict.core.callCame(2, account: "office", from: "sip:101@example.com", at: strict.telephone)
        #expect(strict.core.calls.records.count == 1)
        let closed = Bench(rules: rules { $0.unanswered = .refuse })
        closed.core.callCame(1, account: "office", from: "sip:101@example.com", at: closed.telephone)
        #expect(closed.telephone.refused == [.declined])
    }

    @Test("nobody answers: the call is answered by itself, and one that somebody answered is left alone")
    func answered() async {
        let bench = Bench(rules: rules { $0.unanswered = .answer })
        bench.core.callCame(1, account: "office", from: "sip:101@example.com", at: bench.telephone)
        let call = bench.telephone.calls[0]
        await until("answered") { call.asked == ["answer"] }
        let (id, other) = (bench.core.calls.records[0].id, Bench(rules: rules { $0.unanswered = .ring }))
        #expect(bench.core.calls.record(id)?.state == .active)
        other.core.callCame(1, account: "office", from: "sip:101@example.com", at: other.telephone)
        #expect(other.telephone.calls[0].asked.isEmpty)
    }

    @Test("a call is forwarded: it is answered once the other one is, and both end together", arguments: [true, false])
    func forwarded(succeeds: Bool) async {
        let bench = Bench(
            rules: rules {
                $0.unanswered = .forward
                $0.forwardTo = "sip:999@example.com"
            })
        bench.core.callCame(1, account: "office", from: "sip:101@example.com", at: bench.telephone)
        await until("made") { bench.telephone.calls.count == 2 && bench.core.calls.records.count == 2 }
        let (incoming, outgoing) = (bench.telephone.calls[0], bench.telephone.calls[1])
        #expect(bench.telephone.wished[1].hasPrefix("sip:999@example.com office") && incoming.asked.isEmpty)
        let ids = bench.core.calls.records.map(\.id)
        if succeeds {
            outgoing.tell(.callAnswered(sipCode: 200))
            await until("answered") { incoming.asked == ["answer at the handset"] }
            incoming.end(.remoteHangup)
        } else {
            await until("joined") { bench.core.calls.record(ids[0])?.audio == .call(ids[1]) }
            outgoing.end(.busy, sipCode: 486)
        }
        bench.core.calls.closeEnded()
        bench.core.calls.closeEnded()
        #expect((succeeds ? outgoing : incoming).asked.last == "hang up")
    }

    @Test("a call that is to be forwarded is refused where there is no place for another call")
    func noPlace() {
        let rules = rules {
            $0.unanswered = .forward
            $0.forwardTo = "sip:999@example.com"
        }
        let bench = Bench(capacity: 1)
        bench.core.callCame(1, account: "office", from: "sip:101@example.com", at: bench.telephone)
        let id = bench.core.calls.records[0].id
        #expect(throws: Problem.self) { try bench.core.rules.act(rules, on: id, in: bench.core) }
        #expect(bench.telephone.calls.map(\.asked) == [["hang up"]])
    }

    @Test("a message needs a folder; without one the call rings on")
    func noFolder() async throws {
        let bench = Bench(rules: rules { $0.unanswered = .message })
        bench.core.callCame(1, account: "office", from: "sip:101@example.com", at: bench.telephone)
        try await Task.sleep(for: .milliseconds(100))
        #expect(bench.telephone.calls[0].asked.isEmpty && bench.core.calls.records[0].state == .ringing)
    }

    @Test("a call that nobody heard is answered by the machine, and a caller who says nothing leaves no file")
    func emptyMessage() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-rules-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let bench = Bench(recordings: folder, rules: rules { $0.unanswered = .message })
        bench.core.callCame(1, account: "office", from: "sip:101@example.com", at: bench.telephone)
        let call = bench.telephone.calls[0]
        await until("answered") { call.asked.last == "answer" }
        let record = bench.core.calls.records[0]
        #expect(call.asked.first == #"audio {"attendant":"message"}"# && record.recording == "\(record.id)-m1.wav")
        call.end(.remoteHangup)
        await until("tidied") { (try? FileManager.default.contentsOfDirectory(atPath: folder).isEmpty) == true }
        #expect(bench.core.calls.record(record.id)?.message == nil)
    }
}

@Suite("What is said to a caller, and what is kept") struct MessageTakerTests {
    private let rate = 8000
    private let silence = [Float](repeating: 0, count: 160)
    private let speech = (0..<160).map { Float($0 % 2) * 0.1 }

    private func taker(_ greeting: Int = 1000, message: Bool = true, longest: Double = 60) -> MessageTaker {
        MessageTaker(
            rate: rate, greeting: Array(repeating: 0.5, count: greeting), takesMessage: message, longestSeconds: longest)
    }

    @Test("greeting and beep come first, and nothing is kept of what is said meanwhile")
    func greeting() {
        var taker = taker()
        #expect(taker.hear(speech).isEmpty, "nobody has begun")
        let steps = taker.begin()
        guard steps.count == 2, case .say(let said) = steps[0], steps[1] == .mark else { return #expect(Bool(false)) }
        #expect(said.count == 1000 + 2400 && said[999] == 0.5 && said.dropFirst(1000).max().map { $0 > 0.2 } == true)
        #expect(taker.hear(speech).isEmpty && taker.key("#").isEmpty && taker.begin().isEmpty)
        taker.spoken()
        #expect(taker.hear(speech) == [.keep(speech)])
    }

    @Test("silence, the key # or the length ends a message; other keys do not")
    func ends() {
        var quiet = taker()
        _ = quiet.begin()
        quiet.spoken()
        for _ in 0..<50 { _ = quiet.hear(speech) }
        var packets = 0
        while packets < 1000, !quiet.hear(silence).contains(.over) { packets += 1 }
        #expect(packets == 249 && quiet.messageSeconds == 6 && quiet.hear(speech).isEmpty)
        var keyed = taker()
        _ = keyed.begin()
        keyed.spoken()
        for _ in 0..<50 { _ = keyed.hear(speech) }
        #expect(keyed.key("5").isEmpty && keyed.key("#") == [.over] && keyed.key("#").isEmpty)
        #expect(keyed.messageSeconds == 1)
        var long = taker(longest: 2)
        _ = long.begin()
        long.spoken()
        packets = 0
        while packets < 1000, !long.hear(speech).contains(.over) { packets += 1 }
        #expect(packets == 99)
    }

    @Test("who says nothing leaves nothing")
    func nothing() {
        var taker = taker()
        _ = taker.begin()
        taker.spoken()
        for _ in 0..<10 { _ = taker.hear(speech) }
        while !taker.hear(silence).contains(.over) {}
        #expect(taker.messageSeconds == nil)
    }

    @Test("an announcement ends once its last word is out, and keeps nothing")
    func announcement() {
        var taker = taker(message: false)
        #expect(taker.begin().first == .say(Array(repeating: 0.5, count: 1000)))
        #expect(taker.hear(speech).isEmpty)
        taker.spoken()
        var packets = 0
        while packets < 100, taker.hear(speech).isEmpty { packets += 1 }
        #expect(packets == 19 && taker.messageSeconds == nil)
    }
}
