import Reporting
import Softphone
import Testing

/// The person's wish is carried out at this end, whatever the other side says to it.
@Suite("Calls by SIP that the other side does not let us hold", .serialized) struct SIPHoldTests {
    private func isHeld(_ side: Followed) -> Bool { side.events.contains { $0.body == .callHeld(byUs: true, byPeer: false) } }

    private func isRefused(_ side: Followed) -> Bool {
        side.events.contains { if case .warning(let text) = $0.body { text.contains("488") } else { false } }
    }

    @Test("are told as held when it refuses, and as resumed when we take them up") func refused() throws {
        let peer = try ScriptedPeer([200, 488])
        let caller = try Caller(peer.uri)
        try caller.call.wait("the call stands") { $0.types.contains("call_answered") }
        caller.call.call.setHeld(true)
        try caller.call.wait("it is held") { isHeld($0) }
        #expect(isRefused(caller.call))
        caller.call.call.setHeld(false)
        try caller.call.wait("it is resumed") { $0.types.contains("call_resumed") }
        #expect(caller.call.call.endReason(of: 0) == nil)
        _ = caller.close()
    }

    @Test("stay held when it refuses to resume, say so, and are resumed by the next attempt") func resumeRefused() throws {
        let peer = try ScriptedPeer([200, 200, 488, 200])
        let caller = try Caller(peer.uri)
        try caller.call.wait("the call stands") { $0.types.contains("call_answered") }
        #expect(!caller.call.call.isHeld)
        caller.call.call.setHeld(true)
        #expect(caller.call.call.isHeld, "at once")
        try caller.call.wait("it is held") { isHeld($0) }
        caller.call.call.setHeld(false)
        try caller.call.wait("the resume is refused") { isRefused($0) }
        #expect(caller.call.call.isHeld)
        caller.call.call.setHeld(false)
        try caller.call.wait("it is resumed") { $0.types.contains("call_resumed") }
        #expect(!caller.call.call.isHeld)
        _ = caller.close()
    }

    @Test("stay held when it agrees late to a resume that was taken back, and refuses the hold that followed")
    func overtaken() throws {
        let peer = try ScriptedPeer([200, 200, nil, 488])
        let caller = try Caller(peer.uri)
        try caller.call.wait("the call stands") { $0.types.contains("call_answered") }
        caller.call.call.setHeld(true)
        try caller.call.wait("it is held") { isHeld($0) }
        caller.call.call.setHeld(false)
        try caller.call.wait("the other side is asked to resume") { _ in peer.invites == 3 }
        caller.call.call.setHeld(true)
        peer.release()
        try caller.call.wait("the hold is refused") { isRefused($0) }
        #expect(!caller.call.types.contains("call_resumed"))
        #expect(caller.call.types.filter { $0 == "call_held" }.count == 1, "it is told once")
        caller.call.call.setHeld(false)
        try caller.call.wait("it is resumed") { $0.types.contains("call_resumed") }
        _ = caller.close()
    }
}
