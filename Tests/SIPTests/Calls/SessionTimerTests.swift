import SIP
import Testing

/// RFC 4028.
@Suite("Session timers") struct SessionTimerTests {
    @Test("as refresher we send UPDATE at half the interval, again and again") func refresher() throws {
        let bench = Bench()
        _ = try bench.establishedOutgoing(
            fields: [(.allow, "INVITE, BYE, UPDATE"), (.sessionExpires, "600;refresher=uac"), (.require, "timer")])
        bench.advance(299_999)
        #expect(bench.requests(.update).isEmpty)
        bench.advance(2)
        let update = try bench.request(.update)
        #expect(update.body.isEmpty)
        #expect(update.headers.sessionExpires == SessionExpires(seconds: 600, refresher: .uac))
        bench.answer(update, 200, [(.sessionExpires, "600;refresher=uac")])
        bench.advance(300_001)
        #expect(Set(bench.requests(.update).map(\.headers.cSeq.number)).count == 2)
        #expect(bench.modified.isEmpty)
    }

    @Test("a peer without UPDATE gets a re-INVITE with the same offer") func byInvite() throws {
        let bench = Bench()
        _ = try bench.establishedOutgoing(fields: [(.allow, "INVITE, BYE"), (.sessionExpires, "600;refresher=uac")])
        bench.advance(300_001)
        #expect(try bench.request(.invite).body == offer.bytes)
    }

    /// A call that we refresh, at its first refresh.
    private func refreshing(_ bench: Bench) throws -> Request {
        _ = try bench.establishedOutgoing(
            fields: [(.allow, "INVITE, BYE, UPDATE"), (.sessionExpires, "600;refresher=uac"), (.require, "timer")])
        bench.advance(300_000)
        return try bench.request(.update)
    }

    @Test("a refresh that is refused is tried again with the agreed interval, and the call ends at the expiry only")
    func refusedRefreshes() throws {
        let bench = Bench()
        bench.answer(try refreshing(bench), 500)
        var numbers: Set<UInt32> = []
        for _ in 0..<267 {
            bench.advance(1000)
            let update = try bench.request(.update)
            guard numbers.insert(update.headers.cSeq.number).inserted, numbers.count > 1 else { continue }
            #expect(update.headers.sessionExpires == SessionExpires(seconds: 600, refresher: .uac))
            bench.answer(update, 500)
        }
        // 300, 434, 501, 534.5, 551.25 and 559.6 s after the answer.
        #expect(numbers.count == 6)
        #expect(bench.ended.isEmpty)
        bench.advance(1001)
        #expect(bench.ended.map(\.1.cause) == [.sessionExpired])
        #expect(try bench.request(.bye).headers.reasons.first?.cause == 408)
    }

    @Test(
        "a refresh by UPDATE that is refused as not served is a re-INVITE at once, and so is every later one",
        arguments: [405, 501])
    func updateNotServed(status: Int) throws {
        let bench = Bench()
        bench.answer(try refreshing(bench), status)
        // Another server's Allow may name it again.
        let agreed: [(HeaderName, String)] = [
            (.allow, "INVITE, BYE, UPDATE"), (.sessionExpires, "600;refresher=uac"), (.require, "timer"),
        ]
        for number: UInt32 in [3, 4] {
            let invite = try bench.request(.invite)
            #expect(invite.headers.cSeq.number == number && invite.body == offer.bytes)
            #expect(invite.headers.sessionExpires == SessionExpires(seconds: 600, refresher: .uac))
            bench.answer(invite, 200, agreed, body: answerBody)
            bench.advance(300_000)
        }
        #expect(bench.requests(.update).count == 1)
        #expect(bench.ended.isEmpty)
    }

    @Test("a refresh by UPDATE that is refused as not served is no re-INVITE into a change of the peer's")
    func updateNotServedInChange() throws {
        let bench = Bench()
        let update = try refreshing(bench)
        var peer = PeerCall(callID: update.headers.callID, fromTag: "peer", toTag: update.headers.from.tag)
        bench.feed(peer.request(.invite, body: offer))
        bench.answer(update, 405)
        #expect(bench.requests(.invite).isEmpty)
        #expect(bench.ended.isEmpty)
    }

    @Test("a refresh that nobody knows, or that nobody answers, ends the call", arguments: [408, 481])
    func lostRefresh(status: Int) throws {
        let bench = Bench()
        bench.answer(try refreshing(bench), status)
        #expect(bench.ended.map(\.1.status) == [status])
    }

