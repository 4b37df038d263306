import Foundation
import Media
import Metrics
import Reporting
import Softphone
import Testing

import Service

@Suite("Figures for Prometheus") struct MetricsTests {
    private func page() throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent("docs/metrics.md"), encoding: .utf8)
    }

    /// The value of a line of the text; `nil`: there is no such line.
    private func value(_ text: String, _ series: String) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix("\(series) ") }.flatMap { Double($0.dropFirst(series.count + 1)) }
    }

    @Test("docs/metrics.md names every metric with its type and labels, and no other")
    func documented() throws {
        let rows = try page().matches(of: #/(?m)^\| `yodel_(\w+)` \| (\w+) \|([^|]*)\|/#)
        let described = rows.map { row in
            "\(row.1) \(row.2) \(row.3.replacing("`", with: "").trimmingCharacters(in: .whitespaces))"
        }
        let families = ServiceFigures.families(Bench().core)
        #expect(described == families.map { "\($0.name) \($0.kind.rawValue) \($0.labels.joined(separator: " "))" })
    }

    @Test("every series is there from the start, at zero where it counts")
    func zero() {
        let families = ServiceFigures.families(Bench().core)
        for family in families
        where family.kind != .gauge && !family.name.hasPrefix("process") && !family.name.hasPrefix("machine") {
            let lines = family.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            #expect(!lines.isEmpty && lines.allSatisfy { $0.hasSuffix(" 0") }, "\(family.text)")
        }
        #expect(families.allSatisfy { $0.help.hasSuffix(".") })
    }

    @Test("a histogram counts at and below each bound, and leaves out what is no number")
    func histogram() {
        var histogram = Histogram([1, 2])
        for value in [0.5, 1, 1.5, 2.5, .nan, .infinity] { histogram.note(value) }
        #expect(histogram.cumulative.map(\.count) == [2, 3, 4] && histogram.count == 4 && histogram.sum == 5.5)
        #expect(histogram.cumulative.map(\.bound) == [1, 2, nil])
    }

    @Test("what a call tells each second is in the figures, what it counts is added once")
    func seconds() async {
        let bench = Bench()
        let (id, call) = await bench.call()
        call.tell(.callAnswered(sipCode: 200))
        var statistics = CallStatistics()
        statistics.mouthToEarMilliseconds = 90
        statistics.ledger.jitterBuffer = 25
        statistics.concealedByReason = ["conceal_short": 40, "conceal_long": 120]
        (statistics.packetsReceived, statistics.packetsLost, statistics.concealedLong) = (50, 3, 1)
        statistics.drops = ["stranger": 4]
        statistics.setup = SetupFigures()
        statistics.setup?.dtlsMilliseconds = 120
        statistics.echo = EchoFigures()
        statistics.echo?.echoAudible = true
        call.tell(.stats(statistics))
        statistics.packetsReceived = 100
        call.tell(.stats(statistics))
        let text = ServiceFigures.text(bench.core)
        #expect(value(text, "yodel_mouth_to_ear_seconds_count") == 2)
        #expect(value(text, "yodel_mouth_to_ear_seconds_bucket{le=\"0.1\"}") == 2)
        #expect(value(text, "yodel_mouth_to_ear_seconds_bucket{le=\"0.08\"}") == 0)
        #expect(value(text, "yodel_delay_stage_seconds_sum{stage=\"jitter_buffer\"}") == 0.05)
        #expect(value(text, "yodel_delay_stage_seconds_count{stage=\"capture\"}") == 0, "what does not tell is not counted")
        #expect(value(text, "yodel_concealed_seconds_total{length=\"long\"}") == 0.12)
        #expect(
            value(text, "yodel_packets_total{fate=\"received\"}") == 100
                && value(text, "yodel_packets_total{fate=\"lost\"}") == 3)
        #expect(value(text, "yodel_packets_dropped_total{reason=\"stranger\"}") == 4)
        #expect(value(text, "yodel_dtls_setup_seconds_count") == 1 && value(text, "yodel_ice_setup_seconds_count") == 0)
        #expect(value(text, "yodel_gaps_total{cause=\"network\"}") == 1)
        #expect(value(text, "yodel_echo_calls{state=\"audible\"}") == 1 && value(text, "yodel_echo_audible_seconds_total") == 2)
        #expect(!text.contains(id), "no call's id is a label")
        call.end(.remoteHangup)
        bench.core.calls.closeEnded()
        let after = ServiceFigures.text(bench.core)
        #expect(value(after, "yodel_echo_calls{state=\"audible\"}") == 0, "a call that is over is forgotten")
        #expect(value(after, "yodel_packets_total{fate=\"received\"}") == 100)
        #expect(value(after, "yodel_session_duration_seconds_count") == 1)
    }

    @Test(
        "a gap has the cause of what happened just before it",
        arguments: [
            (.callResumed, "hold"), (.callTransferred(to: "sip:x@example.com"), "transfer"),
            (.negotiated(NegotiationReport(offeredByUs: false)), "reinvite"), (.remoteChanged(from: "a", to: "b"), "failover"),
            (.deviceLost(device: "d", reason: "r"), "machine"), (.dtmf(digit: "1", direction: .sent), "network"),
            (.ice(pair: "host", local: "host", remote: "host", address: "a", isNominated: true), "ice_restart"),
        ] as [(EventBody, String)])
    func causes(event: EventBody, cause: String) async {
        let bench = Bench()
        let (_, call) = await bench.call()
        call.tell(.ice(pair: "host", local: "host", remote: "host", address: "a", isNominated: true))
        call.tell(.callAnswered(sipCode: 200))
        var statistics = CallStatistics()
        statistics.concealedLong = 0
        call.tell(.stats(statistics))
        call.tell(event)
        (statistics.concealedLong, statistics.playoutGaps) = (2, 1)
        call.tell(.stats(statistics))
        let text = ServiceFigures.text(bench.core)
        let machine = cause == "machine" ? 3.0 : 1
        #expect(value(text, "yodel_gaps_total{cause=\"machine\"}") == machine)
        #expect(value(text, "yodel_gaps_total{cause=\"\(cause)\"}") == (cause == "machine" ? 3 : 2))
    }

    @Test("a gap that no event explains is whose machine stood still, once the call knows")
    func standstills() async {
        let bench = Bench()
        let (_, call) = await bench.call()
        func gaps() -> [String: Double] {
            let text = ServiceFigures.text(bench.core)
            let causes = ["network", "machine", "sender", "hold"]
            return Dictionary(uniqueKeysWithValues: causes.map { ($0, value(text, "yodel_gaps_total{cause=\"\($0)\"}") ?? -1) })
        }
        call.tell(.callAnswered(sipCode: 200))
        var statistics = CallStatistics()
        statistics.concealedLong = 0
        statistics.gapsByCause = GapFigures()
        call.tell(.stats(statistics))
        statistics.concealedLong = 3
        statistics.gapsByCause?.machine = GapSum(count: 2, long: 1, milliseconds: 90)
        call.tell(.stats(statistics))
        #expect(gaps() == ["network": 0, "machine": 1, "sender": 0, "hold": 0], "two wait for the sender's word")
        statistics.gapsByCause?.sender = GapSum(count: 1, long: 1, milliseconds: 80)
        statistics.gapsByCause?.network = GapSum(count: 1, long: 1, milliseconds: 80)
        call.tell(.stats(statistics))
        #expect(gaps() == ["network": 1, "machine": 1, "sender": 1, "hold": 0])
        call.tell(.callResumed)
        statistics.concealedLong = 4
        call.tell(.stats(statistics))
        statistics.gapsByCause?.network.long = 2
        call.tell(.stats(statistics))
        #expect(gaps() == ["network": 1, "machine": 1, "sender": 1, "hold": 1], "an event's gap counts once")
    }

    @Test("media that begin anew are counted from their beginning, and their gaps are not those of the former ones")
    func mediaAnew() async {
        let bench = Bench()
        let (_, call) = await bench.call()
        call.tell(.callAnswered(sipCode: 200))
        var statistics = CallStatistics()
        (statistics.packetsSent, statistics.packetsReceived, statistics.packetsLost) = (500, 500, 4)
        (statistics.concealedLong, statistics.gapsByCause) = (0, GapFigures())
        statistics.drops = ["stranger": 3]
        call.tell(.stats(statistics))
        call.tell(.callResumed)
        statistics.concealedLong = 2
        call.tell(.stats(statistics))
        (statistics.packetsSent, statistics.packetsReceived, statistics.packetsLost) = (40, 40, 6)
        statistics.concealedLong = 1
        statistics.gapsByCause?.machine = GapSum(count: 2, long: 2, milliseconds: 180)
        call.tell(.stats(statistics))
        let text = ServiceFigures.text(bench.core)
        #expect(value(text, "yodel_packets_total{fate=\"sent\"}") == 540)
        #expect(value(text, "yodel_packets_total{fate=\"received\"}") == 540)
        #expect(value(text, "yodel_packets_total{fate=\"lost\"}") == 10)
        #expect(value(text, "yodel_packets_dropped_total{reason=\"stranger\"}") == 3, "the port is the same")
        #expect(value(text, "yodel_gaps_total{cause=\"hold\"}") == 3)
        #expect(value(text, "yodel_gaps_total{cause=\"machine\"}") == 1, "of two the event explains one")
    }

    @Test(
        "each attempt has one outcome by RFC 6076",
        arguments: [
            (.busy, 486, "declined"), (.refused, 603, "declined"), (.refused, 302, "redirected"),
            (.network, 503, "ineffective"),
            (.network, 408, "ineffective"), (.cancelled, 487, "cancelled"), (.refused, 404, "failed"),
            (.localHangup, nil, "cancelled"), (.network, nil, "failed"),
        ] as [(Media.EndReason, Int?, String)])
    func outcomes(reason: Media.EndReason, code: Int?, outcome: String) async {
        let bench = Bench()
        let (_, call) = await bench.call()
        call.end(reason, sipCode: code)
        let (_, answered) = await bench.call()
        answered.tell(.callAnswered(sipCode: 200))
        answered.end(.remoteHangup)
        let text = ServiceFigures.text(bench.core)
        let counted = text.split(separator: "\n").filter { $0.hasPrefix("yodel_session_outcomes_total") && !$0.hasSuffix(" 0") }
        #expect(
            Set(counted) == [
                "yodel_session_outcomes_total{direction=\"outgoing\",outcome=\"\(outcome)\"} 1",
                "yodel_session_outcomes_total{direction=\"outgoing\",outcome=\"answered\"} 1",
            ])
    }

    @Test("outcomes of registering are counted")
    func registrations() {
        let bench = Bench()
        for state in ["registered", "failed", "registered"] {
            bench.core.accounts.take(RegistrationReport(account: "office", state: state))
        }
        let text = ServiceFigures.text(bench.core)
        #expect(value(text, "yodel_registrations_total{state=\"registered\"}") == 2)
        #expect(value(text, "yodel_registrations_total{state=\"failed\"}") == 1)
        #expect(value(text, "yodel_account_registered{account=\"office\"}") == 1)
    }

    @Test("what came by SIP and was dropped is counted by its reason")
    func drops() {
        let bench = Bench()
        bench.core.drops.count(.unparsable)
        bench.core.drops.count(.unparsable)
        bench.core.drops.count(.brokenStream)
        let text = ServiceFigures.text(bench.core)
        #expect(value(text, "yodel_signalling_dropped_total{reason=\"unparsable\"}") == 2)
        #expect(value(text, "yodel_signalling_dropped_total{reason=\"broken_stream\"}") == 1)
        #expect(value(text, "yodel_signalling_dropped_total{reason=\"stray_response\"}") == 0)
        #expect(bench.core.drops.text == "unparsable 2, broken_stream 1")
    }

    @Test("a quote in a label is escaped, also where a mark combines with it")
    func labels() {
        let bench = Bench(accounts: ["a\"\u{301}b"])
        #expect(ServiceFigures.text(bench.core).contains("yodel_account_registered{account=\"a\\\"\u{301}b\"} 0"))
    }

    @Test("voice messages that wait are a figure of the accounts whose servers tell")
    func messages() {
        let bench = Bench(accounts: ["office", "home", "shop", "quiet"])
        bench.core.accounts.take(WaitingMessages(isWaiting: true, new: 3, old: 1), of: "office")
        bench.core.accounts.take(WaitingMessages(isWaiting: true), of: "home")
        bench.core.accounts.take(WaitingMessages(isWaiting: false, new: 0), of: "shop")
        let text = ServiceFigures.text(bench.core)
        for (account, count) in [("office", 3.0), ("home", 1), ("shop", 0)] {
            #expect(value(text, "yodel_account_messages_waiting{account=\"\(account)\"}") == count)
        }
        #expect(!text.contains("messages_waiting{account=\"quiet\"}"))
    }

    @Test("the listener of its own gives figures and health without a token, and nothing else")
    func listener() async throws {
        let bench = Bench()
        let router = FiguresListener.router(at: try .init("127.0.0.1"))
        func status(_ method: String, _ path: String, host: String = "localhost") async -> Int {
            await router.answer(APIRequest(method, path, headers: ["host": host]), by: bench.core).status
        }
        for path in ["/metrics", "/healthz"] { #expect(await status("GET", path) == 200) }
        for (method, path) in [("GET", "/v1/calls"), ("POST", "/v1/calls"), ("GET", "/"), ("POST", "/metrics")] {
            #expect(await status(method, path) == 401, "\(method) \(path)")
        }
        #expect(await status("GET", "/metrics", host: "evil.example") == 421)
    }
}
