import Foundation
import Reporting
import Softphone
import Testing

import Service

@Suite("Webhooks at a reload") struct WebhookReloadTests {
    /// Nobody listens at the discard port of loopback.
    private static let nobody: UInt16 = 9

    private func hook(
        _ name: String = "crm", port: UInt16 = nobody, secret: String = "0123456789abcdef", events: [String] = []
    ) throws(SoftphoneError) -> WebhookSettings {
        try WebhookSettings(name, url: "http://127.0.0.1:\(port)/", secret: secret, events: events)
    }

    private func publish(_ numbers: ClosedRange<Int>, _ type: String = "t", in events: EventSpool) {
        for number in numbers { events.publish(type: type, .object([JSONMember("n", .integer(number))])) }
    }

    /// Ids of what waits on the disk, in order.
    private func waiting(_ folder: String) throws -> [String] {
        let spool = try WebhookSpool(folder: folder + "/crm", byteLimit: 100_000)
        var ids: [String] = []
        while let item = spool.oldest, spool.remove(item) { ids.append(item.id) }
        return ids
    }

    @Test("nothing is lost that was told before, while and after a webhook's settings change, and the order stays")
    func changed() async throws {
        try await withScratchFolder { folder in
            let events = EventSpool(epoch: "e1")
            let desk = WebhookDesk(events, folder: folder, byteLimit: 100_000)
            try desk.change([hook()])
            for round in 0..<20 {
                publish(1...10, in: events)
                try desk.change([hook(secret: "0123456789abcdef\(round)"), hook("other\(round)")])
            }
            events.finish()
            await desk.finish()
            #expect(try waiting(folder) == (1...200).map { "e1.\($0)" })
        }
    }

    @Test("a receiver that moves gets what waited, each event once and in order")
    func moved() async throws {
        try await withScratchFolder { folder in
            let receiver = try WebhookReceiver()
            defer { receiver.stop() }
            let events = EventSpool(epoch: "e1")
            let desk = WebhookDesk(events, folder: folder, byteLimit: 100_000)
            try desk.change([hook()])
            publish(1...20, in: events)
            try desk.change([hook(port: receiver.port)])
            publish(21...30, in: events)
            var ids: [String] = []
            for await id in receiver.ids {
                ids.append(id)
                if ids.count == 30 { break }
            }
            #expect(ids == (1...30).map { "e1.\($0)" })
            events.finish()
            await desk.finish()
        }
    }

    @Test("what was told before a change is chosen as it was wanted then")
    func filtered() async throws {
        try await withScratchFolder { folder in
            let events = EventSpool(epoch: "e1")
            let desk = WebhookDesk(events, folder: folder, byteLimit: 100_000)
            try desk.change([hook(events: ["report"])])
            publish(1...1, "report", in: events)
            publish(2...2, "call_ended", in: events)
            try desk.change([hook(events: ["call_ended"])])
            publish(3...3, "report", in: events)
            publish(4...4, "call_ended", in: events)
            events.finish()
            await desk.finish()
            #expect(try waiting(folder) == ["e1.1", "e1.4"])
        }
    }

    @Test("what waits for a webhook that is gone is dropped and counted; one of its name begins with nothing")
    func removed() async throws {
        try await withScratchFolder { folder in
            let earlier = try WebhookSpool(folder: folder + "/crm", byteLimit: 100_000)
            for number in 1...3 { _ = try earlier.add(id: "e0.\(number)", Array("{}".utf8)) }
            let events = EventSpool(epoch: "e1")
            let desk = WebhookDesk(events, folder: folder, byteLimit: 100_000)
            let bench = Bench(webhooks: desk)
            try desk.change([hook()])
            try desk.change([])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/crm").isEmpty)
            #expect(ServiceFigures.text(bench.core).contains(#"yodel_webhook_events_total{fate="dropped"} 3"#))
            try desk.change([hook()])
            publish(1...1, in: events)
            events.finish()
            await desk.finish()
            #expect(try waiting(folder) == ["e1.1"])
        }
    }

    @Test("one that cannot be made leaves all as they were")
    func refused() async throws {
        try await withScratchFolder { folder in
            let events = EventSpool(epoch: "e1")
            let desk = WebhookDesk(events, folder: folder, byteLimit: 100_000)
            let bench = Bench(webhooks: desk)
            try desk.change([hook()])
            try Data().write(to: URL(fileURLWithPath: folder + "/sales"))
            #expect(throws: SoftphoneError.self) { try desk.change([hook(port: 19), hook("sales")]) }
            let after = await bench.ask("GET", "/v1/webhooks").json
            #expect(after.text.contains("http://127.0.0.1:9\"") && !after.text.contains("sales"), "\(after.text)")
            events.finish()
            await desk.finish()
        }
    }
}
