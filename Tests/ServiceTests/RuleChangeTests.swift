import Foundation
import History
import Reporting
import Testing

import Service

@Suite("Rules that requests change") struct RuleChangeTests {
    private let path = "/v1/accounts/office/rules"

    private func history(_ name: String) throws -> CallHistory {
        try CallHistory(path: name, retention: HistoryRetention(days: 0, bytes: 0)) { _ in }
    }

    /// A database of its own, gone at the end.
    private func scratch(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-rules-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appendingPathComponent("history.sqlite").path)
    }

    @Test("what is named changes, for the next call; all else is the configuration's, and everything is after DELETE")
    func change() async {
        var rules = AccountRules()
        (rules.rings, rules.callers) = (0, ["101@example.com"])
        let bench = Bench(rules: rules)
        let before = await bench.ask("GET", path).json
        #expect(before.text("unanswered") == "ring" && before.value(at: "changed") == .array([]))
        let body = #"{"unanswered": "forward", "forward_to": "sip:mobile@example.com"}"#
        let changed = await bench.ask("PUT", path, body)
        #expect(changed.status == 200 && changed.json.text("forward_to") == "sip:mobile@example.com")
        #expect(changed.json.value(at: "rings") == .integer(0))
        #expect(changed.json.value(at: "callers") == .array([.string("101@example.com")]))
        #expect(changed.json.value(at: "changed") == .array([.string("unanswered"), .string("forward_to")]))
        let told = bench.core.spool.read(after: 0).items.last
        #expect(told?.type == "rules_changed" && told?.data.contains(#""account":"office""#) == true)
        bench.core.callCame(1, account: "office", from: "sip:101@example.com", at: bench.telephone)
        for _ in 0..<500 where bench.telephone.calls.count < 2 { try? await Task.sleep(for: .milliseconds(10)) }
        #expect(bench.telephone.wished.contains { $0.hasPrefix("sip:mobile@example.com office") })
        let back = await bench.ask("DELETE", path)
        #expect(back.status == 200 && back.json == before)
    }

    @Test("a second PUT replaces the first, and nothing in it is nothing changed")
    func replaced() async {
        let bench = Bench()
        _ = await bench.ask("PUT", path, #"{"rings": 9, "callers": ["*@a"]}"#)
        let second = await bench.ask("PUT", path, #"{"handsets": ["desk"], "rings": null}"#).json
        #expect(second.value(at: "rings") == .integer(4) && second.value(at: "changed") == .array([.string("handsets")]))
        #expect(await bench.ask("PUT", path, "{}").json.value(at: "changed") == .array([]))
    }

    @Test(
        "what cannot be followed is refused and changes nothing",
        arguments: [
            (#"{"unanswered": "forward"}"#, "forward_to"), (#"{"unanswered": "sing"}"#, "unanswered"),
            (#"{"unanswered": "announce"}"#, "announcement"), (#"{"unanswered": "message"}"#, "unanswered"),
            (#"{"rings": 21}"#, "rings"), (#"{"rings": "3"}"#, "rings"), (#"{"message_seconds": 4}"#, "message_seconds"),
            (#"{"callers": "101"}"#, "callers"), (#"{"callers": [1]}"#, "callers"), (#"{"callers": [""]}"#, "callers"),
            (#"{"forward_to": "mailto:a@b"}"#, "forward_to"), (#"{"forward_to": "102"}"#, "forward_to"),
            (#"{"announcement": "../etc/passwd"}"#, "announcement"), (#"{"ring": 3}"#, "ring"),
        ])
    func refused(body: String, place: String) async {
        let bench = Bench()
        let answer = await bench.ask("PUT", path, body)
        #expect(answer.status == 400 && answer.json.text("at") == place, "\(answer.json.text)")
        #expect(await bench.ask("GET", path).json.value(at: "changed") == .array([]))
        #expect(await bench.ask("PUT", "/v1/accounts/nobody/rules", "{}").status == 404)
    }

    @Test("calls are forwarded to nobody whom the account may not reach")
    func callees() async {
        let bench = Bench(unreached: { account, target in target.contains("+900") ? "\(account) may not" : nil })
        let refused = await bench.ask("PUT", path, #"{"unanswered": "forward", "forward_to": "sip:+900123@example.com"}"#)
        #expect(refused.status == 400 && refused.json.text("at") == "forward_to", "\(refused.json.text)")
        #expect(refused.json.text("detail") == "office may not")
        #expect(await bench.ask("PUT", path, #"{"forward_to": "sip:102@example.com"}"#).status == 200)
    }

    @Test("changes are there again after a restart, and one that was taken back is not")
    func kept() async throws {
        try await scratch { file in
            let first = try history(file)
            let bench = Bench(accounts: ["office", "shop"], history: first)
            _ = await bench.ask("PUT", path, #"{"rings": 7, "unanswered": "refuse", "handsets": ["desk", "lobby"]}"#)
            _ = await bench.ask("PUT", "/v1/accounts/shop/rules", #"{"rings": 1}"#)
            _ = await bench.ask("DELETE", "/v1/accounts/shop/rules")
            first.close()
            let second = try history(file)
            for _ in 0..<500 where second.kept == nil { try await Task.sleep(for: .milliseconds(10)) }
            let again = Bench(accounts: ["office", "shop"], history: second)
            let rules = await again.ask("GET", path).json
            #expect(rules.value(at: "rings") == .integer(7) && rules.text("unanswered") == "refuse")
            #expect(rules.value(at: "handsets") == .array([.string("desk"), .string("lobby")]))
            #expect(await again.ask("GET", "/v1/accounts/shop/rules").json.value(at: "changed") == .array([]))
            second.close()
        }
    }

    @Test("a change from before the database is open is not undone by what was kept") func early() async throws {
        try await scratch { file in
            let first = try history(file)
            _ = await Bench(history: first).ask("PUT", path, #"{"rings": 7}"#)
            first.close()
            let second = try history(file)
            let bench = Bench(history: second)
            _ = await bench.ask("PUT", path, #"{"rings": 2}"#)
            for _ in 0..<500 where second.kept == nil { try await Task.sleep(for: .milliseconds(10)) }
            #expect(await bench.ask("GET", path).json.value(at: "rings") == .integer(2))
            second.close()
        }
    }
}
