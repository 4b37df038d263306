import Reporting
import Testing

import Service

@Suite("Events of the service") struct EventTests {
    /// The id and the type of each event.
    private func parse(_ text: String) -> [(id: String?, type: String)] {
        text.split(separator: "\n\n").map { block in
            let lines = block.split(separator: "\n")
            func field(_ name: String) -> String? {
                lines.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
            }
            return (field("id: "), field("event: ") ?? "")
        }
    }

    @Test("a new subscriber gets everything as it is, then each event with the whole call")
    func subscribe() async {
        let bench = Bench()
        let (id, call) = await bench.call()
        var stream = bench.core.stream(after: nil)
        let first = stream.next().text
        #expect(parse(first).map(\.type) == ["snapshot"] && first.contains(id))
        #expect(stream.next().text.isEmpty)
        call.tell(.callAnswered(sipCode: 200))
        call.tell(.stats(.init()))
        call.end(.remoteHangup)
        let text = stream.next().text
        #expect(parse(text).map(\.type) == ["call_answered", "call_ended"], "figures are asked for, not told")
        #expect(text.contains(#""call":"#) || text.contains(#""call": "#))
        #expect(text.contains("remote_hangup"))
    }

    @Test("a subscriber goes on where it stopped, without loss and without anything twice")
    func resume() {
        let spool = EventSpool(epoch: "e1")
        for number in 0..<500 { spool.publish(type: "t", .integer(number)) }
        var seen: [String] = []
        var last = EventID(epoch: "e1", sequence: 0)
        // A cut after each reading.
        while seen.count < 500 {
            var stream = EventStream(spool, after: last) { _ in "null" }
            let events = parse(stream.next().text)
            seen += events.compactMap(\.id)
            guard let id = seen.last.flatMap({ EventID($0) }) else { break }
            last = id
        }
        #expect(seen == (1...500).map { "e1.\($0)" })
    }

    @Test("who comes too late is told of the gap, and gets what is left")
    func gap() {
        let spool = EventSpool(epoch: "e1", capacity: 10)
        for number in 0..<25 { spool.publish(type: "t", .integer(number)) }
        var stream = EventStream(spool, after: EventID(epoch: "e1", sequence: 3)) { _ in "null" }
        let text = stream.next().text
        let events = parse(text)
        #expect(events.map(\.type) == ["gap"] + Array(repeating: "t", count: 10))
        #expect(text.contains(#""lost": 12"#) || text.contains(#""lost":12"#))
        #expect(events.last?.id == "e1.25" && spool.lostTotal == 12)
    }

    @Test("a place of another run, or one that never was, is a gap and a new beginning")
    func otherRun() {
        let spool = EventSpool(epoch: "e2")
        spool.publish(type: "t", .null)
        for last in [EventID(epoch: "e1", sequence: 1), EventID(epoch: "e2", sequence: 900)] {
            var stream = EventStream(spool, after: last) { _ in "null" }
            #expect(parse(stream.next().text).map(\.type) == ["gap", "snapshot"])
            spool.publish(type: "t", .null)
            #expect(parse(stream.next().text).map(\.type) == ["t"])
        }
    }

    @Test("the spool's bytes are bounded too")
    func bytes() {
        let spool = EventSpool(epoch: "e1", capacity: 1000, byteLimit: 10_000)
        for _ in 0..<100 { spool.publish(type: "t", .string(String(repeating: "x", count: 998))) }
        #expect(spool.read(after: 0, limit: 1000).items.count == 10)
    }

    @Test("the end of the service ends a stream, after its last event")
    func finish() async {
        let spool = EventSpool(epoch: "e1")
        var stream = EventStream(spool, after: EventID(epoch: "e1", sequence: 0)) { _ in "null" }
        spool.publish(type: "t", .null)
        spool.finish()
        let (text, isLast) = stream.next()
        #expect(parse(text).count == 1 && isLast)
        for await _ in spool.doorbell() {}
    }

    @Test("an id that is none is refused")
    func badID() async {
        let bench = Bench()
        #expect(await bench.ask("GET", "/v1/events", headers: ["last-event-id": "x"]).json.text("at") == "Last-Event-ID")
        let good = await bench.ask("GET", "/v1/events", headers: ["last-event-id": "e1.5"])
        #expect(good.status == 200 && good.response.contentType == "text/event-stream")
        #expect(EventID("a.b.7") == EventID(epoch: "a.b", sequence: 7) && EventID("7") == nil && EventID("a.-1") == nil)
    }
}