    @Test("422 to a refresh: again with the peer's minimum, which every later one keeps; again and again, it ends no call")
    func refreshTooSmall() throws {
        let bench = Bench()
        bench.answer(try refreshing(bench), 422, [(.minSE, "900")])
        var update = try bench.request(.update)
        #expect(update.headers.sessionExpires == SessionExpires(seconds: 900, refresher: .uac))
        #expect(update.headers.minSE == 900)
        bench.answer(update, 200, [(.sessionExpires, "900;refresher=uac"), (.require, "timer")])
        bench.advance(450_000)
        for least in [1000, 1100] {
            update = try bench.request(.update)
            #expect(update.headers.minSE == UInt32(least - 100))
            bench.answer(update, 422, [(.minSE, "\(least)")])
        }
        bench.answer(try bench.request(.update), 422, [(.minSE, "1200")])
        #expect(Set(bench.requests(.update).map(\.headers.cSeq.number)).count == 5)
        #expect(bench.ended.isEmpty)
    }

    @Test("a peer that does not refresh is given up a little before the end") func expires() throws {
        let bench = Bench()
        _ = try bench.establishedOutgoing(fields: [(.sessionExpires, "600;refresher=uas")])
        bench.advance(567_000)
        #expect(bench.ended.isEmpty)
        bench.advance(1100)
        #expect(bench.ended.first?.1.cause == .sessionExpired)
        #expect(try bench.request(.bye).headers.reasons.first?.cause == 408)
    }

    @Test("without Session-Expires in the 2xx there is none") func none() throws {
        let bench = Bench()
        _ = try bench.establishedOutgoing()
        bench.advance(10_000_000)
        #expect(bench.sent.isEmpty)
        #expect(bench.ended.isEmpty)
    }

    @Test("422: once more with the peer's minimum") func tooSmall() throws {
        let bench = Bench()
        _ = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: offer, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.invite), 422, [(.minSE, "3600")])
        let again = try bench.request(.invite)
        #expect(again.headers.sessionExpires?.seconds == 3600)
        #expect(again.headers.minSE == 3600)
        #expect(again.headers.cSeq.number == 2)
        bench.answer(again, 422, [(.minSE, "7200")])
        bench.answer(try bench.request(.invite), 422, [(.minSE, "9000")])
        #expect(bench.requests(.invite).count == 3)
        #expect(bench.ended.first?.1.status == 422)
    }

    @Test("as callee: 422 below our minimum; the caller refreshes where it can, else we") func callee() throws {
        let bench = Bench()
        let fields: [(HeaderName, String)] = [(.supported, "timer"), (.sessionExpires, "60")]
        bench.feed(PeerCall().request(.invite, branch: "z9hG4bKshort", body: offer, fields))
        #expect(bench.codes == [422])
        #expect(try bench.response().headers.minSE == 90)
        #expect(bench.incoming.isEmpty)
        _ = try bench.establishedIncoming([(.supported, "timer"), (.sessionExpires, "100")])
        bench.advance(67_999)
        #expect(bench.ended.isEmpty)
        bench.advance(2)
        #expect(bench.ended.first?.1.cause == .sessionExpired)
    }

    @Test("as callee of a peer without timers we refresh for the proxy that asked") func proxyAsked() throws {
        let bench = Bench()
        _ = try bench.establishedIncoming([(.sessionExpires, "100"), (.allow, "INVITE, UPDATE")])
        bench.advance(50_001)
        #expect(try bench.request(.update).headers.sessionExpires?.seconds == 100)
    }

    @Test("a call that is hung up before its ACK ends, though its session expires meanwhile") func hungUpUnacknowledged() throws
    {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming([(.sessionExpires, "100"), (.allow, "INVITE, UPDATE")])
        bench.advance(50_001)
        let update = try bench.request(.update)
        // Their re-INVITE crosses our refresh, whose answer makes them refresh, and soon; the ACK to our 200 never comes.
        bench.feed(call.request(.invite, number: 2, body: offer))
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        bench.collect()
        bench.answer(update, 200, [(.sessionExpires, "30;refresher=uas")])
        try bench.agent.hangUp(handle, now: bench.now)
        bench.advance(31_000)
        #expect(bench.ended.isEmpty)
        #expect(bench.requests(.bye).isEmpty)
        bench.advance(2000)
        #expect(bench.ended.first?.1.cause == .local)
        #expect(bench.requests(.bye).isEmpty == false)
    }
}
