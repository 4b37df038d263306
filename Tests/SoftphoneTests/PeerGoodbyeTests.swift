import Foundation
import Link
import Network
import PeerSignalling
import Realtime
import Reporting
import SecureRTP
import Settings
import Signalling
import Softphone
import Testing

/// A caller by yodel:// of whom only the handshake and an offer are there.
private struct ShortCaller {
    private let identity: DTLSIdentity
    private let dtls: DTLSLink

    init(to address: SocketAddress) throws {
        identity = try DTLSIdentity()
        dtls = DTLSLink(over: try UDPLink(bind: address.address, remote: address), identity: identity)
        try dtls.start(.active, trust: .ask, now: .monotonicNow())
    }

    /// Offers, and says goodbye so long afterwards without having heard of it.
    func call(goodbyeAfterMilliseconds milliseconds: Double) throws {
        let capabilities = MediaCapabilities(codecs: [.pcmu], packetMilliseconds: 20, sharesPort: true).described
        let limit = HostTime.monotonicNow().advanced(byMilliseconds: 1000 * patienceSeconds)
        while HostTime.monotonicNow() < limit {
            let now = HostTime.monotonicNow()
            dtls.receive(now: now) { _ in }
            dtls.advance(to: now)
            while let event = dtls.nextDTLSEvent() {
                switch event {
                case .association(.undecided): dtls.accept(now: now)
                case .association(.connected(let session)):
                    var dialog = PeerDialog(
                        .caller, capabilities: capabilities, own: identity.fingerprint, peer: session.peer, sessionID: 1)
                    dialog.start(now: now)
                    for datagram in dialog.takeDatagrams() { try #require(dtls.send(message: datagram, now: now)) }
                    usleep(UInt32(milliseconds * 1000))
                    return dtls.close(now: .monotonicNow())
                default: break
                }
            }
            usleep(1000)
        }
        Issue.record("no handshake")
    }
}

@Suite("A caller by yodel:// who says goodbye at once", .serialized) struct PeerGoodbyeTests {
    @Test("ends the call that has begun for him", arguments: [0.0, 2, 10, 40]) func goodbye(milliseconds: Double) throws {
        let folder = NSTemporaryDirectory() + "yodel-peer-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let media = try CallRequest.test(["rtp://127.0.0.1:9"], role: .call).media
        var request = PeerRequest(
            .listen(try PeerURI(parsing: "yodel://127.0.0.1:0", role: .listen)), codecs: [.pcmu], media: media,
            folder: PeerFolder(path: folder))
        request.acceptsNew = true
        let phone = try Softphone().connect(request.folder)
        for _ in 0..<4 {
            let listener = try Followed(of: try phone.nextCall(request))
            try listener.wait("it waits") { $0.types.contains("waiting") }
            var place: SocketAddress?
            for event in listener.events {
                if case .waiting(let local, _) = event.body { place = try SocketAddress(parsing: local) }
            }
            try ShortCaller(to: try #require(place)).call(goodbyeAfterMilliseconds: milliseconds)
            let isGone = EventBody.warning("the caller is gone")
            try listener.wait("he is gone") { side in
                side.types.contains("call_ended") || side.events.contains { $0.body == isGone }
            }
            if listener.types.contains("call_ended") {
                #expect([.cancelled, .remoteHangup].contains(listener.call.endReason(of: 0)))
                #expect(listener.close().count == 1)
            } else {
                // He was gone before the offer was read: that was no call, and the next one is waited for.
                #expect(!listener.call.wasCall)
                #expect(listener.close().isEmpty)
            }
        }
    }
}
