import Link
import SecureRTP
import Signalling
import TestPrograms
import Testing

private func fingerprint(_ byte: UInt8) -> DTLSFingerprint? {
    DTLSFingerprint(.sha256, [UInt8](repeating: byte, count: 32))
}

/// This side's media go on at other ports, over real sockets.
@Suite("Media that move in mid-call by SIP") struct MoveTests {
    private func agreements(_ phone: Phone) -> [MediaAgreement] {
        phone.events.compactMap { if case .negotiated(_, let media) = $0 { media.agreement } else { nil } }
    }

    private func warnings(_ phone: Phone) -> [String] {
        phone.events.compactMap { if case .warning(_, let text) = $0 { text } else { nil } }
    }

    private func refusals(_ phone: Phone) -> Int {
        phone.events.count(where: { if case .requestRefused = $0 { true } else { false } })
    }

    @Test("both sides begin their DTLS association anew, whoever moves; plain media and a hold keep what they have")
    func keys() async throws {
        let first = LocalPorts(address: "127.0.0.1", port: 40_000, fingerprint: fingerprint(1))
        var second = first
        second.address = "127.0.0.2"
        for callerMoves in [true, false] {
            try await withPhones(Phone { $0.encryption = .optional }, Phone { $0.encryption = .optional }) { left, right in
                let out = left.call(right, ports: callerMoves ? first : LocalPorts(port: 41_000, fingerprint: fingerprint(2)))
                let (call, _) = try await right.incoming()
                right.signalling.prepare(
                    call, media: callerMoves ? LocalPorts(port: 41_000, fingerprint: fingerprint(2)) : first)
                right.signalling.answer(call)
                try await left.answered()
                try await right.answered()
                let (mover, other) = callerMoves ? (left, right) : (right, left)
                mover.signalling.hold(callerMoves ? out : call, true)
                try await mover.held(byUs: true, byPeer: false)
                try await other.held(byUs: false, byPeer: true)
                mover.signalling.move(callerMoves ? out : call, media: second)
                let moved = SocketAddress(try IPAddress("127.0.0.2"), port: 40_000)
                let ours = try await mover.wait("the move") {
                    if case .negotiated(_, let media) = $0, media.agreement?.local == moved { media.agreement } else { nil }
                }
                let theirs = try await other.wait("the move") {
                    if case .negotiated(_, let media) = $0, media.agreement?.remote == moved { media.agreement } else { nil }
                }
                for (phone, last) in [(mover, ours), (other, theirs)] {
                    let before = agreements(phone)
                    let held = try #require(before.last { $0.local != moved && $0.remote != moved })
                    #expect(held.keepsKeys(of: try #require(before.first)), "a hold")
                    #expect(!last.keepsKeys(of: held), "the move")
                    var (plain, plainBefore) = (last, held)
                    (plain.encryption, plainBefore.encryption) = (nil, nil)
                    #expect(plain.keepsKeys(of: plainBefore))
                }
                #expect(ours.isSamePath(as: try #require(agreements(mover).first)), "the other side is where it was")
                #expect(warnings(mover).isEmpty && refusals(mover) == 0)
            }
        }
    }

    @Test("where the other side cannot be told it is tried again, and said so without a code of a server")
    func unreachable() async throws {
        try await withUnreachablePeer { phone, call in
            phone.signalling.move(call, media: LocalPorts(address: "127.0.0.2", port: 40_000))
            let told = try await phone.wait("the warning") { if case .warning(_, let text) = $0 { text } else { nil } }
            #expect(told.contains("could not be told of our new address") && !told.contains("503"))
            #expect(refusals(phone) == 0)
        }
    }

    @Test("a hold that reaches nobody is one on this side alone, and no server has refused it") func hold() async throws {
        try await withUnreachablePeer { phone, call in
            phone.signalling.hold(call, true)
            try await phone.held(byUs: false, byPeer: false)
            #expect(warnings(phone).count == 1 && !warnings(phone)[0].contains("503"))
            #expect(refusals(phone) == 0)
        }
    }

    /// A call whose other side answers by UDP, and wants what follows by TCP where nobody listens.
    private func withUnreachablePeer(_ body: (Phone, SignalledCallID) async throws -> Void) async throws {
        let server = try DatagramServer()
        let serving = Task {
            await server.serve { octets, _ in
                let text = String(decoding: octets, as: UTF8.self)
                guard text.hasPrefix("INVITE ") else { return nil }
                let description = [
                    "v=0", "o=- 7 1 IN IP4 127.0.0.1", "s=-", "c=IN IP4 127.0.0.1", "t=0 0", "m=audio 6000 RTP/AVP 0", "",
                ].joined(separator: "\r\n")
                let fields = ["Contact: <sip:peer@127.0.0.1:1;transport=tcp>", "Content-Type: application/sdp"]
                let head = String(decoding: DatagramServer.reply(to: text, "200 OK", fields), as: UTF8.self)
                    .replacing("Content-Length: 0", with: "Content-Length: \(description.utf8.count)")
                return Array((tagged(head) + description).utf8)
            }
        }
        let phone = try Phone()
        do {
            let call = phone.signalling.invite(
                OutgoingCall(target: "sip:peer@127.0.0.1:\(server.port)", media: LocalPorts(port: 40_000)))
            try await phone.answered()
            try await body(phone, call)
        } catch { Issue.record(error) }
        await phone.close()
        serving.cancel()
        await serving.value
    }
}

/// With a tag of the callee's.
private func tagged(_ head: String) -> String {
    head.split(separator: "\r\n", omittingEmptySubsequences: false)
        .map { $0.hasPrefix("To: ") ? "\($0);tag=peer" : String($0) }.joined(separator: "\r\n")
}
