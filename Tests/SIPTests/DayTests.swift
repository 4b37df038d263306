import Realtime
import SIP
import Testing

/// A day of a telephone in virtual time.
@Suite("A day") struct DayTests {
    private let accounts = (1...4).map { AccountID("\($0)") }

    /// Answers what the accounts have asked their registrar since the last time.
    private func serve(_ bench: Bench) {
        for request in bench.requests(.register) { bench.answer(request, 200, [(.expires, "600")]) }
        for request in bench.requests(.options) { bench.answer(request, 404) }
        bench.clear()
    }

    private func callOut(_ bench: Bench, _ number: Int) throws {
        let account = accounts[number % accounts.count]
        let call = try bench.agent.invite(uri("sip:peer@192.0.2.9"), account: account, body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        switch number % 5 {
        case 0: bench.answer(invite, 486)
        case 1:
            bench.answer(invite, 180)
            try bench.agent.hangUp(call, now: bench.now)
            bench.collect()
            bench.answer(try bench.request(.cancel), 200)
            bench.answer(invite, 487)
        default:
            bench.answer(invite, 200, body: answerBody)
            try bench.agent.hangUp(call, now: bench.now)
            bench.collect()
            bench.answer(try bench.request(.bye), 200)
        }
        #expect(bench.ended.count == 1, "call \(number)")
        bench.clear()
    }

    private func callIn(_ bench: Bench, _ number: Int) throws {
        var call = PeerCall(callID: "call-\(number)", fromTag: "tag-\(number)")
        bench.feed(call.request(.invite, branch: "z9hG4bKin\(number)", body: offer))
        let handle = try #require(bench.incoming.last?.0)
        try bench.agent.ring(handle, now: bench.now)
        if number % 3 == 0 {
            try bench.agent.reject(handle, status: 486, now: bench.now)
            bench.collect()
            bench.feed(call.request(.ack, branch: "z9hG4bKin\(number)"))
        } else {
            try bench.agent.answer(handle, body: answerBody, now: bench.now)
            bench.collect()
            call.toTag = try bench.response().headers.to.tag
            bench.feed(call.request(.ack, branch: "z9hG4bKack\(number)"))
            bench.feed(call.request(.bye, number: 2, branch: "z9hG4bKbye\(number)"))
        }
        #expect(bench.ended.count == 1, "call \(number)")
        bench.clear()
    }

    @Test("four accounts, their refreshes and probes, and 2,000 calls: as much is kept at the end as at the beginning")
    func noGrowth() throws {
        let bench = Bench()
        for (index, id) in accounts.enumerated() {
            bench.agent.add(
                Account(
                    id: id, address: SIPURI(user: "\(index)", host: "192.0.2.9"), followsSeenAddress: false, probe: 25))
            try bench.agent.register(id, now: bench.now)
        }
        bench.collect()
        var kept: [Int] = []
        let start = bench.now
        for number in 0..<2000 {
            // 24 hours in all. What was begun is over by then, whatever the transport.
            for _ in 0..<4 {
                bench.advance(10_800)
                serve(bench)
            }
            kept.append(bench.agent.stateCount)
            if number % 2 == 0 { try callOut(bench, number / 2) } else { try callIn(bench, number) }
        }
        #expect(bench.now.milliseconds(since: start) >= 24 * 3_600_000)
        let (first, last) = (kept[10..<110], kept.suffix(100))
        #expect((last.max() ?? 0) <= (first.max() ?? 0), "\(first.max() ?? 0) at first, \(last.max() ?? 0) at last")
        #expect((kept.max() ?? 0) <= 16, "\(kept.max() ?? 0)")
        for id in accounts { try bench.agent.unregister(id, now: bench.now) }
        bench.collect()
        serve(bench)
        bench.advance(100_000)
        #expect(bench.agent.stateCount == 0)
    }
}
