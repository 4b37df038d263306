import Link
import Media
import Realtime
import Reporting
import Softphone
import Testing

@Suite("What a call's media tell") struct EventTranslationTests {
    private static let here = SocketAddress(IPAddress(v4: 0xC000_0201), port: 4000)
    private static let there = SocketAddress(IPAddress(v4: 0xC000_0202), port: 4002)

    @Test(
        "keeps the names, members and lines that scripts and people read",
        arguments: [
            (
                .sourceChanged(from: 1, to: 255), "ssrc_changed", #""from":1,"to":255"#,
                "the other side began a new stream (SSRC 0x1 to 0xff)"
            ),
            (
                .remoteMoved(from: here, to: there), "remote_changed", #""from":"192.0.2.1:4000","to":"192.0.2.2:4002""#,
                "the other side moved from 192.0.2.1:4000 to 192.0.2.2:4002"
            ),
            (
                .remoteLost(here), "remote_changed", #""from":"192.0.2.1:4000","to":null"#,
                "192.0.2.1:4000 sent a few packets and fell silent; waiting for a caller again"
            ),
            (
                .bufferReset(reason: "new_source"), "buffer_reset", #""reason":"new_source""#,
                "jitter buffer began anew: new_source"
            ),
            (
                .digitReceived("5", durationMilliseconds: 80), "dtmf", #""digit":"5","direction":"received""#,
                "digit 5 received"
            ),
            (
                .formatFollowed(MediaFormat(.pcmu)), "codec_changed", #""codec":"pcmu","payload_type":0"#,
                "the other side speaks pcmu (payload type 0), and so do we"
            ),
            (
                .formatRefused("no memory"), "warning", #""message":"the codec stays: no memory""#,
                "warning: the codec stays: no memory"
            ),
            (
                .secured(suite: "s", fingerprint: "f"), "secured", #""suite":"s","kind":"dtls_srtp","fingerprint":"f""#,
                "encrypted by s, the other side's certificate f"
            ),
            (
                .notSecured(reason: "unanswered", isCertificate: false), "warning",
                #""message":"no encrypted call: unanswered""#, "warning: no encrypted call: unanswered"
            ),
            (.ended(.remoteHangup), "call_ended", #""reason":"remote_hangup""#, "call ended: remote_hangup"),
        ] as [(CallEvent, String, String, String)])
    func names(event: CallEvent, type: String, members: String, line: String) {
        let told = Event(
            EventBody(event, remote: "r", start: .zero, mediaStart: nil), time: Timestamp(millisecondsSince1970: 0))
        #expect(told.json.text == #"{"type":"\#(type)","time":"1970-01-01T00:00:00.000Z",\#(members)}"#)
        #expect(told.text == line)
        #expect(told.body.type == type)
    }

    @Test("says where nothing came for too long who is meant, whether he was heard, and what to do; of other ends nothing")
    func mediaTimeout() {
        func explanation(_ reason: EndReason, remote: String, mediaStart: HostTime?) -> String? {
            let body = EventBody(.ended(reason), remote: remote, start: .zero, mediaStart: mediaStart)
            guard case .callEnded(_, _, _, let text) = body else { return nil }
            return text
        }
        let heard = explanation(.mediaTimeout, remote: "192.0.2.1:4000", mediaStart: .zero)
        #expect(heard == EndReason.mediaTimeout.explanation(of: "192.0.2.1:4000", wasHeard: true))
        #expect(heard?.contains("nothing came from 192.0.2.1:4000 any more") == true)
        #expect(heard?.contains("our own has changed: call again") == true)
        let unheard = explanation(.mediaTimeout, remote: "", mediaStart: nil)
        #expect(unheard?.hasPrefix("nothing came from the other side; ") == true)
        for reason in EndReason.allCases where reason != .mediaTimeout {
            #expect(explanation(reason, remote: "r", mediaStart: .zero) == nil)
        }
    }

    @Test("is the same when it is told in the same form, and another when it says something else") func forms() {
        func body(_ reason: String) -> EventBody {
            EventBody(.bufferReset(reason: reason), remote: "r", start: .zero, mediaStart: nil)
        }
        #expect(body("newSource") == body("newSource"))
        #expect(body("newSource") != body("jump"))
    }
}
