import SIP
import Testing

@Suite("Forked calls") struct ForkTests {
    @Test("several early dialogs; the first 2xx wins, the others are acknowledged and ended") func forked() throws {
        let bench = Bench()
        _ = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        bench.answer(invite, 180, tag: "desk")
        bench.answer(invite, 183, tag: "mobile", body: answerBody)
        bench.answer(invite, 200, tag: "mobile", body: answerBody)
        bench.answer(invite, 200, tag: "desk", body: answerBody)
        bench.answer(invite, 200, tag: "third", body: answerBody)
        bench.answer(invite, 200, tag: "desk", body: answerBody)
        #expect(bench.progress.map(\.branch) == ["desk", "mobile"])
        #expect(bench.answered.map(\.1.branch) == ["mobile"])
        #expect(bench.requests(.ack).compactMap(\.headers.to.tag) == ["mobile", "desk", "third", "desk"])
        #expect(bench.requests(.bye).compactMap(\.headers.to.tag) == ["desk", "third"])
        #expect(bench.ended.isEmpty)
    }

    @Test("no more than 16 early dialogs are kept") func flood() throws {
        let bench = Bench()
        _ = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: offer, now: bench.now)
        bench.collect()
        for index in 0..<100 { bench.answer(try bench.request(.invite), 180, tag: "t\(index)") }
        #expect(bench.progress.count == 16)
    }
}
