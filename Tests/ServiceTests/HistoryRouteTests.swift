import Foundation
import History
import Reporting
import Testing

import Service

@Suite("History by request") struct HistoryRouteTests {
    private func bench(_ history: CallHistory?) -> Bench { Bench(history: history) }

    private func open(_ path: String) throws -> CallHistory {
        try CallHistory(path: path, retention: HistoryRetention(days: 0, bytes: 0), retryMilliseconds: 20) { _ in }
    }

    private func settled(_ history: CallHistory, _ count: UInt64) async throws {
        while history.written < count { try await Task.sleep(for: .milliseconds(2)) }
    }

    @Test("a call is kept from its beginning, with its report at the end, and found")
    func kept() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-\(UUID().uuidString).sqlite").path
        defer { for part in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: path + part) } }
        let history = try open(path)
        let bench = bench(history)
        let (id, call) = await bench.call()
        try await settled(history, 1)
        let running = await bench.ask("GET", "/v1/history/\(id)")
        #expect(
            running.status == 200 && running.json.value(at: "end_reason") == .null && running.json.text("account") == "office")
        call.tell(.callAnswered(sipCode: 200))
        call.end(.remoteHangup)
        bench.core.calls.closeEnded()
        // What follows is in the same queue.
        while (try? history.reader().call(id))?.report == nil { try await Task.sleep(for: .milliseconds(2)) }
        let over = await bench.ask("GET", "/v1/history/\(id)")
        #expect(over.json.text("end_reason") == "remote_hangup" && over.json.text("report.reason") == "remote_hangup")
        let found = await bench.ask("GET", "/v1/history?q=102%40example&direction=outgoing&since=2020-01-01&limit=1")
        guard case .array(let calls) = found.json.value(at: "calls") else { return #expect(Bool(false)) }
        #expect(calls.count == 1 && calls[0].text("id") == id && found.json.value(at: "next") == .null)
        // The minute in which it began counts as its first and its last.
        let minute = (over.json.text("started") ?? "").prefix(16)
        for times in [
            "since=2020-01-01T01:00:00%2B01:00", "since=2020-01-01T01:00:00+01:00", "since=\(minute)Z&until=\(minute)Z",
            "since=\(minute)+00:00&until=\(minute):59-01:00",
        ] {
            guard case .array(let calls) = await bench.ask("GET", "/v1/history?\(times)").json.value(at: "calls") else {
                Issue.record("\(times)")
                continue
            }
            #expect(calls.count == 1, "\(times)")
        }
        let early = await bench.ask("GET", "/v1/history?until=2020-01-01T01:00:00+01:00").json
        #expect(early.value(at: "calls") == .array([]))
        #expect(await bench.ask("GET", "/v1/history?q=nobody").json.value(at: "calls") == .array([]))
        #expect(await bench.ask("GET", "/v1/history/none").status == 404)
        for wrong in ["limit=0", "limit=501", "limit=x", "before=-1", "direction=up", "since=today", "sinc=2026-01-01"] {
            let answer = await bench.ask("GET", "/v1/history?\(wrong)")
            #expect(
                answer.status == 400 && answer.json.text("at") == wrong.split(separator: "=").first.map(String.init), "\(wrong)"
            )
        }
        history.close()
    }

    @Test("texts outlive the service, both ways; with those of after its start, oldest first")
    func texts() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-\(UUID().uuidString).sqlite").path
        defer { for part in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: path + part) } }
        func states(_ bench: Bench) async -> [String?] {
            guard case .array(let list) = await bench.ask("GET", "/v1/messages").json.value(at: "messages") else { return [] }
            return list.map { $0.text("state") }
        }
        var history = try open(path)
        let first = bench(history)
        first.core.messages.received(from: "sip:102@example.com", name: "Ann", to: "sip:office@example.com", text: "one")
        _ = await first.ask("POST", "/v1/messages", #"{"to": "sip:102@example.com", "text": "two"}"#)
        #expect(await states(first) == ["received", "sending"])
        try await settled(history, 2)
        #expect(await states(first) == ["received", "sending"], "each once, also when it is written")
        first.core.messages.answered(7, sipCode: 200, reason: "OK")
        try await settled(history, 3)
        history.close()
        history = try open(path)
        while (try? history.reader()) == nil { try await Task.sleep(for: .milliseconds(2)) }
        let second = bench(history)
        #expect(await states(second) == ["received", "delivered"])
        history.close()
    }

    @Test("without a history, or with one that cannot be read, calls are made all the same")
    func troubled() async throws {
        let none = bench(nil)
        #expect(await none.ask("GET", "/v1/history").status == 409)
        #expect(await none.ask("GET", "/v1/history/x").status == 409)
        let history = try open("/nonexistent/folder/history.sqlite")
        let bench = bench(history)
        while history.trouble == nil { try await Task.sleep(for: .milliseconds(2)) }
        let (id, _) = await bench.call()
        #expect(await bench.ask("DELETE", "/v1/calls/\(id)").status == 200)
        let answer = await bench.ask("GET", "/v1/history")
        #expect(answer.status == 503 && answer.json.text("detail")?.contains("/nonexistent/folder/history.sqlite") == true)
        history.close()
    }
}
