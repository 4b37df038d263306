import Foundation
import Glibc
import Link
import Reporting
import Settings
import Softphone
import Testing

@Suite("What the system refuses to send to whom we call by yodel://") struct SendRefusalTests {
    private let first = SocketAddress(IPAddress(v4: 0xc000_0201), port: 9633)
    private let second = SocketAddress(IPAddress(v6: 1), port: 9633)

    private func counters(sent: Int = 0, refused: Int = 0, by code: Int32? = nil) -> LinkStatistics {
        var statistics = LinkStatistics()
        (statistics.sent, statistics.sendFailures, statistics.lastSendError) = (sent, refused, code)
        return statistics
    }

    @Test("is told once for each time, and is the reason as long as nothing has left") func told() {
        var refusals = SendRefusals()
        #expect(refusals.take(counters(), to: first) == nil && refusals.reason == nil)
        #expect(refusals.take(counters(refused: 1, by: ENETUNREACH), to: first) == ENETUNREACH)
        #expect(refusals.take(counters(refused: 1, by: ENETUNREACH), to: first) == nil)
        #expect(refusals.reason == ENETUNREACH)
        #expect(SendRefusals.text(ENETUNREACH) == "the network does not lead there (Network is unreachable)")
        #expect(refusals.take(counters(sent: 1, refused: 2, by: ENETUNREACH), to: first) == nil, "one of the two has left")
        #expect(refusals.reason == nil)
        #expect(refusals.take(counters(sent: 1, refused: 3, by: EPERM), to: first) == EPERM)
        #expect(refusals.reason == nil, "what has left may have been heard")
    }

    @Test(
        "may pass, but for addresses that do not go together",
        arguments: [
            (ENOBUFS, false, false), (EAGAIN, false, false), (ENETUNREACH, true, false), (EPERM, true, false),
            (EADDRNOTAVAIL, true, false), (EAFNOSUPPORT, true, true), (EINVAL, true, true),
        ])
    func passing(code: Int32, isOfAddress: Bool, isForGood: Bool) {
        var refusals = SendRefusals()
        #expect(refusals.take(counters(refused: 1, by: code), to: first) == code)
        #expect(SendRefusals.isOfAddress(code) == isOfAddress)
        #expect(refusals.bars([first]) == isForGood)
        #expect(!refusals.bars([first, second]), "the other one was not tried")
        #expect(refusals.take(counters(refused: 2, by: code), to: second) == code)
        #expect(refusals.bars([first, second]) == isForGood)
    }

    /// A call to `host` from `bind`.
    private func call(_ host: String, from bind: IPAddress, _ body: (Followed) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "yodel-peer-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var media = try CallRequest.test(["rtp://127.0.0.1:9"], role: .call).media
        media.bind = bind
        let uri = try PeerURI(parsing: "yodel://\(host):9", role: .call)
        let request = PeerRequest(.call(uri), codecs: [.pcmu], media: media, folder: PeerFolder(path: folder))
        let caller = try Followed(of: try Softphone().connect(request.folder).nextCall(request))
        try body(caller)
        _ = caller.close()
    }

    @Test("since it never can ends the call at once, by the network") func never() throws {
        try call("[::1]", from: IPAddress(v4: 0x7f00_0001)) { caller in
            let start = ContinuousClock.now
            try caller.wait("it is over") { $0.types.contains("call_ended") }
            #expect(ContinuousClock.now - start < .seconds(15))
            #expect(caller.call.endReason(of: 0) == .network)
            let texts = caller.events.compactMap { if case .callEnded(_, _, _, let text) = $0.body { text } else { nil } }
            #expect(texts == [SendRefusals.text(EAFNOSUPPORT)])
        }
    }

    @Test("without a route is told once, and ends nothing: the route may come back", .enabled(if: hasIPv6))
    func withoutRoute() throws {
        try call("192.0.2.7", from: IPAddress(v6: 1)) { caller in
            let isTold = { (event: PartyEvent) -> Bool in
                if case .warning(let text) = event.body { text.hasPrefix("the network does not lead there (") } else { false }
            }
            try caller.wait("it is told") { $0.events.contains(where: isTold) }
            #expect(caller.call.endReason(of: 0) == nil)
            caller.call.hangUp(byDuration: false)
            try caller.wait("it is over") { $0.types.contains("call_ended") }
            #expect(caller.events.filter(isTold).count == 1)
        }
    }
}
