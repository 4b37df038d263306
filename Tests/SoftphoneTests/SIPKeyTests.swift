import Signalling
import Testing

@Suite("Keys that are pressed in a call by SIP", .serialized) struct SIPKeyTests {
    @Test(
        "go by INFO to who takes none in the media, those of the call's beginning first; to others in the media only",
        .timeLimit(.minutes(3)), arguments: [false, true])
    func keys(takesEvents: Bool) async throws {
        let desk = try Desk(MediaCapabilities(codecs: [.pcmu], telephoneEvents: takesEvents))
        let caller = try Caller(desk.uri, digits: "4#")
        let (call, _) = try await desk.called()
        desk.signalling.answer(call)
        try caller.call.wait("the call stands") { $0.types.contains("call_answered") }
        for digit in "19" { caller.call.call.send(digit: digit) }
        let expected = takesEvents ? "" : "4#19"
        var told = ""
        while told.count < expected.count {
            told.append(try await desk.next { if case .digit(call, let digit) = $0 { digit } else { nil } })
        }
        caller.call.call.hangUp(byDuration: false)
        try await desk.next { event -> Bool? in
            if case .digit(call, let digit) = event { told.append(digit) }
            if case .ended(call, _) = event { return true }
            return nil
        }
        #expect(told == expected)
        _ = caller.close()
        await desk.close()
    }

    @Test("those of the call's beginning do not go to who takes the place of whom we called", .timeLimit(.minutes(3)))
    func replaced() async throws {
        let media = MediaCapabilities(codecs: [.pcmu], telephoneEvents: false)
        let (desk, other) = (try Desk(media), try Desk(media))
        let caller = try Caller(desk.uri, digits: "4")
        let (call, facts) = try await desk.called()
        desk.signalling.answer(call)
        try await desk.next { if case .digit(call, "4") = $0 { true } else { nil } }
        let talking = desk.signalling.invite(OutgoingCall(target: other.uri, media: LocalPorts(port: 42_000)))
        let (there, _) = try await other.called()
        other.signalling.answer(there)
        try await desk.next { if case .answered(talking, _, _) = $0 { true } else { nil } }
        let port = try #require(facts.source?.port)
        desk.signalling.transfer(talking, to: "sip:127.0.0.1:\(port)", replacing: call)
        try await other.next { if case .transferRequested(there, _) = $0 { true } else { nil } }
        other.signalling.answerTransfer(there, media: LocalPorts(port: 43_000))
        let next = try await other.next { if case .followed(there, by: let next) = $0 { next } else { nil } }
        try caller.call.wait("it stands there") { $0.types.filter { $0 == "call_answered" }.count == 2 }
        caller.call.call.send(digit: "9")
        let digit = try await other.next { if case .digit(next, let digit) = $0 { digit } else { nil } }
        #expect(digit == "9")
        _ = caller.close()
        await desk.close()
        await other.close()
    }
}
