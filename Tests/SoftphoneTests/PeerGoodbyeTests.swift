import Codecs
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

/// A side of a call by yodel:// of which only the handshake and a word or two are there.
private struct ShortSide {
    private let identity: DTLSIdentity
    private let dtls: DTLSLink
    private let role: PeerDialog.Role
    private let socket: UDPLink

    /// One who calls there.
    init(to address: SocketAddress) throws {
        try self.init(.caller, over: try UDPLink(bind: address.address, remote: address))
    }

    /// One who waits to be called.
    init() throws { try self.init(.callee, over: try UDPLink(bind: IPAddress(v4: 0x7f00_0001))) }

    private init(_ role: PeerDialog.Role, over socket: UDPLink) throws {
        (self.role, self.socket) = (role, socket)
        identity = try DTLSIdentity()
        dtls = DTLSLink(over: socket, identity: identity)
        try dtls.start(role == .caller ? .active : .passive, trust: .ask, now: .monotonicNow())
    }

    var local: SocketAddress { socket.local }

    /// Takes what DTLS tells until `isDone` with an event; who is asked about is accepted.
    private func follow(_ isDone: (DTLSEvent, HostTime) throws -> Bool) throws {
        let limit = HostTime.monotonicNow().advanced(byMilliseconds: 1000 * patienceSeconds)
        while HostTime.monotonicNow() < limit {
            let now = HostTime.monotonicNow()
            dtls.receive(now: now) { _ in }
            dtls.advance(to: now)
            while let event = dtls.nextDTLSEvent() {
                guard case .association(let told) = event else { continue }
                if case .undecided = told { dtls.accept(now: now) }
                if try isDone(told, now) { return }
            }
            usleep(1000)
        }
        Issue.record("the other side said too little")
    }

    private func begin(_ codec: Codec, _ session: DTLSSession, _ now: HostTime) -> PeerDialog {
        let capabilities = MediaCapabilities(codecs: [codec], packetMilliseconds: 20, sharesPort: true).described
        var dialog = PeerDialog(
            role, capabilities: capabilities, own: identity.fingerprint, peer: session.peer, sessionID: 1)
        dialog.start(now: now)
        return dialog
    }

