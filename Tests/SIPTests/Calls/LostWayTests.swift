import SIP
import Testing

@Suite("A change that finds no way to the peer") struct LostWayTests {
    private func bench() -> Bench {
        let bench = Bench()
        bench.peer = SignallingSource(
            transport: .tcp, remote: SignallingAddress(host: "192.0.2.9", port: 5060),
            connection: SignallingConnectionID(number: 1))
        return bench
    }

    private func possible(_ bench: Bench) -> Int {
        bench.events.count(where: { if case .modificationPossible = $0 { true } else { false } })
    }

    private func failures(_ bench: Bench) -> Int {
        bench.events.count(where: { if case .modificationFailed = $0 { true } else { false } })
    }

    /// The re-INVITE's stream fails.
    private func lose(_ handle: CallHandle, _ bench: Bench) throws {
        try bench.agent.modify(handle, body: offer, now: bench.now)
        bench.collect()
        let destination = try #require(bench.sent.last?.destination)
        bench.agent.transportFailed(destination, now: bench.now)
        bench.collect()
    }

    @Test("it is possible again after 1 s, and twice as long each time up to 32 s; once it is agreed on, no more")
    func backOff() throws {
        let bench = bench()
        let handle = try bench.establishedOutgoing()
        var waits: [Double] = []
        for attempt in 1...7 {
            try lose(handle, bench)
            #expect(failures(bench) == attempt && bench.agent.lostWays(of: handle) == attempt)
            var waited = 0.0
            while possible(bench) < attempt, waited < 60_000 {
                bench.advance(500)
                waited += 500
            }
            waits.append(waited)
        }
        #expect(waits == [1000, 2000, 4000, 8000, 16_000, 32_000, 32_000])
        try bench.agent.modify(handle, body: offer, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.invite), 200, body: answerBody)
        #expect(bench.modified.count == 1 && bench.agent.lostWays(of: handle) == 0)
        bench.advance(120_000)
        #expect(possible(bench) == 7 && bench.ended.isEmpty)
    }

    @Test("a refusal is no lost way, and nothing is possible again for it") func refusal() throws {
        let bench = bench()
        let handle = try bench.establishedOutgoing()
        try lose(handle, bench)
        try bench.agent.modify(handle, body: offer, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.invite), 488)
        #expect(bench.agent.lostWays(of: handle) == 0)
        bench.advance(120_000)
        #expect(possible(bench) == 0)
    }

    @Test("whoever tries before that is not told of it; after the end nobody is") func sooner() throws {
        let bench = bench()
        let handle = try bench.establishedOutgoing()
        try lose(handle, bench)
        try bench.agent.modify(handle, body: offer, now: bench.now)
        bench.advance(1500)
        #expect(possible(bench) == 0)
        bench.answer(try bench.request(.invite), 200, body: answerBody)
        try lose(handle, bench)
        try bench.agent.hangUp(handle, now: bench.now)
        bench.advance(120_000)
        #expect(possible(bench) == 0 && bench.agent.lostWays(of: handle) == 0)
    }
}
