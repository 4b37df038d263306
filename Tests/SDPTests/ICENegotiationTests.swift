import SDP
import Testing

private func identity(_ name: String) -> ICEIdentity {
    ICEIdentity(userFragment: name, password: MediaSecret(name + "-password-of-22-or-more"))
}

private func host(_ address: String, _ port: UInt16) -> ICECandidate {
    ICECandidate(foundation: "1", priority: 2_130_706_431, address: address, port: port, type: "host")
}

private func ours(isOffered: Bool = true) -> LocalICE {
    LocalICE(
        ICEDescription(identity("ours"), candidates: [host("192.0.2.1", 40_000)]), isOffered: isOffered, next: identity("next"))
}

private func negotiation(_ ice: LocalICE?) -> Negotiation { negotiation(configure: { $0.local.ice = ice }) }

/// An offer or answer of the other side.
private func theirs(_ name: String = "them", mux: Bool = true, candidate: String = "192.0.2.10 5000", _ more: String...) throws
    -> SessionDescription
{
    var lines = ["v=0", "o=- 1 1 IN IP4 192.0.2.10", "s=-", "c=IN IP4 192.0.2.10", "t=0 0", "m=audio 5000 RTP/AVP 0"]
    if mux { lines.append("a=rtcp-mux") }
    lines += ["a=ice-ufrag:\(name)", "a=ice-pwd:\(name)-password-of-22-or-more"]
    lines += ["a=candidate:1 1 UDP 2130706431 \(candidate) typ host"] + more
    return try SessionDescription(parsing: lines.joined(separator: "\r\n") + "\r\n")
}

private func plain() throws -> SessionDescription { try description("m=audio 5000 RTP/AVP 0", "a=rtcp-mux") }

