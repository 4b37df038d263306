import SIP
import Testing

/// A telephone that runs for months keeps nothing of calls that are over. `stateCount` sees tables, not objects that hold each other.
@Suite("Calls that are over are out of memory") struct MemoryTests {
    private func expectGone(_ bench: Bench, _ handle: CallHandle, _ body: () throws -> Void) throws {
        let isGone = try #require(bench.agent.isGone(handle))
        #expect(!isGone())
        try body()
        bench.advance(120_000)
        #expect(bench.ended.last?.0 == handle)
        #expect(bench.agent.stateCount == 0)
        #expect(isGone())
    }

    @Test("ours, hung up by us") func ours() throws {
        let bench = Bench()
        let handle = try bench.establishedOutgoing()
        try expectGone(bench, handle) {
            try bench.agent.hangUp(handle, now: bench.now)
            bench.collect()
            bench.answer(try bench.request(.bye), 200)
        }
    }

    @Test("ours, refused, never answered, cancelled, or with nobody at home", arguments: [486, 408, 487, 0])
    func unanswered(status: Int) throws {
        let bench = Bench()
        let handle = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        try expectGone(bench, handle) {
            switch status {
            case 0: bench.agent.transportFailed(try #require(bench.sent.last).destination, now: bench.now)
            case 487:
                bench.answer(invite, 180)
                try bench.agent.hangUp(handle, now: bench.now)
                bench.collect()
                bench.answer(try bench.request(.cancel), 200)
                bench.answer(invite, 487)
            case 408: break
            default: bench.answer(invite, status)
            }
            bench.collect()
        }
    }

    @Test("ours, ended while a change is under way") func changed() throws {
        let bench = Bench()
        let handle = try bench.establishedOutgoing()
        try expectGone(bench, handle) {
            try bench.agent.modify(handle, body: offer, now: bench.now)
            bench.collect()
            try bench.agent.hangUp(handle, now: bench.now)
            bench.collect()
        }
    }

    @Test("the peer's, ended by either side", arguments: [true, false]) func theirs(byPeer: Bool) throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        try expectGone(bench, handle) {
            if byPeer {
                bench.feed(call.request(.bye, number: 2))
            } else {
                try bench.agent.hangUp(handle, now: bench.now)
                bench.collect()
                bench.answer(try bench.request(.bye), 200)
            }
        }
    }
}
