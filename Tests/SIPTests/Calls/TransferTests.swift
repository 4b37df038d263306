import SIP
import Testing

/// RFC 3515, 3891, 3892.
@Suite("Transfers") struct TransferTests {
    private func progress(_ bench: Bench) -> [Int] {
        bench.events.compactMap { if case .transferProgress(_, let status, _) = $0 { status } else { nil } }
    }

    @Test("we ask: REFER, and the NOTIFYs tell how it goes") func asking() throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        try bench.agent.transfer(handle, to: uri("sip:carol@example.com"), now: bench.now)
        bench.collect()
        let refer = try bench.request(.refer)
        #expect(refer.headers.referTo?.uri.text == "sip:carol@example.com")
        #expect(refer.headers.referredBy?.uri.text == "sip:me@example.com")
        bench.answer(refer, 202)
        for (index, line) in ["SIP/2.0 100 Trying", "SIP/2.0 180", "SIP/2.0 200 OK"].enumerated() {
            let state = index == 2 ? "terminated;reason=noresource" : "active;expires=60"
            bench.feed(
                call.request(
                    .notify, number: UInt32(2 + index),
                    body: Body(contentType: "message/sipfrag", bytes: wire(line + "\n")),
                    [(.event, "refer"), (.subscriptionState, state)]))
        }
        #expect(progress(bench) == [100, 180, 200])
        #expect(bench.codes == [200, 200, 200])
        bench.feed(call.request(.notify, number: 9, body: nil, [(.event, "refer")]))
        #expect(bench.codes.last == 481)
        bench.feed(call.request(.notify, number: 10, body: nil, [(.event, "talk")]))
        #expect(bench.codes.last == 489)
    }

    @Test(
        "attended: Refer-To names the other dialog as the target sees it, also where only a number is known of the target",
        arguments: ["sip:peer@192.0.2.9", "tel:+49301234"])
    func attended(known: String) throws {
        let bench = Bench()
        let (first, _) = try bench.establishedIncoming()
        let second = try bench.establishedOutgoing()
        try bench.agent.transfer(first, to: uri(known), replacing: second, now: bench.now)
        bench.collect()
        let target = try #require(bench.request(.refer).headers.referTo?.uri.sip)
        #expect(target.userText == "peer" && target.host == "192.0.2.9")
        let value = try #require(target.headers.first?.value)
        #expect(target.headers.first?.name == "Replaces")
        #expect(value.contains("%3Bto%2Dtag%3Dpeer"))
    }

    @Test("what no user part may have is escaped in Refer-To") func escapedTarget() throws {
        let bench = Bench()
        let (handle, _) = try bench.establishedIncoming()
        try bench.agent.transfer(handle, to: uri("sip:*21*4930#@example.com"), now: bench.now)
        bench.collect()
        #expect(try bench.request(.refer).headers.referTo?.uri.text == "sip:*21*4930%23@example.com")
    }

    @Test("we are asked: the user decides, 202, NOTIFY up to the result") func asked() throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        bench.feed(
            call.request(
                .refer, number: 2, body: nil,
                [
                    (.referTo, "<sip:carol@example.com?Replaces=a%40b%3Bto-tag%3D1%3Bfrom-tag%3D2>"),
                    (.referredBy, "<sip:bob@example.com>"),
                ]))
        guard case .transferRequested(_, let request)? = bench.events.last else {
            Issue.record("not asked")
            return
        }
        #expect(request.target.text == "sip:carol@example.com")
        #expect(request.replaces == Replaces(callID: "a@b", toTag: "1", fromTag: "2"))
        try bench.agent.acceptTransfer(handle, now: bench.now)
        bench.collect()
        #expect(bench.codes == [202])
        #expect(try bench.request(.notify).body == wire("SIP/2.0 100 Trying\n"))
        try bench.agent.reportTransfer(handle, status: 486, now: bench.now)
        bench.collect()
        let last = try bench.request(.notify)
        #expect(last.headers.subscriptionState?.token == "terminated")
        #expect(last.body == wire("SIP/2.0 486 Busy Here\n"))
        #expect(throws: UserAgentError.self) { try bench.agent.reportTransfer(handle, status: 200, now: bench.now) }
    }

    @Test("we are asked: the peer hears the result of a target that rings for as long as it may", arguments: [180.0, 300])
    func askedAndUnanswered(limit: Double) throws {
        let bench = Bench { $0.ringingLimit = limit }
        var (handle, call) = try bench.establishedIncoming()
        bench.feed(call.request(.refer, number: 2, body: nil, [(.referTo, "<sip:carol@example.com>")]))
        try bench.agent.acceptTransfer(handle, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.notify), 200)
        for (status, wait) in [(180, 2000), (183, 1000 * limit)] {
            bench.advance(wait)
            try bench.agent.reportTransfer(handle, status: status, now: bench.now)
            bench.collect()
            bench.answer(try bench.request(.notify), 200)
        }
        bench.advance(1000 * limit)
        try bench.agent.reportTransfer(handle, status: 408, now: bench.now)
        bench.collect()
        #expect(try bench.request(.notify).body == wire("SIP/2.0 408 Request Timeout\n"))
    }

    @Test("a REFER that nobody decides gets its final response", arguments: [true, false])
    func undecided(hangsUp: Bool) throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        bench.feed(call.request(.refer, number: 2, body: nil, [(.referTo, "<sip:c@example.com>")]))
        if hangsUp { try bench.agent.hangUp(handle, now: bench.now) }
        bench.advance(30_000)
        #expect(bench.codes == [487])
    }

    @Test("REFER outside of a call, or to another method, calls nobody") func refused() throws {
        let bench = Bench()
        var (_, call) = try bench.establishedIncoming()
        bench.feed(call.request(.refer, number: 2, body: nil, [(.referTo, "<sip:c@example.com;method=BYE>")]))
        bench.feed(call.request(.refer, number: 3))
        bench.feed(call.request(.refer, number: 4, body: nil, [(.referTo, "<http://example.com>")]))
        var stranger = PeerCall(callID: "stranger")
        bench.feed(stranger.request(.refer, body: nil, [(.referTo, "<sip:c@example.com>")]))
        #expect(bench.codes == [501, 400, 416, 403])
        #expect(bench.events.isEmpty)
    }

    @Test("a transfer that we asked for and of which no result comes is told as failed, and another one may be asked for")
    func noResult() throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        for (number, body) in [(UInt32(2), "SIP/2.0 100 Trying\n"), (3, "")] {
            try bench.agent.transfer(handle, to: uri("sip:carol@example.com"), now: bench.now)
            bench.collect()
            bench.answer(try bench.request(.refer), 202)
            bench.feed(
                call.request(
                    .notify, number: number, body: Body(contentType: "message/sipfrag", bytes: wire(body)),
                    [(.event, "refer"), (.subscriptionState, "terminated;reason=noresource")]))
        }
        #expect(progress(bench) == [487, 487])
        try bench.agent.transfer(handle, to: uri("sip:carol@example.com"), now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.refer), 202)
        bench.advance(100_000)
        // Each word begins the time anew.
        bench.feed(
            call.request(
                .notify, number: 4, body: Body(contentType: "message/sipfrag", bytes: wire("SIP/2.0 180 Ringing\n")),
                [(.event, "refer"), (.subscriptionState, "active")]))
        bench.advance(179_000)
        #expect(progress(bench) == [487, 487, 180])
        bench.advance(1001)
        #expect(progress(bench) == [487, 487, 180, 408])
        #expect(bench.ended.isEmpty)
        try bench.agent.transfer(handle, to: uri("sip:carol@example.com"), now: bench.now)
    }

    /// An INVITE that takes the place of the dialog that `call` has with us.
    private func replacing(_ call: PeerCall, _ parameters: String = "", again: Bool = false) -> Request {
        let text = "\(call.callID);to-tag=\(call.toTag ?? "");from-tag=\(call.fromTag)\(parameters)"
        var other = PeerCall(callID: "other", fromTag: "o")
        let fields = [(HeaderName.replaces, text)] + (again ? [(HeaderName.replaces, text)] : [])
        return other.request(.invite, body: offer, fields + [(.require, "replaces")])
    }

    @Test("Replaces that names a call which only rings here: 481, and it rings on") func replacesRinging() throws {
        let bench = Bench()
        var call = PeerCall()
        bench.feed(call.request(.invite, body: offer))
        try bench.agent.ring(try #require(bench.incoming.first?.0), now: bench.now)
        bench.collect()
        call.toTag = try bench.response().headers.to.tag
        bench.feed(replacing(call))
        #expect(bench.codes == [100, 180, 481])
        #expect(bench.incoming.count == 1 && bench.ended.isEmpty)
    }

    @Test(
        "Replaces that names a call of ours which rings there takes it, also early-only; ours is cancelled",
        arguments: ["", ";early-only"])
    func replacesCalling(parameters: String) throws {
        let bench = Bench()
        let old = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        bench.answer(invite, 180)
        let theirs = PeerCall(callID: invite.headers.callID, fromTag: "peer", toTag: invite.headers.from.tag)
        bench.feed(replacing(theirs, parameters))
        let (new, incoming) = try #require(bench.incoming.first)
        #expect(incoming.replaces == old)
        try bench.agent.answer(new, body: answerBody, now: bench.now)
        bench.collect()
        #expect(bench.ended.map(\.0) == [old] && bench.ended.map(\.1.cause) == [.replaced])
        #expect(bench.requests(.cancel).count == 1)
        // The INVITE meets the CANCEL: it is taken, and ended.
        bench.answer(invite, 200, body: answerBody)
        #expect(bench.requests(.ack).count == 1 && bench.requests(.bye).count == 1 && bench.ended.count == 1)
    }

    @Test("Replaces for early dialogs only names one that stands: 486; twice, or unreadable: 400; one that is ending: 603")
    func replacesRefused() throws {
        let bench = Bench()
        let (handle, call) = try bench.establishedIncoming()
        bench.feed(replacing(call, ";early-only"))
        bench.feed(replacing(call, again: true))
        var other = PeerCall(callID: "unreadable")
        bench.feed(other.request(.invite, body: offer, [(.replaces, "no-tags")]))
        bench.feed(other.request(.options, body: nil, [(.replaces, "a;to-tag=b;from-tag=c")]))
        #expect(bench.codes == [486, 400, 400, 400])
        #expect(bench.incoming.isEmpty && bench.ended.isEmpty)
        try bench.agent.hangUp(handle, now: bench.now)
        bench.feed(replacing(call))
        #expect(bench.codes.last == 481)
        // One that is hung up before its ACK waits for that.
        var unacknowledged = PeerCall(callID: "unacknowledged")
        bench.feed(unacknowledged.request(.invite, body: offer))
        let waiting = try #require(bench.incoming.last?.0)
        try bench.agent.answer(waiting, body: answerBody, now: bench.now)
        try bench.agent.hangUp(waiting, now: bench.now)
        bench.collect()
        unacknowledged.toTag = try bench.response().headers.to.tag
        bench.feed(replacing(unacknowledged))
        #expect(bench.codes.last == 603)
    }

    @Test("INVITE with Replaces takes a call's place; one that names none gets 481") func replaces() throws {
        let bench = Bench()
        let (old, call) = try bench.establishedIncoming()
        var other = PeerCall(callID: "other", fromTag: "o")
        bench.feed(other.request(.invite, body: offer, [(.replaces, "nothing;to-tag=a;from-tag=b")]))
        #expect(bench.codes == [481])
        let text = "\(call.callID);to-tag=\(call.toTag ?? "");from-tag=\(call.fromTag)"
        bench.feed(other.request(.invite, number: 2, body: offer, [(.replaces, text), (.require, "replaces")]))
        let (new, incoming) = try #require(bench.incoming.first)
        #expect(incoming.replaces == old)
        try bench.agent.answer(new, body: answerBody, now: bench.now)
        bench.collect()
        #expect(bench.ended.map(\.0) == [old])
        #expect(bench.ended.first?.1.cause == .replaced)
        #expect(try bench.request(.bye).headers.callID == call.callID)
    }
}
