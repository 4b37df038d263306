import Codecs
import Link
import Signalling
import Synchronization
import Testing

@Suite("Calls by SIP over real sockets")
struct CallTests {
    @Test("a call is reached, rings, is answered, agrees on media and is hung up", arguments: ["udp", "tcp"])
    func wholeCall(transport: String) async throws {
        try await withPhones(Phone(), Phone()) { left, right in
            let out = left.call(right, transport)
            let (call, caller) = try await right.incoming()
            #expect(caller.offeredCodecs == ["opus/48000/2", "PCMU/8000"])
            #expect(caller.source?.address.isLoopback == true)
            #expect(caller.account == nil)
            right.signalling.prepare(call, media: LocalPorts(port: 41_000))
            right.signalling.ring(call, withMedia: false)
            let code = try await left.wait("ringing") { if case .progress(_, let told) = $0 { told.sipCode } else { nil } }
            #expect(code == 180)
            right.signalling.answer(call)
            try await left.answered()
            try await right.answered()
            let ours = try await left.agreement()
            let theirs = try await right.agreement()
            #expect(ours.codec == .opus && theirs.codec == .opus)
            #expect(try ours.remote == SocketAddress(parsing: "127.0.0.1:41000"))
            #expect(try theirs.remote == SocketAddress(parsing: "127.0.0.1:40000"))
            #expect(ours.sends && ours.receives && ours.isSymmetric)
            #expect(ours.telephoneEvents != nil && ours.packetMilliseconds == 20)
            left.signalling.hangUp(out)
            let end = try await right.ended()
            #expect(end.reason == .remoteHangup)
            #expect(try await left.ended().reason == .localHangup)
        }
    }

    @Test("the callee hangs up", arguments: ["udp", "tcp"])
    func calleeHangsUp(transport: String) async throws {
        try await withPhones(Phone(), Phone()) { left, right in
            let (_, call) = try await establish(left, right, transport)
            right.signalling.hangUp(call)
            #expect(try await left.ended().reason == .remoteHangup)
            #expect(try await right.ended().reason == .localHangup)
        }
    }

    @Test("whoever hangs up while it rings cancels the call on the other side", arguments: ["udp", "tcp"])
    func cancelled(transport: String) async throws {
        try await withPhones(Phone(), Phone()) { left, right in
            let out = left.call(right, transport)
            let (call, _) = try await right.incoming()
            right.signalling.ring(call, withMedia: false)
            _ = try await left.wait("ringing") { if case .progress = $0 { true } else { nil } }
            left.signalling.hangUp(out)
            #expect(try await right.ended().reason == .remoteHangup)
            #expect(try await left.ended().reason == .localHangup)
        }
    }

    @Test(
        "refusals are told with their code",
        arguments: [
            (CallRefusal.busy, 486, CallEnding.Reason.busy), (.declined, 603, .refused), (.unavailable, 480, .noAnswer),
            (.forbidden, 403, .refused),
        ])
    func refused(_ refusal: CallRefusal, _ code: Int, _ reason: CallEnding.Reason) async throws {
        try await withPhones(Phone(), Phone()) { left, right in
            _ = left.call(right)
            let (call, _) = try await right.incoming()
            right.signalling.reject(call, refusal)
            let end = try await left.ended()
            #expect(end.sipCode == code && end.reason == reason)
            #expect(try await right.ended().reason == .localHangup)
        }
    }

    @Test("without a common codec the call is refused with 488, and both sides get to know why")
    func noCommonCodec() async throws {
        try await withPhones(
            Phone(media: MediaCapabilities(codecs: [.pcma])), Phone(media: MediaCapabilities(codecs: [.opus]))
        ) { left, right in
            _ = left.call(right)
            let end = try await left.ended()
            #expect(end.sipCode == 488 && end.reason == .noCommonMedia)
            #expect(end.text.contains("no codec"))
            #expect(try await right.ended().reason == .noCommonMedia)
            let rows = try await right.wait("a receipt") {
                if case .negotiated(_, let media) = $0 { media.receipt.rows } else { nil }
            }
            #expect(rows.contains { $0.subject == .codec("PCMA/8000") })
        }
    }

    @Test("either side holds and resumes by re-INVITE")
    func holds() async throws {
        try await withPhones(Phone(), Phone()) { left, right in
            let (out, call) = try await establish(left, right)
            left.signalling.hold(out, true)
            try await left.held(byUs: true, byPeer: false)
            try await right.held(byUs: false, byPeer: true)
            right.signalling.hold(call, true)
            try await right.held(byUs: true, byPeer: true)
            left.signalling.hold(out, false)
            try await left.held(byUs: false, byPeer: true)
            right.signalling.hold(call, false)
            try await right.held(byUs: false, byPeer: false)
            try await left.held(byUs: false, byPeer: false)
        }
    }

    @Test("early media is agreed on before the answer")
    func earlyMedia() async throws {
        try await withPhones(Phone(), Phone()) { left, right in
            _ = left.call(right)
            let (call, _) = try await right.incoming()
            right.signalling.prepare(call, media: LocalPorts(port: 41_000))
            right.signalling.ring(call, withMedia: true)
            let progress = try await left.wait("progress") { if case .progress(_, let told) = $0 { told } else { nil } }
            #expect(progress.sipCode == 183 && progress.hasEarlyMedia)
            #expect(try await left.agreement().remote?.port == 41_000)
            right.signalling.answer(call)
            try await left.answered()
            try await right.answered()
        }
    }

    @Test("a caller who is not listed is refused and rings nowhere")
    func unlistedCaller() async throws {
        let callee = try Phone { $0.callers = .listed([]) }
        try await withPhones(Phone(), callee) { left, right in
            _ = left.call(right)
            let end = try await left.ended()
            #expect(end.sipCode == 403)
            #expect(right.events.isEmpty)
        }
    }

    @Test("what is too long for a datagram goes by TCP, and as a datagram where there is no TCP", arguments: [true, false])
    func longRequest(hasTCP: Bool) async throws {
        let heard = Mutex<[String]>([])
        let callee = try Phone(hasTCP ? [.udp, .tcp] : [.udp]) {
            $0.trace = { message in
                if message.direction == .received, message.text.hasPrefix("INVITE ") {
                    heard.withLock { $0.append("\(message.transport)") }
                }
            }
        }
        try await withPhones(try Phone([.udp]), callee) { caller, callee in
            let target = "sip:" + String(repeating: "x", count: 1300) + "@127.0.0.1:\(callee.port)"
            _ = caller.signalling.invite(OutgoingCall(target: target, media: LocalPorts(port: 40_000)))
            let (call, _) = try await callee.incoming()
            callee.signalling.prepare(call, media: LocalPorts(port: 41_000))
            callee.signalling.answer(call)
            try await caller.answered()
            try await callee.answered()
            #expect(heard.withLock { $0 } == [hasTCP ? "tcp" : "udp"])
        }
    }
}
