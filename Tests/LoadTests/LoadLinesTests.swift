import Codecs
import Link
import LiveMedia
import Load
import Realtime
import SDP
import Signalling
import Testing

/// What signalling tells, and what whoever makes the calls hears of it.
@Suite("Calls of a load by signalling") struct LoadLinesTests {
    private let lines = LoadLines()
    private let runner: Mailbox<LoadSignal>
    private let id = SignalledCallID(number: 7)
    private let time = VirtualTime()

    init() throws {
        runner = try Mailbox()
        #expect(lines.open(3, telling: runner) { SignalledCallID(number: 7) } == id)
    }

    private func take(_ event: CallSignallingEvent) { lines.take(event, at: time.now) }

    /// What both sides agree on when our offer of `codec` is answered by `answer`, the lines of its media.
    private func agreed(_ codec: Codec = .pcmu, _ answer: String...) throws -> NegotiatedMedia {
        var media = MediaCapabilities(codecs: [codec])
        (media.telephoneEvents, media.comfortNoise, media.sharesPort) = (false, false, true)
        var negotiation = Negotiation(
            capabilities: media.described, local: LocalMedia(address: "192.0.2.1", port: 40_001, controlPort: 40_001),
            sessionID: 4000)
        let offer = try negotiation.makeOffer()
        #expect(offer.text.contains("m=audio 40001 RTP/AVP ") && offer.text.contains("a=rtcp-mux"))
        let head = ["v=0", "o=- 1 1 IN IP4 192.0.2.10", "s=-", "c=IN IP4 192.0.2.10", "t=0 0"]
        let text = (head + answer).joined(separator: "\r\n") + "\r\n"
        try negotiation.receive(answer: SessionDescription(parsing: text))
        let agreement = negotiation.inForce.flatMap { MediaAgreement($0) }
        return NegotiatedMedia(agreement: agreement, receipt: try #require(negotiation.receipt))
    }

    @Test("an answered call sends where the answer says, with the answer's payload type, and knows how long that took")
    func answered() throws {
        take(.dialog(id, callID: "a"))
        time.pass(milliseconds: 12)
        take(.negotiated(id, try agreed(.opus, "m=audio 6000 RTP/AVP 97", "a=rtpmap:97 opus/48000/2")))
        #expect(runner.takeAll().isEmpty, "nothing is sent before the answer")
        take(.answered(id, sipCode: 200, at: time.now))
        guard case .answered(3, let path?, let milliseconds?) = try #require(runner.takeAll().first) else {
            Issue.record("no answer with a path")
            return
        }
        #expect(milliseconds == 12)
        #expect(path.remote == SocketAddress(try IPAddress("192.0.2.10"), port: 6000))
        #expect(path.control == SocketAddress(try IPAddress("192.0.2.10"), port: 6001))
        #expect(path.payloadType == 97)
        #expect(path.receivedTypes.contains(Codec.opus.defaultPayloadType), "the other side sends by our offer's number")
    }

