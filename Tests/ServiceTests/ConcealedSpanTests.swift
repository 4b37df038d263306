import History
import Metrics
import Reporting
import Softphone
import Testing

import Service

@Suite("When sound was made up for, and why") struct ConcealedSpanTests {
    /// The time of a second of the call.
    private func time(_ second: Int64) -> Timestamp { Timestamp(millisecondsSince1970: 1_000_000 + 1000 * second) }

    /// - Parameter sender: of the gaps, what the call books to the sender, ms; `nil`: it tells nothing of causes.
    private func figures(
        _ second: Int64, short: Double = 0, lost: Int = 0, late: Int = 0, gaps: Int = 0, sender: Double? = nil
    ) -> PartyEvent {
        var statistics = CallStatistics()
        if let sender {
            statistics.gapsByCause = GapFigures()
            statistics.gapsByCause?.sender.milliseconds = sender
        }
        statistics.concealedByReason = ["conceal_short": short, "conceal_long": 0]
        (statistics.packetsLost, statistics.packetsLate, statistics.playoutGaps) = (lost, late, gaps)
        return PartyEvent(party: 0, body: .stats(statistics), time: time(second))
    }

    private func spans(_ events: [PartyEvent]) -> ConcealedSpans {
        var found = ConcealedSpans()
        for event in events { found.note(event, isAnswered: true) }
        return found
    }

    @Test("seconds in a row are one span, a good second between them makes two, and the first figures have no time")
    func rows() {
        let found = spans([
            figures(0, short: 500, lost: 9), figures(1, short: 520, lost: 10), figures(2, short: 580, lost: 10, late: 3),
            figures(3, short: 580, lost: 10, late: 3), figures(4, short: 600, lost: 11, late: 3),
        ])
        #expect(
            found.spans == [
                ConcealedSpans.Span(from: time(0), to: time(2), milliseconds: 80, cause: .network, lost: 1, late: 3),
                ConcealedSpans.Span(from: time(3), to: time(4), milliseconds: 20, cause: .network, lost: 1, late: 0),
            ])
        #expect(found.leftOut == 0)
    }

    @Test("what turns out to be missing after it was taken for a pause began before the second that tells of it")
    func pauses() {
        let found = spans([
            figures(0), figures(1), figures(20), figures(21, short: 15_000, lost: 750), figures(22, short: 16_005, lost: 800),
        ])
        #expect(
            found.spans == [
                ConcealedSpans.Span(from: time(6), to: time(22), milliseconds: 16_005, cause: .network, lost: 800, late: 0)
            ])
    }

    @Test("a loudspeaker that ran dry is the machine's, what follows an event is the event's, and each is a span of its own")
    func causes() {
        let held = PartyEvent(party: 0, body: .callHeld(byUs: true, byPeer: false), time: time(2))
        let found = spans([
            figures(0), figures(1, gaps: 1), held, figures(3, short: 100, gaps: 1), figures(6, short: 120, gaps: 1),
        ])
        #expect(found.spans.map(\.cause) == [.machine, .hold, .network])
        #expect(found.spans.map(\.milliseconds) == [0, 100, 20])
    }

    @Test("a second turns out to be the sender's once the call knows; what an event explained stays the event's")
    func sender() {
        let held = PartyEvent(party: 0, body: .callHeld(byUs: true, byPeer: false), time: time(4))
        var events = [
            figures(0, sender: 0), figures(1, short: 200, sender: 0), figures(2, short: 200, sender: 0),
            figures(3, short: 280, sender: 0), held, figures(5, short: 580, sender: 0),
        ]
        #expect(spans(events).spans.map(\.cause) == [.network, .network, .hold])
        events.append(figures(9, short: 580, sender: 280))
        let told = spans(events)
        #expect(told.spans.map(\.cause) == [.sender, .sender, .hold])
        #expect(told.spans.map(\.milliseconds) == [200, 80, 300])
        events.append(figures(10, short: 580, sender: 580))
        #expect(spans(events).spans.map(\.cause) == [.sender, .sender, .hold])
    }

    @Test("of the seconds that wait those are the sender's that its gaps fit, or fill most of")
    func fitting() {
        let two = [
            figures(0, sender: 0), figures(1, short: 20, sender: 0), figures(2, short: 20, sender: 0),
            figures(3, short: 100, sender: 0),
        ]
        #expect(spans(two + [figures(8, short: 100, sender: 80)]).spans.map(\.cause) == [.network, .sender])
        let mixed = [figures(0, sender: 0), figures(1, short: 100, sender: 0)]
        #expect(spans(mixed + [figures(3, short: 100, sender: 60)]).spans.map(\.cause) == [.sender])
        #expect(spans(mixed + [figures(3, short: 100, sender: 40)]).spans.map(\.cause) == [.network])
    }

    @Test("a second of which the sender says nothing in time is the network's")
    func patience() {
        let late = [
            figures(0, sender: 0), figures(1, short: 100, sender: 0), figures(25, short: 100, sender: 0),
            figures(26, short: 100, sender: 100),
        ]
        #expect(spans(late).spans.map(\.cause) == [.network])
    }

    @Test("figures that begin anew, or differ by less than is to be heard, make no span")
    func anew() {
        #expect(spans([figures(0, short: 500, lost: 9), figures(1, short: 0), figures(2, short: 0.5)]).spans.isEmpty)
    }

    @Test("a call keeps so many spans, and counts the others")
    func limit() {
        var events = [figures(0)]
        for turn in 1...Int64(ConcealedSpans.limit + 10) {
            events.append(figures(2 * turn - 1, short: 20 * Double(turn)))
            events.append(figures(2 * turn, short: 20 * Double(turn)))
        }
        let found = spans(events)
        #expect(found.spans.count == ConcealedSpans.limit && found.leftOut == 10)
    }

    @Test("they are in the figures of a call that is over, and in the history's; a call without any has none")
    func told() async {
        let bench = Bench()
        let (id, call) = await bench.call()
        call.tell(.callAnswered(sipCode: 200))
        for event in [figures(0), figures(1, short: 40, lost: 2)] { call.tell(event.body) }
        call.end(.remoteHangup)
        bench.core.calls.closeEnded()
        let stats = await bench.ask("GET", "/v1/calls/\(id)/stats").json
        guard case .array(let spans) = stats.value(at: "concealed_spans") else { return #expect(Bool(false)) }
        #expect(spans.count == 1 && spans[0].text("cause") == "network" && spans[0].value(at: "lost") == .integer(2))
        #expect(stats.value(at: "concealed_spans_left_out") == .integer(0) && stats.text("reason") == "remote_hangup")
        let kept = bench.core.calls.record(id).flatMap { CallEntry($0).report }
        #expect(kept?.contains(#""concealed_spans":[{"from":"#) == true)
        let (other, quiet) = await bench.call()
        quiet.end(.remoteHangup)
        bench.core.calls.closeEnded()
        #expect(await bench.ask("GET", "/v1/calls/\(other)/stats").json.value(at: "concealed_spans") == nil)
    }
}
