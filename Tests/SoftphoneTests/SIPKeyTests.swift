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
}
