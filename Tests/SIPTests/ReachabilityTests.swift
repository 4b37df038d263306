import SIP
import Testing

/// Whether calls come through the registrar: OPTIONS to ourselves.
@Suite("Reachability") struct ReachabilityTests {
    private let id = AccountID("a")

    private func bench(probe: Double?) throws -> Bench {
        let bench = Bench()
        bench.agent.add(
            Account(
                id: id, address: SIPURI(user: "101", host: "192.0.2.9"), expires: 600, followsSeenAddress: false,
                keepAlive: 0, probe: probe))
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.register), 200, [(.expires, "600")])
        bench.advance(1)
        return bench
    }

    private func news(_ bench: Bench) -> [Bool] {
        bench.events.compactMap { if case .reachability(_, let isReachable) = $0 { isReachable } else { nil } }
    }

    /// The registrar passes our request on to us, as a proxy does, and our answer back.
    private func passOn(_ bench: Bench) throws {
        let probe = try bench.request(.options)
        var passed = probe
        passed.headers.prepend(.via, "SIP/2.0/UDP 192.0.2.9:5060;branch=z9hG4bK\(bench.requests.count)")
        bench.feed(passed.bytes)
        bench.answer(probe, 200)
    }

    @Test("a probe that comes back is told once, and sent again and again") func reachable() throws {
        let bench = try bench(probe: 25)
        #expect(bench.requests(.options).count == 1)
        #expect(try bench.request(.options).uri.text == "sip:101@192.0.2.9")
        try passOn(bench)
        #expect(news(bench) == [true])
        #expect(bench.codes.last == 200)
        bench.advance(25_000)
        #expect(Set(bench.requests(.options).map(\.headers.callID)).count == 2)
        try passOn(bench)
        #expect(news(bench) == [true])
    }

    @Test("after a registration that failed it is told anew") func toldAnew() throws {
        let bench = try bench(probe: 25)
        try passOn(bench)
        let before = bench.requests(.register).count
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        #expect(bench.requests(.register).count == before + 1)
        bench.answer(try bench.request(.register), 503)
        while bench.requests(.register).count == before + 1 { bench.advance(1000) }
        bench.answer(try bench.request(.register), 200, [(.expires, "600")])
        bench.advance(1)
        try passOn(bench)
        #expect(news(bench) == [true, true])
    }

    @Test("an account without probes sends none") func none() throws {
        let bench = try bench(probe: nil)
        bench.advance(100_000)
        #expect(bench.requests(.options).isEmpty)
    }

    @Test("a registrar that answers by itself, or not at all, says nothing", arguments: [200, 404, 0])
    func unknown(status: Int) throws {
        let bench = try bench(probe: 25)
        if status != 0 { bench.answer(try bench.request(.options), status) }
        bench.advance(300_000)
        #expect(news(bench).isEmpty)
        #expect(bench.requests(.register).count == 1)
    }

    @Test("a registrar that has forgotten us: told, registered anew at once, and reachable again") func forgotten() throws {
        let bench = try bench(probe: 3)
        try passOn(bench)
        bench.advance(3000)
        bench.answer(try bench.request(.options), 404)
        #expect(news(bench) == [true, false])
        #expect(bench.requests(.register).count == 2)
        bench.answer(try bench.request(.register), 200, [(.expires, "600")])
        bench.advance(1)
        try passOn(bench)
        #expect(news(bench) == [true, false, true])
    }

    @Test("a registrar that has gone is noticed within the probe's limit, and asked until it is there again")
    func gone() throws {
        let bench = try bench(probe: 3)
        try passOn(bench)
        bench.advance(6100)
        #expect(news(bench) == [true, false])
        #expect(bench.requests(.register).count >= 2)
        bench.advance(120_000)
        let asked = bench.sent.filter {
            if case .request(let request) = $0.message { request.method == .register } else { false }
        }
        let pauses = zip(asked.dropFirst(), asked).map { $0.time.milliseconds(since: $1.time) }
        #expect((pauses.max() ?? .infinity) <= 10_000, "\(pauses)")
    }

    @Test("a stranger's OPTIONS is no probe that came back") func stranger() throws {
        let bench = try bench(probe: 25)
        var other = try bench.request(.options)
        other.headers.set(.callID, "another")
        bench.feed(other.bytes)
        #expect(news(bench).isEmpty)
    }

    @Test("without an account's wish nothing is left over when it is taken back") func takenBack() throws {
        let bench = try bench(probe: 3)
        try passOn(bench)
        try bench.agent.unregister(id, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.register), 200)
        let before = bench.requests(.options).count
        bench.advance(60_000)
        #expect(bench.requests(.options).count == before)
    }

    @Test(
        "who shares an address is not told unreachable because another one was asked; after some of these it registers quietly")
    func shared() throws {
        let bench = try bench(probe: 25)
        try passOn(bench)
        let before = bench.requests(.register).count
        for _ in 1...9 {
            let (probes, registers) = (bench.requests(.options).count, bench.requests(.register).count)
            // The next probe, which comes at once after registering.
            bench.advance(1)
            if bench.requests(.options).count == probes { bench.advance(25_000) }
            bench.answer(try bench.request(.options), 200)
            guard let register = bench.requests(.register).last, bench.requests(.register).count > registers else { continue }
            let others = "\(register.headers.text(.contact) ?? ""), <sip:101@192.0.2.77:5060>;expires=300"
            bench.answer(register, 200, [(.contact, others), (.expires, "600")])
        }
        #expect(news(bench) == [true])
        // Once to see whether there are others, then each fourth time.
        #expect((2...4).contains(bench.requests(.register).count - before), "\(bench.requests(.register).count - before)")
    }

    @Test("alone at its address, an answer that is not ours is a fault once registering anew did not help")
    func alone() throws {
        let bench = try bench(probe: 25)
        try passOn(bench)
        bench.advance(25_000)
        bench.answer(try bench.request(.options), 200)
        #expect(news(bench) == [true])
        let register = try bench.request(.register)
        #expect(bench.requests(.register).count == 2)
        bench.answer(register, 200, [(.contact, register.headers.text(.contact) ?? ""), (.expires, "600")])
        bench.advance(1)
        // Not counting what is sent again.
        #expect(Set(bench.requests(.options).map(\.headers.callID)).count == 3 && news(bench) == [true])
        bench.answer(try bench.request(.options), 200)
        #expect(news(bench) == [true, false])
    }
}