    private func offer(_ codec: Codec, _ session: DTLSSession, _ now: HostTime) throws {
        var dialog = begin(codec, session, now)
        for datagram in dialog.takeDatagrams() { try #require(dtls.send(message: datagram, now: now)) }
    }

    /// Offers, and says goodbye so long afterwards without having heard of it.
    func call(goodbyeAfterMilliseconds milliseconds: Double) throws {
        try follow { event, now in
            guard case .connected(let session) = event else { return false }
            try offer(.pcmu, session, now)
            usleep(UInt32(milliseconds * 1000))
            dtls.close(now: .monotonicNow())
            return true
        }
    }

    /// Offers, and never says that anything has arrived.
    /// - Returns: the parts of messages that came, at most so many, until there was a goodbye.
    func parts(offering codec: Codec, most: Int) throws -> Int {
        var count = 0
        try follow { event, now in
            switch event {
            case .connected(let session): try offer(codec, session, now)
            case .message(let datagram): count += datagram.count > 1 && datagram[1] == 1 ? 1 : 0
            case .closed, .failed: return true
            case .undecided: break
            }
            return count == most
        }
        return count
    }

    /// Answers who calls, and says nothing any more once he has the answer.
    func answer() throws {
        var dialog: PeerDialog?
        var isAnswered = false
        try follow { event, now in
            if case .connected(let session) = event { dialog = begin(.pcmu, session, now) }
            if case .message(let datagram) = event { dialog?.receive(datagram, now: now) }
            while let told = dialog?.nextEvent() {
                if told == .incoming { dialog?.answer(now: now) }
                isAnswered = isAnswered || told == .answered
            }
            for datagram in dialog?.takeDatagrams() ?? [] { try #require(dtls.send(message: datagram, now: now)) }
            return isAnswered && dialog?.isSettled == true
        }
    }

    /// Refuses who calls, and says goodbye in the same breath.
    func refuse(_ reason: String) throws {
        var dialog: PeerDialog?
        try follow { event, now in
            if case .connected(let session) = event { dialog = begin(.pcmu, session, now) }
            guard case .message(let datagram) = event else { return false }
            dialog?.receive(datagram, now: now)
            guard dialog?.nextEvent() != nil else { return false }
            dialog?.refuse(.unavailable, reason, now: now)
            for datagram in dialog?.takeDatagrams() ?? [] { try #require(dtls.send(message: datagram, now: now)) }
            dtls.close(now: now)
            return true
        }
    }
}

/// Folders of keys.
private struct KeyFolders {
    private let path = NSTemporaryDirectory() + "yodel-peer-\(UUID().uuidString)"

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// A call by whoever has that name, to or from whomever.
    func request(_ name: String, _ purpose: PeerRequest.Purpose, codec: Codec = .pcmu) throws -> PeerRequest {
        let media = try CallRequest.test(["rtp://127.0.0.1:9"], role: .call).media
        var request = PeerRequest(purpose, codecs: [codec], media: media, folder: PeerFolder(path: "\(path)/\(name)"))
        request.acceptsNew = true
        return request
    }

    func listening() throws -> PeerRequest {
        try request("listener", .listen(try PeerURI(parsing: "yodel://127.0.0.1:0", role: .listen)))
    }

    func calling(_ address: SocketAddress, codec: Codec = .pcmu) throws -> PeerRequest {
        try request("caller", .call(try PeerURI(parsing: "yodel://\(address)", role: .call)), codec: codec)
    }
}

extension Followed {
    fileprivate convenience init(_ request: PeerRequest) throws {
        try self.init(of: try Softphone().connect(request.folder).nextCall(request))
    }

    /// Where calls by yodel:// are waited for.
    fileprivate func place() throws -> SocketAddress {
        try wait("it waits") { $0.types.contains("waiting") }
        let places = events.compactMap { if case .waiting(let local, _) = $0.body { local } else { nil } }
        return try SocketAddress(parsing: try #require(places.last))
    }

    fileprivate var warnings: [String] {
        events.compactMap { if case .warning(let text) = $0.body { text } else { nil } }
    }

    /// Waits until the call is over, and says why.
    fileprivate func explanation() throws -> String? {
        try wait("it is over") { $0.types.contains("call_ended") }
        for event in events { if case .callEnded(_, _, _, let text) = event.body { return text } }
        return nil
    }
}

@Suite("A caller by yodel:// who says goodbye at once", .serialized) struct PeerGoodbyeTests {
    @Test("ends the call that has begun for him", arguments: [0.0, 2, 10, 40]) func goodbye(milliseconds: Double) throws {
        let folders = KeyFolders()
        defer { folders.remove() }
        let request = try folders.listening()
        let phone = try Softphone().connect(request.folder)
        for _ in 0..<4 {
            let listener = try Followed(of: try phone.nextCall(request))
            try ShortSide(to: try listener.place()).call(goodbyeAfterMilliseconds: milliseconds)
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

@Suite("A caller by yodel:// who is refused", .serialized) struct PeerRefusalTests {
    @Test("since there is no common codec hears of it, and the listener tells the same") func noCommonCodec() throws {
        let folders = KeyFolders()
        defer { folders.remove() }
        let listener = try Followed(try folders.listening())
        let caller = try Followed(try folders.calling(try listener.place(), codec: .pcma))
        let text = try #require(try caller.explanation())
        #expect(text.contains("codec"), "\(text)")
        #expect(caller.call.endReason(of: 0) == .refused)
        _ = caller.close()
        try listener.wait("it tells why") { !$0.warnings.isEmpty }
        #expect(listener.warnings.count == 1 && listener.warnings[0].contains("codec"), "\(listener.warnings)")
        #expect(!listener.call.wasCall)
        #expect(listener.close().isEmpty)
    }

    @Test("is told again where it is not known whether he has heard") func again() throws {
        let folders = KeyFolders()
        defer { folders.remove() }
        let listener = try Followed(try folders.listening())
        #expect(try ShortSide(to: try listener.place()).parts(offering: .pcma, most: 2) == 2)
        #expect(listener.close().isEmpty)
    }

    @Test("tells why also where the goodbye comes with the refusal") func goodbye() throws {
        let folders = KeyFolders()
        defer { folders.remove() }
        let other = try ShortSide()
        let caller = try Followed(try folders.calling(other.local))
        try other.refuse("no sound here")
        let text = try caller.explanation()
        #expect(text == "no sound here")
        #expect(caller.close().map(\.reason) == ["refused"])
    }
}

@Suite("A call by yodel:// whose other side says nothing to a hold", .serialized) struct PeerHoldTests {
    @Test("is silent at once, for as long as the person wishes it") func silent() throws {
        let folders = KeyFolders()
        defer { folders.remove() }
        let other = try ShortSide()
        let caller = try Followed(try folders.calling(other.local))
        try other.answer()
        try caller.wait("it sends") { ($0.call.statistics(of: 0).packetsSent ?? 0) > 10 }
        #expect(!caller.call.isHeld)
        caller.call.setHeld(true)
        #expect(caller.call.isHeld)
        // Figures are at most 200 ms old, and are looked at every 100 ms.
        var (sent, times) = (-1, 0)
        try caller.wait("nothing is sent any more") { side in
            let now = side.call.statistics(of: 0).packetsSent ?? 0
            (sent, times) = (now, now == sent ? times + 1 : 0)
            return times > 8
        }
        #expect(!caller.types.contains("call_held"), "the other side has not agreed")
        caller.call.setHeld(false)
        try caller.wait("it sends again") { ($0.call.statistics(of: 0).packetsSent ?? 0) > sent + 10 }
        #expect(!caller.call.isHeld)
        #expect(caller.close().map(\.reason) == ["local_hangup"])
        withExtendedLifetime(other) {}
    }
}
