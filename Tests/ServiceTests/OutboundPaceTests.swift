import Realtime
import Testing

import Service

@Suite("How fast calls go out") struct OutboundPaceTests {
    private func admits(_ pace: OutboundPace, _ seconds: Double) -> Int? {
        do throws(Problem) {
            try pace.admit(now: HostTime(milliseconds: 1000 * seconds))
            return nil
        } catch {
            #expect(error.status == 429 && error.detail.contains("softphone.calls_per_minute"))
            return error.retryAfterSeconds
        }
    }

    @Test("so many a minute go out, the next one when the first is a minute old; a limit may change")
    func window() {
        let counters = CallCounters()
        let most = Lock(2)
        let pace = OutboundPace(counters) { most.withLock { $0 } }
        #expect(admits(pace, 100) == nil && admits(pace, 110) == nil)
        #expect(admits(pace, 120) == 40 && admits(pace, 159.5) == 1)
        #expect(admits(pace, 160) == nil && admits(pace, 161) == 9)
        most.withLock { $0 = 1 }
        #expect(admits(pace, 170) == 50, "the newer of the two that count")
        most.withLock { $0 = 0 }
        for _ in 0..<1000 { #expect(admits(pace, 171) == nil) }
        #expect(counters.refused(.pace) == 4)
    }

    @Test("a call that could not be made does not count")
    func unmade() async {
        let bench = Bench(callsPerMinute: 1)
        for _ in 0..<3 { #expect(await bench.ask("POST", "/v1/calls", #"{"to": "tel:+49"}"#).status == 400) }
        #expect(await bench.ask("POST", "/v1/calls", #"{"to": "sip:103@example.com"}"#).status == 201)
    }

    @Test("a request that comes too soon is told when to come again, and forwarded calls count like all others")
    func route() async {
        var rules = AccountRules()
        (rules.rings, rules.unanswered, rules.forwardTo) = (0, .forward, "sip:mobile@example.com")
        // Where all of it takes a minute, the first call counts no more: then it is made anew.
        for _ in 0..<10 {
            let began = HostTime.monotonicNow()
            let bench = Bench(rules: rules, callsPerMinute: 2)
            _ = await bench.call()
            bench.core.callCame(1, account: "office", from: "sip:101@example.com", at: bench.telephone)
            for _ in 0..<6000 where bench.telephone.calls.count < 3 { try? await Task.sleep(for: .milliseconds(10)) }
            #expect(bench.telephone.calls.count == 3, "ours, the caller's, and the one it is forwarded to")
            let refused = await bench.ask("POST", "/v1/calls", #"{"to": "sip:103@example.com"}"#)
            guard HostTime.monotonicNow().milliseconds(since: began) < 60_000 else { continue }
            #expect(refused.status == 429 && refused.response.headers.contains { $0.name == "Retry-After" })
            #expect(bench.telephone.calls.count == 3)
            return
        }
        Issue.record("no attempt took less than a minute")
    }
}
