import Codecs
import Reporting
import Settings
import Signalling
import Softphone
import Testing

/// Several of us on loopback, without an account: whoever calls from this machine may transfer.
@Suite("Transfers by SIP", .serialized) struct SIPTransferTests {
    @Test("whoever is asked to calls the other one; whoever asked is done, for that reason") func blind() throws {
        let (first, second) = (try Listener(), try Listener())
        let caller = try Caller(first.uri)
        try first.call.wait("the call stands") { $0.types.contains("media_started") }
        try heard(caller.call)
        try first.call.call.transfer(to: second.uri)
        try caller.call.wait("told where it goes") {
            $0.events.contains { $0.body == .callTransferred(to: second.uri) }
        }
        try second.call.wait("called") { $0.types.contains("media_started") }
        try heard(caller.call)
        try heard(second.call)
        try first.call.wait("done") { $0.types.contains("call_ended") }
        #expect(first.call.call.endReason(of: 0) == .transferred)
        let codes = first.call.events.compactMap { if case .transferProgress(_, let code, _) = $0.body { code } else { nil } }
        #expect(codes.last == 200, "\(codes)")
        #expect(caller.call.call.endReason(of: 0) == nil && !caller.call.types.contains("call_ended"))
        #expect(Set(caller.call.call.dialogs).count == 2, "the messages of both places are its")
        caller.call.call.hangUp(byDuration: false)
        try second.call.wait("the end") { $0.types.contains("call_ended") }
        let reports = caller.close()
        #expect(reports.count == 1 && reports[0].reason == "local_hangup" && reports[0].party == second.uri)
        #expect(reports[0].legs.map(\.party) == [first.uri, second.uri], "each leg is in the report")
        #expect(reports[0].legs.allSatisfy { ($0.statistics.packetsReceived ?? 0) > 0 && ($0.durationSeconds ?? 0) > 0 })
        #expect(reports[0].clippedAtAnswerMilliseconds != nil)
        first.close()
        second.close()
    }

    @Test(
        "whoever holds goes on holding at the new place; whoever was held there is not held any more", arguments: [true, false])
    func held(byUs: Bool) throws {
        let (first, second) = (try Listener(), try Listener())
        let caller = try Caller(first.uri)
        try first.call.wait("the call stands") { $0.types.contains("media_started") }
        try heard(caller.call)
        (byUs ? caller.call : first.call).call.setHeld(true)
        try caller.call.wait("held") { $0.types.contains("call_held") }
        try first.call.call.transfer(to: second.uri)
        try caller.call.wait("told where it goes") { $0.types.contains("call_transferred") }
        if byUs {
            try second.call.wait("held there") { $0.types.contains("call_held") }
            #expect(!caller.call.types.contains("call_resumed"))
            caller.call.call.setHeld(false)
            try second.call.wait("resumed there") { $0.types.contains("call_resumed") }
        }
        try caller.call.wait("resumed") { $0.types.contains("call_resumed") }
        try heard(second.call)
        try heard(caller.call)
        _ = caller.close()
        first.close()
        second.close()
    }

    @Test("a transfer that comes to nothing leaves the call as it was, and says so on both sides") func fails() throws {
        let first = try Listener()
        let caller = try Caller(first.uri)
        try first.call.wait("the call stands") { $0.types.contains("media_started") }
        try first.call.call.transfer(to: "sip:nobody@127.0.0.1:1;transport=tcp")
        try first.call.wait("it failed") {
            $0.events.contains { if case .transferProgress(_, let code, _) = $0.body { code >= 300 } else { false } }
        }
        try caller.call.wait("told") {
            $0.events.contains { if case .warning(let text) = $0.body { text.contains("goes on as it was") } else { false } }
        }
        try heard(caller.call)
        try heard(first.call)
        #expect(!first.call.types.contains("call_ended"))
        _ = caller.close()
        first.close()
    }

