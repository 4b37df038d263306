import Codecs
import Glibc
import Link
import Reporting
import Settings
import Signalling
import Softphone
import TestPrograms
import Testing

/// A second call beside the first, on loopback.
@Suite("Two calls at one telephone", .serialized) struct SIPLinesTests {
    private struct Phone {
        let phone: SIPPhone
        let call: Followed

        init(_ purpose: SIPRequest.Purpose, answersByItself: Bool = false, record: String? = nil, play: String? = nil) throws {
            var media = try CallRequest.test(["rtp://127.0.0.1:9"], role: .call).media
            (media.recordPath, media.playPath) = (record, play)
            var request = SIPRequest(purpose, codecs: [.pcmu], media: media)
            request.answersByItself = answersByItself
            phone = try Softphone().connect(request)
            call = try Followed(of: try phone.nextCall(request))
        }

        func close() -> [CallReport] {
            defer { phone.close() }
            return call.close()
        }
    }

    private func wait(_ side: Followed, _ what: Comment, _ party: Int, _ pick: (EventBody) -> Bool) throws {
        try side.wait(what) { $0.events.contains { $0.party == party && pick($0.body) } }
    }

    private func heard(_ side: Followed, _ party: Int = 0) throws {
        let before = side.call.statistics(of: party).packetsReceived ?? 0
        try side.wait("party \(party) is heard") { ($0.call.statistics(of: party).packetsReceived ?? 0) > before + 20 }
    }

    @Test("who rings hears 603 where the person declines, and 480 where the program ends", arguments: [true, false])
    func unanswered(isDeclined: Bool) throws {
        let uri = "sip:127.0.0.1:\(try freePort())"
        let we = try Phone(.listen(uri))
        let caller = try Phone(.call(uri))
        try wait(we.call, "somebody calls", 0) { $0.type == "call_incoming" }
        if isDeclined { we.call.call.hangUp(byDuration: false) } else { we.call.call.leave() }
        try caller.call.wait("it is over") { $0.types.contains("call_ended") }
        let codes = caller.call.events.compactMap { if case .callEnded(_, _, let code, _) = $0.body { code } else { nil } }
        #expect(codes == [isDeclined ? 603 : 480])
        #expect(caller.call.call.endReason(of: 0) == (isDeclined ? .refused : .noAnswer))
        try we.call.wait("here too") { $0.types.contains("call_ended") }
        #expect(we.call.call.endReason(of: 0) == .localHangup)
        for side in [we, caller] { _ = side.close() }
    }

