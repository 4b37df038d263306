import SDP
import Testing

@Suite("Changing an agreed session") struct ReofferTests {
    func agreed() throws -> Negotiation {
        var made = negotiation()
        _ = try made.makeOffer()
        try made.receive(answer: try description("m=audio 5000 RTP/AVP 0 101", "a=rtpmap:101 telephone-event/8000"))
        return made
    }

    func called() throws -> Negotiation {
        var made = negotiation()
        _ = try made.answer(try description("m=audio 5000 RTP/AVP 0 8"))
        return made
    }

    @Test("an unchanged offer repeats the body and its version; a changed one counts up by one")
    func versions() throws {
        var made = try agreed()
        let first = try made.makeOffer()
        made.withdrawOffer()
        let second = try made.makeOffer()
        #expect(first.bytes == second.bytes)
        made.withdrawOffer()
        made.local.direction = .sendOnly
        let third = try made.makeOffer()
        #expect(first.origin.sessionID == third.origin.sessionID)
        #expect(UInt64(third.origin.sessionVersion) == UInt64(first.origin.sessionVersion).map { $0 + 1 })
    }

    @Test("answers of ours count the version up only when they differ")
    func answerVersions() throws {
        var made = try called()
        let offer = try description("m=audio 5000 RTP/AVP 0 8")
        #expect(try made.answer(offer).origin.sessionVersion == "1000")
        #expect(
            try made.answer(try description("m=audio 5000 RTP/AVP 0", "a=sendonly", version: 2)).origin.sessionVersion
                == "1001")
        #expect(try made.answer(offer).origin.sessionVersion == "1002")
    }

    @Test("the answer to a refresh of ours counts, whoever made the offer that is in force")
    func refreshed() throws {
        var made = try called()
        try made.receive(refreshed: try description("m=audio 5000 RTP/AVP 0 8"))
        #expect(made.isOfferThePeers && made.inForce?.remote?.port == 5000)
        try made.receive(refreshed: try description("m=audio 6000 RTP/AVP 0", version: 2))
        #expect(!made.isOfferThePeers && made.inForce?.remote?.port == 6000)
        #expect(throws: NegotiationError.self) { try made.receive(refreshed: try description("m=video 6000 RTP/AVP 0")) }
        #expect(made.inForce?.remote?.port == 6000)
    }

    @Test("an offer of ours that is withdrawn leaves the peer's in force, also for the next refresh")
    func refreshedAfterWithdrawal() throws {
        var made = try called()
        made.local.direction = .sendOnly
        _ = try made.makeOffer()
        made.withdrawOffer()
        made.local.direction = .sendReceive
        #expect(made.isOfferThePeers)
        let before = made.inForce
        try made.receive(refreshed: try description("m=audio 5000 RTP/AVP 0 8"))
        #expect(made.isOfferThePeers && made.inForce == before)
        try made.receive(refreshed: try description("m=audio 6000 RTP/AVP 0", version: 2))
        #expect(made.inForce?.remote?.port == 6000)
        #expect(made.inForce?.direction == .sendReceive)
    }

    @Test("we hold and resume by direction")
    func weHold() throws {
        var made = try agreed()
        made.local.direction = .sendOnly
        #expect(try made.makeOffer().lines.contains("a=sendonly"))
        try made.receive(answer: try description("m=audio 5000 RTP/AVP 0", "a=recvonly", version: 2))
        #expect(made.inForce?.direction == .sendOnly)
        #expect(made.inForce?.isHeldByPeer == false)
        #expect(made.receipt?.rows.first { $0.subject == .direction }?.why == .heldByUs)
        made.local.direction = .sendReceive
        _ = try made.makeOffer()
        try made.receive(answer: try description("m=audio 5000 RTP/AVP 0", version: 3))
        #expect(made.inForce?.direction == .sendReceive)
    }

    @Test("an answer that does not take up our hold does not lift it")
    func stubbornAnswer() throws {
        var made = try agreed()
        made.local.direction = .sendOnly
        _ = try made.makeOffer()
        try made.receive(answer: try description("m=audio 5000 RTP/AVP 0", "a=sendrecv"))
        #expect(made.inForce?.direction == .sendOnly)
    }

    @Test("the peer holds by direction and resumes", arguments: [("sendonly", "recvonly"), ("inactive", "inactive")])
    func peerHolds(offered: String, answered: String) throws {
        var made = try called()
        let answer = try made.answer(try description("m=audio 5000 RTP/AVP 0", "a=\(offered)", version: 2))
        #expect(answer.lines.contains("a=\(answered)"))
        #expect(made.inForce?.isHeldByPeer == true)
        #expect(made.inForce?.remote != nil)
        _ = try made.answer(try description("m=audio 5000 RTP/AVP 0", version: 3))
        #expect(made.inForce?.isHeldByPeer == false)
        #expect(made.inForce?.direction == .sendReceive)
    }

    @Test("the peer holds by 0.0.0.0 or ::, and nothing is sent there", arguments: ["IP4 0.0.0.0", "IP6 ::"])
    func peerHoldsByAddress(address: String) throws {
        var made = try called()
        let answer = try made.answer(try description("m=audio 5000 RTP/AVP 0", "c=IN \(address)", version: 2))
        #expect(answer.lines.contains("a=recvonly"))
        #expect(answer.lines.contains("c=IN IP4 192.0.2.1"))
        let audio = try #require(made.inForce)
        #expect(audio.remote == nil && audio.remoteControl == nil)
        #expect(audio.isHeldByPeer && audio.direction == .receiveOnly)
        #expect(made.receipt?.rows.first { $0.subject == .address }?.why == .heldByPeer)
        _ = try made.answer(try description("m=audio 5002 RTP/AVP 0", version: 3))
        #expect(made.inForce?.remote?.port == 5002)
    }

    @Test("both hold: nothing flows, and the receipt says so")
    func bothHold() throws {
        var made = try called()
        made.local.direction = .sendOnly
        let answer = try made.answer(try description("m=audio 5000 RTP/AVP 0", "a=sendonly"))
        #expect(answer.lines.contains("a=inactive"))
        #expect(made.receipt?.rows.first { $0.subject == .direction }?.why == .heldByBoth)
        #expect(made.receipt?.cost == nil)
    }

    @Test("the peer moves to another address and port")
    func peerMoves() throws {
        var made = try called()
        _ = try made.answer(try description("m=audio 7000 RTP/AVP 0", version: 2, address: "198.51.100.7"))
        #expect(made.inForce?.remote == MediaEndpoint(address: "198.51.100.7", port: 7000))
    }

    @Test("we move to another address and port")
    func weMove() throws {
        var made = try agreed()
        made.local.address = "198.51.100.1"
        made.local.port = 42_000
        let offer = try made.makeOffer()
        #expect(offer.lines.contains("c=IN IP4 198.51.100.1"))
        #expect(offer.media[0].port == 42_000)
    }

    @Test("the codec changes with a new offer; the codec in force comes first in an offer of ours")
    func codecChanges() throws {
        var made = try called()
        _ = try made.answer(try description("m=audio 5000 RTP/AVP 8", version: 2))
        #expect(made.inForce?.sending.codec == .pcma)
        #expect(made.inForce?.receivingEarlier[0] == .pcmu)
        #expect(try made.makeOffer().media[0].formats.prefix(3) == ["8", "111", "0"])
    }

    @Test("an answer may use other payload types than the offer: each side receives its own")
    func asymmetricPayloadTypes() throws {
        var made = negotiation()
        _ = try made.makeOffer()
        try made.receive(
            answer: try description(
                "m=audio 5000 RTP/AVP 96 97", "a=rtpmap:96 opus/48000/2", "a=rtpmap:97 telephone-event/48000"))
        let audio = try #require(made.inForce)
        #expect(audio.sending.payloadType == 96)
        #expect(audio.sending.telephoneEvent?.payloadType == 97)
        #expect(audio.receiving == [111: .opus, 102: .telephoneEvent(rate: 48_000)])
        #expect(made.receipt?.rows.first { $0.subject == .codec("opus/48000/2") }?.inForce == "send 96, receive 111")
    }

    @Test("the peer gives a codec another number in mid-call: the new one is taken, the old one still understood")
    func renumbering() throws {
        var made = negotiation()
        _ = try made.answer(try description("m=audio 5000 RTP/AVP 96", "a=rtpmap:96 opus/48000/2"))
        let answer = try made.answer(
            try description("m=audio 5000 RTP/AVP 120", "a=rtpmap:120 opus/48000/2", version: 2))
        #expect(answer.media[0].formats == ["120"])
        #expect(made.inForce?.sending.payloadType == 120)
        #expect(made.inForce?.receiving == [120: .opus])
        #expect(made.inForce?.receivingEarlier == [96: .opus])
        #expect(try made.makeOffer().media[0].formats.first == "120")
    }

    @Test("a number of ours keeps its meaning: an offer that gives it another one gets a different number back")
    func numbersKeepTheirMeaning() throws {
        var made = negotiation(codecs: [.opus(parameters: fec, bitRate: 28_000), .l16(rate: 16_000, payloadType: 112)])
        _ = try made.makeOffer()
        try made.receive(answer: try description("m=audio 5000 RTP/AVP 111", "a=rtpmap:111 opus/48000/2"))
        let answer = try made.answer(
            try description("m=audio 5000 RTP/AVP 111", "a=rtpmap:111 L16/16000", version: 2))
        #expect(answer.media[0].formats == ["112"])
        #expect(made.inForce?.sending.payloadType == 111)
        #expect(made.inForce?.receiving == [112: .l16(rate: 16_000)])
    }

    @Test("refused lines keep their place in offers of ours")
    func refusedLinesStay() throws {
        var made = negotiation()
        _ = try made.answer(try description("m=video 6000 RTP/AVP 99", "m=audio 5000 RTP/AVP 0"))
        let offer = try made.makeOffer()
        #expect(offer.lines.filter { $0.hasPrefix("m=") }.map { $0.prefix(13) } == ["m=video 0 RTP", "m=audio 40000"])
        try made.receive(answer: try description("m=video 0 RTP/AVP 99", "m=audio 5000 RTP/AVP 0"))
        #expect(made.inForce?.line == 1)
    }

    @Test("the audio in force stays on its line when a second audio line appears before it")
    func sameLine() throws {
        var made = negotiation()
        _ = try made.answer(try description("m=video 6000 RTP/AVP 99", "m=audio 5000 RTP/AVP 0"))
        let answer = try made.answer(try description("m=audio 6000 RTP/AVP 0", "m=audio 5000 RTP/AVP 0", version: 2))
        #expect(answer.media.map(\.port) == [0, 40_000])
    }

    @Test("a refused offer of the peer, and a withdrawn one of ours, leave what was in force")
    func nothingLost() throws {
        var made = try called()
        let before = made.inForce
        let offered = made.offered
        let broken = try description("m=audio 5000 RTP/AVP 18", version: 2)
        #expect(throws: NegotiationError.self) { try made.answer(broken) }
        #expect(made.inForce == before && made.offered == offered && made.phase == .agreed)
        made.local.direction = .inactive
        _ = try made.makeOffer()
        #expect(made.answered == nil)
        made.withdrawOffer()
        #expect(made.inForce == before && made.offered == offered && made.answered != nil && made.phase == .agreed)
    }

    @Test("the answer of a 183 that comes again in the 200 changes nothing; another one takes its place")
    func repeatedAnswer() throws {
        var made = negotiation()
        _ = try made.makeOffer()
        let early = try description("m=audio 5000 RTP/AVP 0")
        try made.receive(answer: early)
        let before = made
        try made.receive(answer: early)
        #expect(made.inForce == before.inForce)
        try made.receive(answer: try description("m=audio 6000 RTP/AVP 8", version: 2))
        #expect(made.inForce?.remote?.port == 6000)
        #expect(made.inForce?.sending.codec == .pcma)
    }

    @Test("each early dialog of a forked call negotiates with a copy")
    func forks() throws {
        var first = negotiation()
        _ = try first.makeOffer()
        var second = first
        try first.receive(answer: try description("m=audio 5000 RTP/AVP 0"))
        try second.receive(answer: try description("m=audio 6000 RTP/AVP 8", address: "192.0.2.20"))
        #expect(first.inForce?.sending.codec == .pcmu)
        #expect(second.inForce?.remote == MediaEndpoint(address: "192.0.2.20", port: 6000))
    }

    @Test("the peer ends the audio with port 0 and brings it back")
    func audioEndsAndReturns() throws {
        var made = try called()
        let answer = try made.answer(try description("m=audio 0 RTP/AVP 0", version: 2))
        #expect(answer.media[0].port == 0)
        #expect(made.inForce == nil)
        _ = try made.answer(try description("m=audio 5000 RTP/AVP 0", version: 3))
        #expect(made.inForce != nil)
    }

    @Test("an INVITE without an offer: ours goes out in the 200, the answer comes in the ACK")
    func withoutOffer() throws {
        var made = try called()
        let offer = try made.makeOffer()
        #expect(offer.media[0].formats.prefix(3) == ["0", "111", "8"])
        try made.receive(answer: try description("m=audio 5000 RTP/AVP 111", "a=rtpmap:111 opus/48000/2", version: 2))
        #expect(made.inForce?.sending.codec.format == .opus)
        #expect(made.receipt?.offeredBy == .us)
    }
}