    @Test("a call that moves on as soon as it has moved leaves neither place behind", .timeLimit(.minutes(3)))
    func twice() async throws {
        let desks = [try Desk(), try Desk(), try Desk()]
        let caller = try Caller(desks[0].uri)
        var places: [SignalledCallID] = []
        for (index, desk) in desks.enumerated() {
            let (call, _) = try await desk.called()
            places.append(call)
            desk.signalling.answer(call)
            try await desk.next { if case .answered(call, _, _) = $0 { true } else { nil } }
            try caller.call.wait("it is there") { $0.types.filter { $0 == "call_answered" }.count == index + 1 }
            if index < 2 { desk.signalling.transfer(call, to: desks[index + 1].uri, replacing: nil) }
        }
        for (desk, call) in zip(desks.dropLast(), places) { try await desk.ended(call) }
        #expect(caller.call.call.endReason(of: 0) == nil)
        _ = caller.close()
        for desk in desks { await desk.close() }
    }

    @Test("a call lasts from its first answer on, also where it has moved, and whoever moved it went before")
    func duration() async throws {
        let desks = [try Desk(), try Desk()]
        let caller = try Caller(desks[0].uri)
        let (first, _) = try await desks[0].called()
        desks[0].signalling.answer(first)
        try caller.call.wait("half a second is sent") { ($0.call.statistics(of: 0).packetsSent ?? 0) >= 25 }
        desks[0].signalling.transfer(first, to: desks[1].uri, replacing: nil)
        let (second, _) = try await desks[1].called()
        desks[0].signalling.hangUp(first)
        try caller.call.wait("it has moved") { $0.types.contains("call_transferred") }
        desks[1].signalling.answer(second)
        try caller.call.wait("it is answered there") { $0.types.filter { $0 == "call_answered" }.count == 2 }
        caller.call.call.hangUp(byDuration: false)
        try caller.call.wait("it is over") { $0.types.contains("call_ended") }
        let seconds = caller.call.events.compactMap { event in
            if case .callEnded(_, let seconds, _, _) = event.body { seconds } else { nil }
        }
        #expect(seconds.count == 1 && seconds[0] > 0.3, "\(seconds)")
        _ = caller.close()
        for desk in desks { await desk.close() }
    }

    @Test("a text goes to the other side of a call, either way, and who sent it hears so") func text() throws {
        let first = try Listener()
        let caller = try Caller(first.uri)
        #expect(throws: SoftphoneError.self) { try first.call.call.send(text: "nobody is there yet") }
        try first.call.wait("the call stands") { $0.types.contains("media_started") }
        try caller.call.wait("the call stands") { $0.types.contains("media_started") }
        let words = "grüße, \u{1F600} and a space"
        for (one, other) in [(caller.call, first.call), (first.call, caller.call)] {
            try one.call.send(text: words)
            try other.wait("it comes") {
                $0.events.contains { if case .message(_, _, _, words) = $0.body { true } else { false } }
            }
            try one.wait("it was taken") {
                $0.events.contains { if case .textSent(_, words) = $0.body { true } else { false } }
            }
        }
        #expect(throws: SoftphoneError.self) { try caller.call.call.send(text: "") }
        #expect(throws: SoftphoneError.self) { try caller.call.call.send(text: String(repeating: "x", count: 2000)) }
        _ = caller.close()
        first.close()
    }

    @Test("what cannot be transferred is refused with what to do") func refused() throws {
        let first = try Listener()
        #expect(throws: SoftphoneError.self) { try first.call.call.transfer(to: first.uri) }
        let caller = try Caller(first.uri)
        try first.call.wait("the call stands") { $0.types.contains("media_started") }
        for target in ["http://example.com", "sip:", "sip: x"] {
            #expect(throws: SoftphoneError.self, "\(target)") { try first.call.call.transfer(to: target) }
        }
        _ = caller.close()
        first.close()
        let raw = try Followed(try CallRequest.test(["rtp://127.0.0.1:9"], role: .call))
        #expect(throws: SoftphoneError.self) { try raw.call.transfer(to: "sip:127.0.0.1") }
        _ = raw.close()
    }

    @Test(
        "a number or a name is somebody at the account's domain",
        arguments: [
            ("102", "sip:100@example.com", "sip:102@example.com"),
            ("102", "sips:100@example.com:5071", "sips:102@example.com:5071"),
            ("a@b.example", "sip:100@example.com", "sip:a@b.example"), ("sip:x@y", "sip:100@example.com", "sip:x@y"),
            ("tel:+4930", "sip:100@example.com", "tel:+4930"), ("127.0.0.1:5080", "", "sip:127.0.0.1:5080"),
        ])
    func completed(text: String, account: String, whole: String) {
        #expect(CallTarget.completed(text, account: account.isEmpty ? nil : account) == whole)
    }
}