@Suite("ICE in offer and answer (RFC 8839)") struct ICENegotiationTests {
    @Test("an offer names us and our candidates, and an answer that does too brings it about")
    func offered() throws {
        var made = negotiation(ours())
        let lines = try made.makeOffer().lines(ofMedia: 0)
        #expect(lines.contains("a=ice-ufrag:ours") && lines.contains("a=rtcp-mux") && lines.contains("a=ice-options:ice2"))
        #expect(lines.contains("a=candidate:1 1 UDP 2130706431 192.0.2.1 40000 typ host"), "\(lines)")
        try made.receive(answer: theirs())
        let ice = try #require(made.inForce?.ice)
        #expect(ice.isOfferer && ice.theirs.identity == identity("them") && ice.theirs.candidates.count == 1)
        #expect(!ice.theirs.isLite && ice.theirs.isComplete)
        #expect(made.receipt?.rows.first { $0.subject == .ice }?.inForce == "we control")
    }

    @Test("who knows no ICE, or gives it up, is called plainly, and later offers are plain too")
    func withoutIt() throws {
        for answer in [try plain(), try theirs("them", mux: true, candidate: "192.0.2.10 5000", "a=ice-mismatch")] {
            var made = negotiation(ours())
            _ = try made.makeOffer()
            try made.receive(answer: answer)
            #expect(made.inForce?.ice == nil && made.inForce?.remote == MediaEndpoint(address: "192.0.2.10", port: 5000))
            made.local.direction = .sendOnly
            #expect(try !made.makeOffer().text.contains("ice-"))
        }
    }

    @Test("an offer of ICE is answered with it, an offer without it is not, whether we would offer it or not")
    func answered() throws {
        for isOffered in [true, false] {
            var made = negotiation(ours(isOffered: isOffered))
            let answer = try made.answer(try theirs())
            #expect(answer.lines.contains("a=ice-ufrag:ours") && answer.lines.contains("a=rtcp-mux"))
            #expect(made.inForce?.ice?.isOfferer == false)
            var other = negotiation(ours(isOffered: isOffered))
            #expect(try !other.answer(try plain()).text.contains("ice-"))
            #expect(other.inForce?.ice == nil)
        }
        var without = negotiation(nil)
        #expect(try !without.answer(try theirs()).text.contains("ice-"))
        var quiet = negotiation(ours(isOffered: false))
        #expect(try !quiet.makeOffer().text.contains("ice-"))
    }

    @Test("an address that somebody between has put into the offer is told, and media go there without ICE")
    func mismatch() throws {
        var made = negotiation(ours())
        let answer = try made.answer(try theirs("them", mux: true, candidate: "192.0.2.99 5000"))
        #expect(answer.lines.contains("a=ice-mismatch") && !answer.text.contains("ice-ufrag"))
        #expect(made.inForce?.ice == nil && made.inForce?.remote?.port == 5000)
        #expect(made.receipt?.rows.first { $0.subject == .ice }?.why == .addressChanged)
    }

    @Test("without one port for RTP and RTCP there is no ICE, with an agent that is lite there is")
    func kinds() throws {
        var separate = negotiation(ours())
        #expect(try !separate.answer(try theirs("them", mux: false)).text.contains("ice-"))
        var lite = negotiation(ours())
        _ = try lite.answer(try theirs("them", mux: true, candidate: "192.0.2.10 5000", "a=ice-lite"))
        #expect(lite.inForce?.ice?.theirs.isLite == true)
    }

    @Test("an answer with ICE that wants a port of its own for RTCP has media by ICE, and no RTCP: no check leads to that port")
    func answeredForTwoPorts() throws {
        var made = negotiation(ours())
        _ = try made.makeOffer()
        try made.receive(answer: theirs("them", mux: false))
        let audio = try #require(made.inForce)
        #expect(audio.ice != nil && !audio.rtcpMux && audio.remoteControl == nil && audio.rtcpBandwidth == 0)
        let row = try #require(made.receipt?.rows.first { $0.subject == .rtcp })
        #expect(row.inForce == nil && row.why == .notMuxed)
        var shared = negotiation(ours())
        _ = try shared.makeOffer()
        try shared.receive(answer: theirs())
        #expect(shared.inForce?.rtcpMux == true && shared.inForce?.rtcpBandwidth == nil)
    }

    @Test("candidates that are still to come are no hold, and no changed address")
    func trickled() throws {
        var made = negotiation(ours())
        let lines = [
            "v=0", "o=- 1 1 IN IP4 192.0.2.10", "s=-", "c=IN IP4 0.0.0.0", "t=0 0", "m=audio 9 RTP/AVP 0", "a=rtcp-mux",
            "a=ice-options:trickle", "a=ice-ufrag:them", "a=ice-pwd:them-password-of-22-or-more",
        ]
        let offer = try SessionDescription(parsing: lines.joined(separator: "\r\n") + "\r\n")
        let answer = try made.answer(offer)
        #expect(answer.lines.contains("a=sendrecv") && answer.lines.contains("a=ice-ufrag:ours"))
        #expect(made.inForce?.ice?.theirs.isComplete == false && made.inForce?.isHeldByPeer == false)
    }

    @Test("the other side's restart is answered as somebody else, the same credentials again are none")
    func restart() throws {
        var made = negotiation(ours())
        _ = try made.answer(try theirs())
        #expect(try made.answer(try theirs()).lines.contains("a=ice-ufrag:ours"))
        let answer = try made.answer(try theirs("anew"))
        #expect(answer.lines.contains("a=ice-ufrag:next"))
        #expect(made.inForce?.ice?.own.identity == identity("next") && made.inForce?.ice?.theirs.identity == identity("anew"))
        // Later offers are of who we are now; a second restart needs another name.
        made.local.direction = .sendOnly
        #expect(try made.makeOffer().lines.contains("a=ice-ufrag:next"))
    }

    @Test("our restart is an offer with another name, and the roles follow it")
    func ownRestart() throws {
        var made = negotiation(ours())
        _ = try made.answer(try theirs())
        made.local.ice = LocalICE(
            ICEDescription(identity("moved"), candidates: [host("192.0.2.1", 40_000)]), isOffered: true)
        #expect(try made.makeOffer().lines.contains("a=ice-ufrag:moved"))
        try made.receive(answer: theirs("anew"))
        #expect(made.inForce?.ice?.own.identity == identity("moved") && made.inForce?.ice?.isOfferer == true)
    }
}
