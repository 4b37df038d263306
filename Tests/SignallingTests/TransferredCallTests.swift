import Signalling
import Testing

/// The other side has us call somebody, over real sockets.
@Suite("Calls that the other side has us make") struct TransferredCallTests {
    @Test("who hangs up at the same time ends that call as well: nobody else knows of it") func hungUp() async throws {
        let target = try Phone()
        try await withPhones(Phone(), Phone()) { caller, callee in
            let (out, call) = try await establish(caller, callee)
            callee.signalling.transfer(call, to: target.uri(), replacing: nil)
            _ = try await caller.wait("a wish") { if case .transferRequested(out, _) = $0 { true } else { nil } }
            caller.signalling.answerTransfer(out, media: LocalPorts(port: 40_002))
            caller.signalling.hangUp(out)
            let next = try await caller.wait("a call that follows") {
                if case .followed(out, by: let next) = $0 { next } else { nil }
            }
            let reason = try await caller.wait("its end") {
                if case .ended(next, let ending) = $0 { ending.reason } else { nil }
            }
            #expect(reason == .localHangup)
            #expect(try await target.ended().reason == .remoteHangup)
        }
        await target.close()
    }

    @Test("who has hung up follows nobody") func hungUpBefore() async throws {
        let target = try Phone()
        try await withPhones(Phone(), Phone()) { caller, callee in
            let (out, call) = try await establish(caller, callee)
            callee.signalling.transfer(call, to: target.uri(), replacing: nil)
            _ = try await caller.wait("a wish") { if case .transferRequested(out, _) = $0 { true } else { nil } }
            caller.signalling.hangUp(out)
            caller.signalling.answerTransfer(out, media: LocalPorts(port: 40_002))
            _ = try await callee.ended()
            #expect(target.events.isEmpty)
        }
        await target.close()
    }
}
