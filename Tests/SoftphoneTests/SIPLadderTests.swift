import Reporting
import Signalling
import Softphone
import Testing

@Suite("The messages of calls") struct SIPLadderTests {
    private func message(
        _ start: String, _ call: String, _ rest: String = "", _ direction: TracedMessage.Direction = .sent,
        name: String = "Call-ID"
    ) -> TracedMessage {
        let text = "\(start)\r\nVia: SIP/2.0/UDP h\r\n\(name): \(call)\r\n\(rest)\r\n"
        return TracedMessage(direction, transport: "udp", remote: "192.0.2.1:5060", octets: Array(text.utf8))
    }

    @Test("a call's messages are kept in order, whatever the field is called, and nothing else is")
    func order() {
        let ladder = SIPLadder()
        ladder.note(message("OPTIONS sip:a SIP/2.0", "other"))
        ladder.note(message("INVITE sip:a SIP/2.0", "one@h"), at: Timestamp(millisecondsSince1970: 1000))
        ladder.note(
            message("SIP/2.0 200 OK", "one@h", "", .received, name: "i"), at: Timestamp(millisecondsSince1970: 2000))
        ladder.note(message("INVITE sip:b SIP/2.0", "two@h"))
        ladder.note(TracedMessage(.sent, transport: "udp", remote: "h", octets: [13, 10, 13, 10]))
        ladder.note(TracedMessage(.sent, transport: "udp", remote: "h", octets: []))
        let steps = ladder.steps(of: ["one@h"])
        #expect(steps.map(\.direction) == ["sent", "received"] && steps[1].text.hasPrefix("SIP/2.0 200 OK\n"))
        #expect(ladder.steps(of: ["other"]).isEmpty && ladder.steps(of: []).isEmpty)
        #expect(ladder.steps(of: ["one@h", "two@h"]).count == 3)
    }

    @Test("no secret is shown")
    func masked() {
        let ladder = SIPLadder()
        ladder.note(
            message(
                "INVITE sip:u:hunter2@a SIP/2.0", "one",
                "Authorization: Digest username=\"u\", response=\"0123456789abcdef\"\r\n\r\na=crypto:1 X inline:c2VjcmV0"))
        let text = ladder.steps(of: ["one"]).map(\.text).joined()
        #expect(!text.contains("hunter2") && !text.contains("0123456789abcdef") && !text.contains("c2VjcmV0"))
        #expect(text.contains("username=\"u\""))
    }

    @Test("what is kept has an end: of messages, of calls, of bytes")
    func bounded() {
        let ladder = SIPLadder()
        for _ in 0..<(SIPLadder.stepLimit + 50) { ladder.note(message("INVITE sip:a SIP/2.0", "one")) }
        #expect(ladder.steps(of: ["one"]).count == SIPLadder.stepLimit)
        for number in 0..<SIPLadder.callLimit { ladder.note(message("INVITE sip:a SIP/2.0", "\(number)")) }
        #expect(ladder.steps(of: ["one"]).isEmpty && ladder.steps(of: ["0"]).count == 1)
        let large = String(repeating: "x", count: 60_000)
        for number in 0..<200 { ladder.note(message("INVITE sip:a SIP/2.0", "l\(number)", "Subject: \(large)\r\n")) }
        #expect(ladder.steps(of: ["0"]).isEmpty && ladder.steps(of: ["l0"]).isEmpty)
        #expect(ladder.steps(of: ["l199"]).count == 1)
        #expect((0..<200).reduce(0) { $0 + ladder.steps(of: ["l\($1)"]).count } * 60_000 <= SIPLadder.byteLimit)
    }
}
