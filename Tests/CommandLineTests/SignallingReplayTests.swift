import Reporting
import Testing

import Studio

@Suite("The messages of a bundle, once more") struct SignallingReplayTests {
    private struct Line {
        var direction: String
        var text: String
    }

    /// Times a tenth of a second apart.
    private func messages(_ lines: [Line]) -> JSONValue {
        .array(
            lines.enumerated().map { index, line in
                .object([
                    JSONMember("time", .string("2026-02-03T23:59:5\(8 + index / 10 % 2).\(index % 10)00Z")),
                    JSONMember("direction", .string(line.direction)), JSONMember("transport", .string("udp")),
                    JSONMember("remote", .string("192.0.2.9:5062")), JSONMember("text", .string(line.text)),
                ])
            })
    }

    private func request(_ method: String, _ number: Int, branch: String, to tag: String? = nil, body: String = "") -> Line {
        let kind = body.isEmpty ? "" : "Content-Type: application/sdp\n"
        return Line(
            direction: "sent",
            text: "\(method) sip:101@192.0.2.9:5062 SIP/2.0\nVia: SIP/2.0/UDP 192.0.2.7:5060;branch=z9hG4bK\(branch)\n"
                + "From: <sip:100@192.0.2.9>;tag=our-own-tag\nTo: <sip:101@192.0.2.9:5062>\(tag.map { ";tag=\($0)" } ?? "")\n"
                + "Call-ID: the-call-of-the-test\nCSeq: \(number) \(method)\n\(kind)Content-Length: \(body.utf8.count)\n\n\(body)"
        )
    }

    private func response(
        _ status: Int, _ number: Int, _ method: String, branch: String, tag: String, more: String = "", body: String = ""
    ) -> Line {
        let kind = body.isEmpty ? "" : "Content-Type: application/sdp\n"
        return Line(
            direction: "received",
            text: "SIP/2.0 \(status) Whatever\nVia: SIP/2.0/UDP 192.0.2.7:5060;branch=z9hG4bK\(branch)\n"
                + "From: <sip:100@192.0.2.9>;tag=our-own-tag\nTo: <sip:101@192.0.2.9:5062>;tag=\(tag)\n"
                + "Call-ID: the-call-of-the-test\nCSeq: \(number) \(method)\nContact: <sip:101@192.0.2.9:5062>\n\(more)\(kind)"
                + "Content-Length: \(body.utf8.count)\n\n\(body)")
    }

    /// A call with a password, a hold, and an end by us.
    private var call: [Line] {
        let challenge = "WWW-Authenticate: Digest realm=\"house\", nonce=\"abc\", algorithm=MD5, qop=\"auth\"\n"
        return [
            request("INVITE", 1, branch: "first-branch", body: "v=0\n"),
            response(401, 1, "INVITE", branch: "first-branch", tag: "theirs", more: challenge),
            request("ACK", 1, branch: "first-branch", to: "theirs"),
            request("INVITE", 2, branch: "second-branch", body: "v=0\n"),
            response(180, 2, "INVITE", branch: "second-branch", tag: "other"),
            response(200, 2, "INVITE", branch: "second-branch", tag: "other", body: "v=0\n"),
            request("ACK", 2, branch: "third-branch", to: "other"),
            request("INVITE", 3, branch: "fourth-branch", to: "other", body: "v=0\na=sendonly\n"),
            response(200, 3, "INVITE", branch: "fourth-branch", tag: "other", body: "v=0\na=recvonly\n"),
            request("ACK", 3, branch: "fifth-branch", to: "other"), request("BYE", 4, branch: "sixth-branch", to: "other"),
            response(200, 4, "BYE", branch: "sixth-branch", tag: "other"),
        ]
    }

    @Test("through a user agent give the messages that were sent: password, hold and end") func whole() throws {
        var replay = try #require(SignallingReplay(messages(call)))
        let found = replay.run()
        #expect(found.value(at: "differing") == .array([]))
        #expect(found.value(at: "same") == .boolean(true))
        #expect(found.value(at: "received") == .integer(5) && found.value(at: "sent") == .integer(7))
    }

    @Test("that were sent without a reason are told") func different() throws {
        let answer = Line(
            direction: "sent", text: response(200, 9, "BYE", branch: "seventh-branch", tag: "other").text)
        var replay = try #require(SignallingReplay(messages(call + [answer])))
        let found = replay.run()
        #expect(found.value(at: "differing") == .array([.string("200 BYE was sent, and is not sent again")]))
        #expect(found.value(at: "same") == .boolean(false))
    }

    @Test("that are none, or begin no call, are passed over") func none() {
        #expect(SignallingReplay(.null) == nil)
        #expect(SignallingReplay(.array([.string("x"), .object([])])) == nil)
        #expect(SignallingReplay(messages([request("BYE", 1, branch: "x", to: "y")])) == nil)
        #expect(SignallingReplay(messages([Line(direction: "sent", text: "INVITE")])) == nil)
    }
}
