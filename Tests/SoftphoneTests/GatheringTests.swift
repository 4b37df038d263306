import Glibc
import Settings
import Softphone
import TestPrograms
import Testing

/// A STUN server that hears everything and says nothing.
private final class SilentServer {
    private let place: LoopbackSocket
    private var port: UInt16 { place.port }

    init() throws { place = try LoopbackSocket() }

    var traversal: NATTraversal {
        get throws {
            try MediaRequest(Configuration(environment: ["YODEL_DEVICE": "null", "YODEL_STUN": "127.0.0.1:\(port)"])).traversal
        }
    }
}

@Suite("A server that is dead", .serialized) struct GatheringTests {
    private func phone(_ purpose: SIPRequest.Purpose, _ traversal: NATTraversal) throws -> (phone: SIPPhone, call: Followed) {
        var media = try CallRequest.test(["rtp://127.0.0.1:9"], role: .call).media
        media.traversal = traversal
        var request = SIPRequest(purpose, codecs: [.pcmu], media: media)
        request.answersByItself = true
        let phone = try Softphone().connect(request)
        return (phone, try Followed(of: try phone.nextCall(request)))
    }

    @Test("keeps neither side from calling and being called") func connects() throws {
        let server = try SilentServer()
        let uri = "sip:127.0.0.1:\(try freePort())"
        let (listener, callee) = try phone(.listen(uri), server.traversal)
        let (telephone, caller) = try phone(.call(uri), server.traversal)
        for side in [caller, callee] {
            try side.wait("heard") { ($0.call.statistics(of: 0).packetsReceived ?? 0) > 10 }
        }
        caller.call.hangUp(byDuration: false)
        for side in [caller, callee] { try side.wait("the end") { $0.types.contains("call_ended") } }
        for side in [caller, callee] { _ = side.close() }
        telephone.close()
        listener.close()
    }

    /// A machine that stands still for as long as servers are asked may be too late, not every time.
    @Test("keeps no call from being given up while it is asked, and the other side never hears of that") func givenUp() throws {
        let server = try SilentServer()
        for attempt in 1...8 {
            let uri = "sip:127.0.0.1:\(try freePort())"
            let (listener, callee) = try phone(.listen(uri), NATTraversal())
            let (telephone, caller) = try phone(.call(uri), server.traversal)
            caller.call.hangUp(byDuration: false)
            try caller.wait("the end") { $0.types.contains("call_ended") }
            #expect(caller.call.wasCall && caller.call.endReason(of: 0) == .localHangup)
            #expect(caller.close().map(\.reason) == ["local_hangup"])
            telephone.close()
            callee.call.hangUp(byDuration: false)
            _ = callee.close()
            listener.close()
            if !callee.types.contains("call_incoming") { return }
            #expect(attempt < 8, "the other side is called although the call was given up")
        }
    }
}