    @Test("an INVITE that is sent anew, with a password, is no other call: its time counts from the first")
    func challenged() throws {
        take(.dialog(id, callID: "a"))
        time.pass(milliseconds: 5)
        take(.dialog(id, callID: "b"))
        time.pass(milliseconds: 5)
        take(.negotiated(id, try agreed(.pcmu, "m=audio 6000 RTP/AVP 0")))
        take(.answered(id, sipCode: 200, at: time.now))
        guard case .answered(3, _?, let milliseconds) = try #require(runner.takeAll().first) else {
            Issue.record("no answer with a path")
            return
        }
        #expect(milliseconds == 10)
    }

    @Test("RTCP goes to the port of RTP where the other side shares it")
    func sharedPort() throws {
        let path = LoadPath(try #require(try agreed(.pcmu, "m=audio 6000 RTP/AVP 0", "a=rtcp-mux").agreement))
        #expect(path?.control == path?.remote && path?.payloadType == 0 && path?.receivedTypes == [0])
    }

    @Test("a call that is moved, held and resumed in the middle sends there, nothing, and there again")
    func moved() throws {
        take(.negotiated(id, try agreed(.pcmu, "m=audio 6000 RTP/AVP 0")))
        take(.answered(id, sipCode: 200, at: time.now))
        _ = runner.takeAll()
        let elsewhere = try agreed(.pcmu, "m=audio 7000 RTP/AVP 0")
        take(.negotiated(id, elsewhere))
        let path = elsewhere.agreement.flatMap { LoadPath($0) }
        #expect(path?.remote.port == 7000 && runner.takeAll() == [.moved(3, path)])
        take(.negotiated(id, elsewhere))
        #expect(runner.takeAll().isEmpty, "the same again changes nothing")
        take(.negotiated(id, try agreed(.pcmu, "m=audio 7000 RTP/AVP 0", "a=sendonly")))
        #expect(runner.takeAll() == [.moved(3, nil)])
        take(.negotiated(id, elsewhere))
        #expect(runner.takeAll() == [.moved(3, path)])
    }

    @Test("an answer without an address of media is an answer, and nothing is sent")
    func nowhere() {
        take(.answered(id, sipCode: 200, at: time.now))
        #expect(runner.takeAll() == [.answered(3, nil, milliseconds: nil)])
    }

    @Test("an end is told once, with its time, and nothing after it")
    func ended() throws {
        time.pass(milliseconds: 40)
        let ending = CallEnding(.busy, sipCode: 486, text: "Busy Here")
        take(.ended(id, ending))
        #expect(runner.takeAll() == [.ended(3, LoadEnding(ending), at: time.now)])
        take(.ended(id, ending))
        take(.negotiated(id, try agreed(.pcmu, "m=audio 6000 RTP/AVP 0")))
        take(.answered(id, sipCode: 200, at: time.now))
        #expect(runner.takeAll().isEmpty && lines.count == 0)
    }

    @Test("what is told of other calls, or of none, is nobody's here")
    func others() {
        take(.ended(SignalledCallID(number: 8), CallEnding(.busy, text: "")))
        take(.warning(nil, "a word"))
        take(.warning(id, "a word"))
        #expect(runner.takeAll().isEmpty && lines.count == 1)
    }

    @Test("each runner is told of its own calls only")
    func runners() throws {
        let other = try Mailbox<LoadSignal>()
        let second = lines.open(4, telling: other) { SignalledCallID(number: 8) }
        take(.answered(second, sipCode: 200, at: time.now))
        #expect(runner.takeAll().isEmpty && other.takeAll() == [.answered(4, nil, milliseconds: nil)])
    }
}

@Suite("Calls of a load that nobody answered") struct RefusedCallsTests {
    @Test("they are counted by status, or by why there was none, the most frequent first")
    func counted() {
        var refused = RefusedCalls()
        #expect(refused.line == nil && refused.json.text == "{}")
        refused.add(LoadEnding(CallEnding(.busy, sipCode: 486, text: "Busy Here")))
        for _ in 0..<2 { refused.add(LoadEnding(CallEnding(.network, sipCode: 503, text: "Service Unavailable"))) }
        refused.add(LoadEnding(CallEnding(.noCommonMedia, sipCode: 200, text: "no codec")))
        refused.add(LoadEnding(CallEnding(.noAnswer, text: "")))
        #expect(refused.count == 5)
        #expect(refused.json.text == #"{"503":2,"486":1,"no_answer":1,"refused":1}"#)
        #expect(
            refused.line
                == "refused: 2 by 503 (Service Unavailable), 1 by 486 (Busy Here), 1 by no_answer, 1 by refused (no codec)"
        )
    }

    @Test("one that we gave up ourselves is none that was refused")
    func given() {
        #expect(LoadEnding(CallEnding(.localHangup, sipCode: 487, text: "")).isOurs)
        #expect(!LoadEnding(CallEnding(.remoteHangup, text: "")).isOurs)
    }
}
