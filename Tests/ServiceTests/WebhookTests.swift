import Foundation
import Reporting
import SecureRTP
import Settings
import Softphone
import Testing

import Service

@Suite("Webhooks") struct WebhookTests {
    private let secret = "0123456789abcdef0123"

    private func folder() throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-webhooks-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    @Test("the signature is that of the published example of Standard Webhooks")
    func signature() throws {
        let key = try #require(Base64.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let headers = WebhookSignature.headers(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330, body: Array(#"{"test": 2432232314}"#.utf8), key: key)
        #expect(headers.first { $0.name == "webhook-signature" }?.value == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        #expect(headers.first { $0.name == "webhook-timestamp" }?.value == "1614265330")
        let other = WebhookSignature.headers(id: "msg_other", seconds: 1_614_265_330, body: [], key: key)
        #expect(other.last?.value != headers.last?.value)
    }

    @Test("tries come ever less often, never at a fixed time, and as late as the receiver asks")
    func schedule() {
        var schedule = RetrySchedule()
        let low = (0..<12).map { _ in schedule.next(random: 0) }
        #expect(low.first == 0.5 && low == low.sorted() && low.last == RetrySchedule.longest / 2)
        schedule.reset()
        #expect(schedule.next(random: 0.5) == 0.75)
        #expect(schedule.next(random: 0, wish: 90) == 90)
        #expect(schedule.next(random: 0, wish: 1_000_000) == 3600)
        for _ in 0..<1000 { _ = schedule.next(random: 0.99) }
        #expect(schedule.next(random: 0.99) <= RetrySchedule.longest)
    }

    @Test("a receiver asks for later by seconds, or by a date")
    func laterByDate() {
        let now = Timestamp(millisecondsSince1970: 784_111_687_500)
        #expect(RetrySchedule.wish("120", now: now) == 120)
        #expect(RetrySchedule.wish("Sun, 06 Nov 1994 08:49:37 GMT", now: now) == 90)
        #expect(RetrySchedule.wish("soon", now: now) == nil)
        // What is past is no wish.
        var schedule = RetrySchedule()
        let past = RetrySchedule.wish("Sun, 06 Nov 1994 08:00:00 GMT", now: now)
        #expect(schedule.next(random: 0, wish: past) == RetrySchedule.first / 2)
    }