    @Test("who calls beside a call waits; both are taken in turn and joined; a third hears busy") func incoming() throws {
        let uri = "sip:127.0.0.1:\(try freePort())"
        let we = try Phone(.listen(uri))
        let first = try Phone(.call(uri))
        try wait(we.call, "the first calls", 0) { $0.type == "call_incoming" }
        we.call.call.answer()
        try heard(we.call)
        let second = try Phone(.call(uri))
        try wait(we.call, "the second calls", 1) { $0.type == "call_incoming" }
        #expect(throws: SoftphoneError.self) { try we.call.call.join() }
        we.call.call.answer()
        try wait(we.call, "the first is held", 0) { $0 == .callHeld(byUs: true, byPeer: false) }
        try wait(first.call, "and told", 0) { $0 == .callHeld(byUs: false, byPeer: true) }
        try heard(we.call, 1)

        let third = try Phone(.call(uri))
        try third.call.wait("busy") { $0.types.contains("call_ended") }
        #expect(third.call.call.endReason(of: 0) == .busy)
        _ = third.close()

        try we.call.call.switchCalls()
        try wait(we.call, "the first is taken up", 0) { $0 == .callResumed }
        try wait(we.call, "the second is held", 1) { $0 == .callHeld(byUs: true, byPeer: false) }
        try heard(we.call, 0)
        try we.call.call.join()
        try wait(we.call, "the second is taken up", 1) { $0 == .callResumed }
        #expect(we.call.events.contains { $0.body == .callsJoined(parties: 2) })
        for party in 0...1 { try heard(we.call, party) }
        for other in [first, second] { try heard(other.call) }

        #expect(we.call.call.hangUpActive())
        try first.call.wait("hung up on") { $0.types.contains("call_ended") }
        try heard(we.call, 1)
        #expect(!we.call.call.hangUpActive())
        we.call.call.hangUp(byDuration: false)
        try second.call.wait("hung up on") { $0.types.contains("call_ended") }
        #expect(we.close().count == 2)
        for other in [first, second] { #expect(other.close().count == 1) }
    }

    @Test("whom we call is held by his answer where the first call was taken up again before", .timeLimit(.minutes(3)))
    func takenUpAgain() async throws {
        let (we, other, desk, call) = try await callBeside()
        try wait(we.call, "the first is held", 0) { $0 == .callHeld(byUs: true, byPeer: false) }
        try wait(we.call, "the second rings", 1) { $0.type == "call_progress" }
        try we.call.call.switchCalls()
        try wait(we.call, "the first is taken up", 0) { $0 == .callResumed }
        desk.signalling.answer(call)
        try wait(we.call, "the second is held", 1) { $0 == .callHeld(byUs: true, byPeer: false) }
        try heard(we.call, 0)
        for phone in [we, other] { _ = phone.close() }
        await desk.close()
    }

    @Test("whom we call is talked to where the first call was taken up again and is over", .timeLimit(.minutes(3)))
    func leftOver() async throws {
        let (we, other, desk, call) = try await callBeside()
        try wait(we.call, "the first is held", 0) { $0 == .callHeld(byUs: true, byPeer: false) }
        try wait(we.call, "the second rings", 1) { $0.type == "call_progress" }
        try we.call.call.switchCalls()
        try wait(we.call, "the first is taken up", 0) { $0 == .callResumed }
        other.call.call.hangUp(byDuration: false)
        try we.call.wait("the first is over") { $0.call.endReason(of: 0) != nil }
        desk.signalling.answer(call)
        try wait(we.call, "the second answers", 1) { $0.type == "call_answered" }
        #expect(!we.call.call.isHeld)
        #expect(!we.call.events.contains { $0.party == 1 && $0.body.type == "call_held" })
        for phone in [we, other] { _ = phone.close() }
        await desk.close()
    }

    @Test("whether it is held is said of the call that is talked to") func heldCall() throws {
        let uris = ["sip:127.0.0.1:\(try freePort())", "sip:127.0.0.1:\(try freePort())"]
        let others = try uris.map { try Phone(.listen($0), answersByItself: true) }
        let we = try Phone(.call(uris[0]))
        try heard(we.call)
        we.call.call.setHeld(true)
        #expect(we.call.call.isHeld)
        try we.call.call.dial(uris[1])
        #expect(!we.call.call.isHeld, "the second is talked to")
        try heard(we.call, 1)
        try we.call.call.switchCalls()
        try wait(we.call, "the second is held", 1) { $0 == .callHeld(byUs: true, byPeer: false) }
        try wait(we.call, "the first is taken up", 0) { $0 == .callResumed }
        #expect(!we.call.call.isHeld)
        #expect(we.call.call.hangUpActive())
        #expect(we.call.call.isHeld, "who is left over stays held")
        we.call.call.setHeld(false)
        try wait(we.call, "the second is taken up", 1) { $0 == .callResumed }
        #expect(!we.call.call.isHeld)
        for phone in [we] + others { _ = phone.close() }
    }

    @Test("of two who ring whoever is answered later is talked to, and the other one is held") func bothRing() throws {
        let uri = "sip:127.0.0.1:\(try freePort())"
        let we = try Phone(.listen(uri))
        let first = try Phone(.call(uri))
        try wait(we.call, "the first calls", 0) { $0.type == "call_incoming" }
        let second = try Phone(.call(uri))
        try wait(we.call, "the second calls", 1) { $0.type == "call_incoming" }
        we.call.call.answer()
        try heard(we.call, 0)
        we.call.call.answer()
        try wait(we.call, "the first is held", 0) { $0 == .callHeld(byUs: true, byPeer: false) }
        try heard(we.call, 1)
        try heard(second.call)
        #expect(!second.call.types.contains("call_held"))
        #expect(!we.call.events.contains { $0.party == 1 && $0.body.type == "call_held" })
        for phone in [we, first, second] { _ = phone.close() }
    }

    @Test("who calls beside a call is refused by hanging up once, and the call goes on until the second time")
    func refused() throws {
        let uri = "sip:127.0.0.1:\(try freePort())"
        let we = try Phone(.listen(uri))
        let first = try Phone(.call(uri))
        try wait(we.call, "the first calls", 0) { $0.type == "call_incoming" }
        we.call.call.answer()
        try heard(we.call)
        let second = try Phone(.call(uri))
        try wait(we.call, "the second calls", 1) { $0.type == "call_incoming" }
        #expect(we.call.call.hangUpActive())
        try second.call.wait("refused") { $0.types.contains("call_ended") }
        try we.call.wait("the second is over") { $0.call.endReason(of: 1) != nil }
        try heard(we.call)
        #expect(we.call.call.endReason(of: 0) == nil && !we.call.call.hangUpActive())
        #expect(we.close().count == 2)
        for phone in [first, second] { _ = phone.close() }
    }

    @Test("the ports of a call that is over are free while another one goes on", .timeLimit(.minutes(3)))
    func portsGivenBack() async throws {
        let (we, other, desk, call) = try await callBeside()
        let port: UInt16 = try await desk.next {
            if case .negotiated(call, let media) = $0 { media.agreement?.remote?.port } else { nil }
        }
        #expect(!isFree(port))
        #expect(we.call.call.hangUpActive())
        try we.call.wait("its port is free") { _ in isFree(port) }
        #expect(we.call.call.endReason(of: 1) == .localHangup && we.call.call.endReason(of: 0) == nil)
        try we.call.call.switchCalls()
        try heard(we.call)
        #expect(we.close().map(\.reason) == ["local_hangup", "local_hangup"])
        _ = other.close()
        await desk.close()
    }

    @Test("a call that is to hear a file which is gone is not answered, and the file is named") func unreadable() throws {
        let uri = "sip:127.0.0.1:\(try freePort())"
        let we = try Phone(.listen(uri), answersByItself: true, play: "no/such/file.wav")
        let caller = try Phone(.call(uri))
        for side in [we.call, caller.call] { try side.wait("it is over") { $0.types.contains("call_ended") } }
        #expect(!caller.call.types.contains("call_answered"))
        guard case .audioFile(let error) = we.call.call.failure else {
            Issue.record("\(String(describing: we.call.call.failure))")
            return
        }
        #expect(error.path == "no/such/file.wav")
        _ = caller.close()
        _ = we.close()
    }

    @Test("a recording goes on with a second call, in a file of its own, and the first one is kept") func recorded() throws {
        let folder = String(decoding: try folder(), as: UTF8.self)
        defer { for name in ["call.wav", "call-2.wav", ""] { remove("\(folder)/\(name)") } }
        let uris = ["sip:127.0.0.1:\(try freePort())", "sip:127.0.0.1:\(try freePort())"]
        let others = try uris.map { try Phone(.listen($0), answersByItself: true) }
        let we = try Phone(.call(uris[0]), record: "\(folder)/call.wav")
        try heard(we.call)
        try we.call.call.dial(uris[1])
        try heard(we.call, 1)
        let first = size("\(folder)/call.wav")
        try heard(we.call, 1)
        let reports = we.close()
        #expect(first > 8_000 && size("\(folder)/call.wav") == first, "what was recorded first is whole and stays")
        #expect(size("\(folder)/call-2.wav") > 48_000, "half a second of two channels at 48 kHz and more")
        #expect(reports.count == 2 && reports[0].legs.count == 2, "the media of the first began anew")
        for other in others { _ = other.close() }
    }

    @Test("a caller who is taken on may be answered at once, before he is heard of in the call", arguments: 1...5)
    func answeredAtOnce(time: Int) throws {
        var media = try CallRequest.test(["rtp://127.0.0.1:9"], role: .call).media
        media.bind = IPAddress(v4: 0x7f00_0001)
        media.allow = [try CIDR("127.0.0.0/8")]
        var wish = PhoneRequest(accounts: [], codecs: [.pcmu], media: media)
        wish.port = try freePort()
        let we = try Softphone().open(wish)
        defer { we.close() }
        let caller = try Phone(.call("sip:127.0.0.1:\(wish.port)"))
        let call = try we.accept(try nextCaller(of: we), SIPRequest(.listen(nil), codecs: [.pcmu], media: media))
        call.answer()
        try caller.call.wait("it is answered") { $0.types.contains("call_answered") }
        _ = caller.close()
        _ = call.close()
    }

    @Test("a telephone that is ending refuses a call that rings by 503, so that another server is asked")
    func ending() throws {
        var media = try CallRequest.test(["rtp://127.0.0.1:9"], role: .call).media
        media.bind = IPAddress(v4: 0x7f00_0001)
        media.allow = [try CIDR("127.0.0.0/8")]
        var wish = PhoneRequest(accounts: [], codecs: [.pcmu], media: media)
        wish.port = try freePort()
        let we = try Softphone().open(wish)
        defer { we.close() }
        let caller = try Phone(.call("sip:127.0.0.1:\(wish.port)"))
        let call = try we.accept(try nextCaller(of: we), SIPRequest(.listen(nil), codecs: [.pcmu], media: media))
        try caller.call.wait("it rings") { $0.types.contains("call_progress") }
        we.drain(retryAfterSeconds: 7)
        call.hangUp(byDuration: false)
        try caller.call.wait("it is over") { $0.types.contains("call_ended") }
        let codes = caller.call.events.compactMap { if case .callEnded(_, _, let code, _) = $0.body { code } else { nil } }
        #expect(codes == [503])
        _ = caller.close()
        _ = call.close()
    }

    private func nextCaller(of phone: SIPPhone) throws -> WaitingCaller {
        let end = ContinuousClock.now + .seconds(patienceSeconds)
        while true {
            for case .caller(let caller) in phone.takeNews() { return caller }
            try #require(ContinuousClock.now < end, "nobody calls")
            var entry = pollfd(fd: phone.newsDescriptor, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, 100)
        }
    }

    private func folder() throws -> [UInt8] {
        var name = Array("/tmp/yodel-lines-XXXXXX".utf8CString)
        try #require(mkdtemp(&name) != nil)
        return name.dropLast().map { UInt8(bitPattern: $0) }
    }

    /// A call that stands with somebody, and beside it one that has come to a desk.
    private func callBeside() async throws -> (we: Phone, other: Phone, desk: Desk, call: SignalledCallID) {
        let uri = "sip:127.0.0.1:\(try freePort())"
        let (desk, other) = (try Desk(), try Phone(.listen(uri), answersByItself: true))
        let we = try Phone(.call(uri))
        try heard(we.call)
        try we.call.call.dial(desk.uri)
        let (call, _) = try await desk.called()
        return (we, other, desk, call)
    }

    private func isFree(_ port: UInt16) -> Bool { (try? LoopbackSocket(at: port)) != nil }

    private func size(_ path: String) -> Int {
        var facts = stat()
        return stat(path, &facts) == 0 ? Int(facts.st_size) : 0
    }

    @Test("two calls that one side does not let us connect go on, and end as any other", .timeLimit(.minutes(3)))
    func notConnected() async throws {
        let (we, other, desk, call) = try await callBeside()
        desk.signalling.answer(call)
        try wait(we.call, "the second one stands", 1) { $0.type == "call_answered" }
        try we.call.call.transfer(to: "")
        try await desk.next { if case .transferRequested(call, _) = $0 { true } else { nil } }
        desk.signalling.answerTransfer(call, media: nil)
        try wait(we.call, "refused", 1) { if case .transferProgress(_, let code, _) = $0 { code >= 300 } else { false } }
        other.call.call.hangUp(byDuration: false)
        try we.call.wait("the first one is over") { $0.call.endReason(of: 0) != nil }
        #expect(we.call.call.endReason(of: 0) == .remoteHangup)
        for phone in [we, other] { _ = phone.close() }
        await desk.close()
    }

    @Test("a second call is made beside the first, and connected with it: both sides talk, and we are out")
    func connected() throws {
        let uris = ["sip:127.0.0.1:\(try freePort())", "sip:127.0.0.1:\(try freePort())"]
        let others = try uris.map { try Phone(.listen($0), answersByItself: true) }
        let we = try Phone(.call(uris[0]))
        try heard(we.call)
        #expect(throws: SoftphoneError.self) { try we.call.call.transfer(to: "") }
        try we.call.call.dial(uris[1])
        try wait(we.call, "the first is held", 0) { $0 == .callHeld(byUs: true, byPeer: false) }
        try heard(we.call, 1)
        #expect(throws: SoftphoneError.self) { try we.call.call.dial(uris[1]) }
        try we.call.call.transfer(to: "")
        try we.call.wait("both are over") { side in (0...1).allSatisfy { side.call.endReason(of: $0) != nil } }
        #expect((0...1).map { we.call.call.endReason(of: $0) } == [.transferred, .transferred])
        for other in others {
            try other.call.wait("it goes on with the other one") { $0.types.contains("call_transferred") }
            try heard(other.call)
            #expect(!other.call.types.contains("call_ended"))
        }
        _ = we.close()
        for other in others { _ = other.close() }
    }
}
