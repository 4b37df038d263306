import Dispatch
import ICE
import Link
import Reporting
import Settings
import Signalling
import Softphone
import TestPrograms
import Testing

/// Whom we call sends somebody else to take our call's place: an INVITE with Replaces (RFC 3891).
@Suite("Calls that are taken elsewhere", .serialized) struct SIPReplacementTests {
    @Test("one that rings there is taken by whoever calls in its place, and ends there", .timeLimit(.minutes(3)))
    func ringing() async throws {
        let (desk, third) = (try Desk(), try Listener())
        let caller = try Caller(desk.uri)
        let (call, facts) = try await desk.called()
        try caller.call.wait("it rings") { $0.types.contains("call_progress") }
        try await desk.send(third, to: facts, inPlaceOf: call)
        for side in [caller.call, third.call] { try side.wait("moved") { $0.types.contains("call_transferred") } }
        try await desk.ended(call)
        for side in [caller.call, third.call] { try heard(side) }
        #expect(caller.call.types.contains("call_answered") && caller.call.call.endReason(of: 0) == nil)
        #expect(Set(caller.call.call.dialogs).count == 2, "the messages of both places are its")
        caller.call.call.hangUp(byDuration: false)
        try third.call.wait("the end") { $0.types.contains("call_ended") }
        #expect(caller.close().map(\.reason) == ["local_hangup"])
        third.close()
        await desk.close()
    }

    @Test("whoever calls in its place is answered, although the former call ends before that", .timeLimit(.minutes(3)))
    func endedBefore() async throws {
        let (desk, third, server) = (try Desk(), try Listener(), try FadingServer())
        let caller = try Caller(desk.uri, server.traversal)
        let (call, facts) = try await desk.called()
        desk.signalling.answer(call)
        try caller.call.wait("the call stands") { $0.types.contains("call_answered") }
        // The ports of the call that follows take their time.
        server.fallSilent()
        try await desk.send(third, to: facts, inPlaceOf: call)
        try caller.call.wait("asked") { $0.types.contains("transfer_requested") }
        desk.signalling.hangUp(call)
        for side in [caller.call, third.call] { try side.wait("moved") { $0.types.contains("call_transferred") } }
        for side in [caller.call, third.call] { try heard(side) }
        #expect(caller.call.call.endReason(of: 0) == nil)
        _ = caller.close()
        third.close()
        await desk.close()
    }

    @Test("who hangs up while the other side's new place is called is done with both", .timeLimit(.minutes(3)))
    func hungUpBefore() async throws {
        let (desk, other) = (try Desk(), try Desk())
        let caller = try Caller(desk.uri)
        let (call, _) = try await desk.called()
        desk.signalling.answer(call)
        try caller.call.wait("the call stands") { $0.types.contains("call_answered") }
        desk.signalling.transfer(call, to: other.uri, replacing: nil)
        let (following, _) = try await other.called()
        try caller.call.wait("it rings there") { $0.types.filter { $0 == "call_progress" }.count > 1 }
        caller.call.call.hangUp(byDuration: false)
        try caller.call.wait("the end") { $0.types.contains("call_ended") }
        try await desk.ended(call)
        try await other.ended(following)
        #expect(!caller.call.types.contains("call_transferred") && caller.call.call.endReason(of: 0) == .localHangup)
        #expect(
            !caller.call.events.contains {
                if case .warning(let text) = $0.body { text.contains("was not reached") } else { false }
            })
        _ = caller.close()
        await desk.close()
        await other.close()
    }
}

/// A STUN server that answers until it falls silent.
private final class FadingServer {
    private let place: LoopbackSocket
    private let readiness: any DispatchSourceRead

    init() throws {
        let place = try LoopbackSocket(isNonBlocking: true)
        self.place = place
        readiness = place.answerAlways(Self.answer)
    }

    deinit { fallSilent() }

    func fallSilent() { readiness.cancel() }

    var traversal: NATTraversal {
        get throws {
            try NATTraversal(Configuration(environment: ["YODEL_DEVICE": "null", "YODEL_STUN": "127.0.0.1:\(place.port)"]))
        }
    }

    private static func answer(_ bytes: ArraySlice<UInt8>, from source: UInt16) -> [UInt8]? {
        guard let request = bytes.withUnsafeBytes({ try? STUNMessage(parsing: $0) }), request.messageClass == .request else {
            return nil
        }
        var answer = STUNBuilder(.success, request.method, request.transaction)
        answer.add(.xorMappedAddress, SocketAddress(IPAddress(v4: 0x7f00_0001), port: source))
        return answer.finished()
    }
}