    @Test("of what was gone before it was read only a webhook that gets everything counts each event as lost")
    func overrun() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let events = EventSpool(epoch: "e1", capacity: 10)
        let desk = WebhookDesk(events, folder: folder, byteLimit: 10_000_000)
        let bench = Bench(webhooks: desk)
        try desk.change([
            try WebhookSettings("all", url: "http://127.0.0.1:9/", secret: secret),
            try WebhookSettings("some", url: "http://127.0.0.1:9/", secret: secret, events: ["report"]),
        ])
        for number in 0..<2000 { events.publish(type: "call_ended", .object([JSONMember("n", .integer(number))])) }
        events.finish()
        await desk.finish()
        guard case .array(let hooks) = await bench.ask("GET", "/v1/webhooks").json.value(at: "webhooks"), hooks.count == 2
        else { return #expect(Bool(false)) }
        guard case .integer(let waiting) = hooks[0].value(at: "waiting"),
            case .integer(let dropped) = hooks[0].value(at: "dropped")
        else { return #expect(Bool(false)) }
        #expect(waiting + dropped == 2000)
        #expect(hooks[1].value(at: "waiting") == .integer(0) && hooks[1].value(at: "dropped") == .integer(0))
    }

    @Test("what waits is there after a restart, in order, and half a file is not")
    func restart() throws {
        let folder = try folder() + "/crm"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let spool = try WebhookSpool(folder: folder, byteLimit: 1000)
        for number in 1...3 { #expect(try spool.add(id: "e1.\(number)", Array(#"{"n":\#(number)}"#.utf8)) == 0) }
        try Data("{\"n\"".utf8).write(to: URL(fileURLWithPath: folder + "/0000000000000009-e1.9.json.part"))
        try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/notes.txt"))
        try Data().write(to: URL(fileURLWithPath: folder + "/0000000000000004-e1.4.json"))
        let again = try WebhookSpool(folder: folder, byteLimit: 1000)
        #expect(again.count == 4)
        for number in 1...3 {
            let item = try #require(again.oldest)
            #expect(item.id == "e1.\(number)" && again.body(of: item) == Array(#"{"n":\#(number)}"#.utf8))
            #expect(again.remove(item))
        }
        let empty = try #require(again.oldest)
        #expect(again.body(of: empty) == nil, "the machine lost its power before it was written")
        #expect(again.remove(empty) && !again.remove(empty))
        #expect(again.oldest == nil)
        _ = try again.add(id: "e2.1", Array("{}".utf8))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["0000000000000005-e2.1.json", "notes.txt"])
    }

    @Test("what is too much goes, the oldest first, but not the one that may be on its way")
    func bounded() throws {
        let folder = try folder() + "/crm"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let spool = try WebhookSpool(folder: folder, byteLimit: 100)
        var gone = 0
        for number in 1...20 { gone += try spool.add(id: "e1.\(number)", Array("{\(String(repeating: " ", count: 18))}".utf8)) }
        #expect(spool.count == 5 && gone == 15 && spool.oldest?.id == "e1.1")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 5)
    }

    @Test("a folder that is not there is no crash", arguments: ["/nonexistent/webhooks", "/proc/webhooks"])
    func noFolder(_ path: String) {
        #expect(throws: SpoolFailure.self) { try WebhookSpool(folder: path, byteLimit: 100) }
    }

    @Test(
        "what makes no webhook is refused with what to do",
        arguments: [
            ("crm", "ftp://example.com/", "0123456789abcdef"), ("crm", "https://user@example.com/", "0123456789abcdef"),
            ("crm", "https://example.com:70000/", "0123456789abcdef"), ("crm", "https://", "0123456789abcdef"),
            ("crm", "https://example.com/a b", "0123456789abcdef"), ("../crm", "https://example.com/", "0123456789abcdef"),
            ("", "https://example.com/", "0123456789abcdef"), ("crm", "https://example.com/", "short"),
            ("crm", "https://example.com/", "whsec_%%%%"), ("crm", "https://example.com/#a", "0123456789abcdef"),
        ])
    func refused(_ name: String, _ url: String, _ secret: String) {
        #expect(throws: SoftphoneError.self) { try WebhookSettings(name, url: url, secret: secret) }
    }

    @Test("every event that the documentation has may be wanted, and what is none is refused with the nearest name")
    func wanted() throws {
        let docs = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("docs")
        let commands = try String(contentsOf: docs.appendingPathComponent("commands.md"), encoding: .utf8)
        let service = try String(contentsOf: docs.appendingPathComponent("softphone.md"), encoding: .utf8)
        let rows =
            commands.components(separatedBy: "| type | members |\n|---|---|\n").last?
            .components(separatedBy: "\n\n").first?.split(separator: "\n") ?? []
        var places = rows.map { $0.dropFirst().prefix { $0 != "|" } }
        places += service.split(separator: "\n").filter { $0.hasPrefix("and besides `snapshot`") }.map {
            $0.prefix { $0 != "." }
        }
        let documented = places.flatMap { place in place.matches(of: #/`(\w+)`/#).map { String($0.1) } }
        // Figures, what a stream has for itself, and what is told by commands alone.
        let others: Set = [
            "stats", "snapshot", "gap", "waiting", "peer", "port_stats", "load_started", "load_call", "load_report",
            "capacity_work", "capacity_step", "capacity",
        ]
        #expect(Set(documented).subtracting(others) == Set(WebhookEvents.all))
        for event in WebhookEvents.all {
            #expect(throws: Never.self) {
                try WebhookSettings("crm", url: "https://example.com/", secret: secret, events: [event])
            }
        }
        for (wrong, hint) in [("call_createdd", "did you mean call_created?"), ("stats", "stats"), ("*", "docs/softphone.md")] {
            let error = #expect(throws: SoftphoneError.self) {
                try WebhookSettings("crm", url: "https://example.com/", secret: secret, events: ["report", wrong])
            }
            #expect(error?.description.contains(hint) == true && error?.description.contains("webhooks.crm.events") == true)
        }
    }

    @Test("hooks are listed, counted at zero, and gone when the configuration has them no more")
    func listed() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let events = EventSpool(epoch: "e1")
        let desk = WebhookDesk(events, folder: folder, byteLimit: 1000)
        let bench = Bench(webhooks: desk)
        try desk.change([try WebhookSettings("crm", url: "http://127.0.0.1:9/x?key=1", secret: secret, events: ["call_ended"])])
        let json = await bench.ask("GET", "/v1/webhooks").json
        #expect(json.text.contains(#""name":"crm""#))
        #expect(json.text.contains(#""host":"http://127.0.0.1:9""#) && !json.text.contains("key=1"), "paths may hold secrets")
        #expect(ServiceFigures.text(bench.core).contains("yodel_webhook_events_waiting 0\n"))
        try desk.change([])
        #expect(await bench.ask("GET", "/v1/webhooks").json.value(at: "webhooks") == .array([]))
        events.finish()
        await desk.finish()
        #expect(throws: SoftphoneError.self) {
            try WebhookDesk(events, folder: nil, byteLimit: 1).change([
                try WebhookSettings("crm", url: "http://127.0.0.1:9/", secret: secret)
            ])
        }
    }

    @Test("what is told while nobody takes it waits on the disk, filtered, and is there at the end")
    func kept() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let events = EventSpool(epoch: "e1")
        let desk = WebhookDesk(events, folder: folder, byteLimit: 100_000)
        // Nobody listens at the discard port of loopback.
        try desk.change([try WebhookSettings("crm", url: "http://127.0.0.1:9/", secret: secret, events: ["report"])])
        for number in 0..<200 {
            events.publish(
                type: number.isMultiple(of: 2) ? "report" : "call_ended", .object([JSONMember("n", .integer(number))]))
        }
        events.finish()
        await desk.finish()
        let waiting = try WebhookSpool(folder: folder + "/crm", byteLimit: 100_000)
        #expect(waiting.count == 100)
        let first = try #require(waiting.oldest)
        #expect(first.id == "e1.1" && waiting.body(of: first) == Array(#"{"n":0}"#.utf8))
    }
}
