import Realtime
import Reporting
import Softphone
import Testing

import Service

@Suite("Events of very many calls, for a subscriber whose connection is cut") struct EventReplayTests {
    private struct Received {
        var id: EventID
        var type: String
        var call: String
        var state: String
    }

    /// The events of a text that came whole.
    private func parse(_ text: Substring) throws -> [Received] {
        var rest = text
        var events: [Received] = []
        while let end = rest.firstRange(of: "\n\n") {
            var fields: [Substring: Substring] = [:]
            for line in rest[..<end.lowerBound].split(separator: "\n") {
                let parts = line.split(separator: " ", maxSplits: 1)
                if parts.count == 2 { fields[parts[0]] = parts[1] }
            }
            rest = rest[end.upperBound...]
            guard let id = EventID(String(fields["id:"] ?? "")) else {
                Issue.record("an event without an id: \(fields)")
                return events
            }
            let value = try JSONValue(reading: String(fields["data:"] ?? ""))
            events.append(
                Received(
                    id: id, type: String(fields["event:"] ?? ""), call: value.text("call_id") ?? "",
                    state: value.text("call.state") ?? ""))
        }
        return events
    }

    /// 10,000 calls that begin, are answered, held, taken up again and end, 40 at once and one after the other; the subscriber reads
    /// more slowly or more quickly, and 1,000 times its connection is cut in the middle of what it is sent.
    @Test("10,000 calls, 1,000 cuts: nothing is lost, nothing comes twice, each call's events are in order")
    func replay() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var random = SplitMix64(seed: seed)
        let bench = Bench(capacity: 50)
        let book = bench.core.calls
        let steps: [(FakeCall) -> Void] = [
            { $0.tell(.callProgress(sipCode: 180, reason: "Ringing", earlyMedia: false)) },
            { $0.tell(.callAnswered(sipCode: 200)) }, { $0.setHeld(true) }, { $0.setHeld(false) },
            { $0.end(.remoteHangup) },
        ]
        var running: [(call: FakeCall, step: Int)] = []
        var begun = 0
        var received: [Received] = []
        received.reserveCapacity(80_000)
        var last = EventID(epoch: "e1", sequence: 0)
        var stream = EventStream(bench.core.spool, after: last) { _ in "null" }
        var cuts = 0

        func read(cutting: Bool) throws {
            let text = stream.next().text
            // What is on its way when the connection is cut arrives in part, anywhere.
            let bytes = text.utf8.count
            let arrived = cutting ? Int.random(in: 0...bytes, using: &random) : bytes
            received += try parse(String(decoding: text.utf8.prefix(arrived), as: UTF8.self)[...])
            last = received.last?.id ?? last
            guard cutting else { return }
            cuts += 1
            stream = EventStream(bench.core.spool, after: last) { _ in "null" }
        }

        while begun < 10_000 || !running.isEmpty {
            if begun < 10_000, running.count < 40 {
                let call = FakeCall()
                _ = try book.open(.outgoing, account: "office", to: "sip:\(begun)@example.com", audio: .echo) { _ in call }
                begun += 1
                running.append((call, 0))
            }
            let index = Int.random(in: running.indices, using: &random)
            steps[running[index].step](running[index].call)
            running[index].step += 1
            if running[index].step == steps.count {
                running.remove(at: index)
                book.closeEnded()
            }
            // It falls behind by as much as the spool keeps, and catches up.
            if Int.random(in: 0..<12, using: &random) == 0 {
                try read(cutting: cuts < 1000 && Int.random(in: 0..<4, using: &random) == 0)
            }
            if bench.core.spool.published - last.sequence > 3000 {
                while bench.core.spool.published > last.sequence { try read(cutting: false) }
            }
        }
        while cuts < 1000 || bench.core.spool.published > last.sequence { try read(cutting: cuts < 1000) }

        #expect(cuts == 1000)
        #expect(bench.core.spool.lostTotal == 0)
        #expect(received.map(\.id.sequence) == Array(1...bench.core.spool.published), "lost, or twice")
        var types: [String: [String]] = [:]
        for event in received { types[event.call, default: []].append(event.type) }
        #expect(types.count == 10_000)
        let whole = [
            "call_created", "call_progress", "call_answered", "call_held", "call_resumed", "call_ended", "report",
        ]
        #expect(types.values.allSatisfy { $0 == whole })
        print("\(received.count) events of \(types.count) calls, \(cuts) cuts")
    }
}
