import Reporting
import Service
import Testing
import WebClient

import Control

@Suite("The service from the command line") struct ControlRequestTests {
    private func made(_ line: String) throws -> String {
        let request = try ControlRequest(line.split(separator: " ").map(String.init))
        return "\(request.method) \(request.path) " + String(decoding: request.body ?? [], as: UTF8.self)
    }

    @Test(
        "words become a request",
        arguments: [
            ("calls", "GET /v1/calls "), ("call e1-1", "GET /v1/calls/e1-1 "), ("hangup e1-1", "DELETE /v1/calls/e1-1 "),
            ("dial sip:1@h", #"POST /v1/calls {"to":"sip:1@h"}"#),
            (
                "dial sip:1@h account=office audio.play=a.wav audio.loop=true wait=answered",
                #"POST /v1/calls {"to":"sip:1@h","account":"office","audio":{"play":"a.wav","loop":true},"wait":"answered"}"#
            ),
            ("digits e1-1 12#", ##"POST /v1/calls/e1-1/dtmf {"digits":"12#"}"##),
            ("transfer e1-1 sip:2@h", #"POST /v1/calls/e1-1/transfer {"to":"sip:2@h"}"#),
            ("transfer e1-1 sip:2@h;user=phone", #"POST /v1/calls/e1-1/transfer {"to":"sip:2@h;user=phone"}"#),
            ("transfer e1-1 call=e1-2", #"POST /v1/calls/e1-1/transfer {"call":"e1-2"}"#),
            ("audio e1-1 websocket=ws://h/ rate=8000", #"PUT /v1/calls/e1-1/audio {"websocket":"ws://h/","rate":8000}"#),
            (
                "change-rules office unanswered=forward forward_to=sip:2@h rings=3",
                #"PUT /v1/accounts/office/rules {"unanswered":"forward","forward_to":"sip:2@h","rings":3}"#
            ),
            (
                "change-rules office callers=sip:1@h,h handsets=",
                #"PUT /v1/accounts/office/rules {"callers":["sip:1@h","h"],"handsets":[]}"#
            ),
            (
                #"change-rules office handsets=["a,b","c"]"#,
                #"PUT /v1/accounts/office/rules {"handsets":["a,b","c"]}"#
            ),
            ("open-conference name=true", #"POST /v1/conferences {"name":"true"}"#),
            ("configured-rules office", "DELETE /v1/accounts/office/rules "),
            ("message sip:1@h a=b", #"POST /v1/messages {"to":"sip:1@h","text":"a=b"}"#),
            ("history q=a&b limit=3", "GET /v1/history?q=a%26b&limit=3 "), ("call ../x?y", "GET /v1/calls/..%2Fx%3Fy "),
            ("request put /v1/calls/e1-1/hold", "PUT /v1/calls/e1-1/hold "), ("request POST /v1/drain {}", "POST /v1/drain {}"),
        ])
    func words(_ line: String, _ request: String) throws {
        #expect(try made(line) == request)
    }

    @Test(
        "what makes none is refused with what does",
        arguments: [
            "", "cals", "call", "call a b", "dial", "dial sip:1@h loud", "digits e1-1", "hold e1-1 a=b", "request GET",
            "request GET calls", "request GET /v1/ä", "request G=T /v1/calls", "change-rules office callers=[x",
        ])
    func refused(_ line: String) {
        #expect { _ = try made(line) } throws: { error in
            guard case ControlError.usage(let text) = error else { return false }
            return text.contains("write") || text.contains("did you mean") || text.contains("help")
        }
    }

    @Test("a path that is no line of HTTP is refused before anybody is asked")
    func unwritablePath() {
        #expect(throws: ControlError.self) { try ControlRequest(["request", "GET", "/v1/calls/a b"]) }
    }

    @Test("every route has a verb, and every verb a route")
    func complete() {
        // What a browser or a program does, and whole files: request has them.
        let others = ["/v1/webrtc", "/v1/session", "/v1/relays", "stream", "bundle"]
        let routes = Routes.all.filter { route in
            (route.template.hasPrefix("/v1/") || !route.isOpen || route.template.hasSuffix("z"))
                && !others.contains { route.template.contains($0) }
        }
        let wanted = Set(routes.map { "\($0.method) \($0.template)" })
        let verbs = Set(ControlVerb.all.map { "\($0.method) \($0.template)" })
        #expect(wanted.subtracting(verbs).isEmpty && verbs.subtracting(wanted).isEmpty, "\(wanted.symmetricDifference(verbs))")
        #expect(Set(ControlVerb.all.map(\.name)).count == ControlVerb.all.count)
        for verb in ControlVerb.all { #expect(ControlVerb.list.contains(verb.help), "\(verb.name)") }
    }

    @Test(
        "exit codes are those of the program",
        arguments: [(401, 7), (403, 7), (404, 2), (400, 2), (409, 4), (503, 4), (429, 4), (500, 1)] as [(Int, Int32)])
    func exits(_ status: Int, _ code: Int32) {
        #expect(ControlError(status: status, "").exitCode == code)
    }

    @Test("who does not answer is told from who is there with a certificate that counts for nothing: each has its remedy")
    func unanswered() async throws {
        let place = try #require(WebAddress("http://127.0.0.1:9/"))
        // Nobody listens at the discard port of loopback.
        let failure = await #expect(throws: WebClient.Failure.self) {
            try await WebClient().ask(WebClient.Request("GET", "/"), of: place)
        }
        let nobody = ControlError(try #require(failure), of: place)
        #expect(nobody.exitCode == 8 && nobody.description.contains("(Connection refused)"), "\(nobody)")
        let distrusted = ControlError(WebClient.Failure("its certificate is old", .authority), of: place)
        #expect(distrusted.exitCode == 7 && distrusted.description.contains("--ca"), "\(distrusted)")
        let unread = await #expect(throws: WebClient.Failure.self) {
            try await WebClient(authorities: "/nonexistent/ca.pem").ask(
                WebClient.Request("GET", "/"), of: try #require(WebAddress("https://127.0.0.1:9/")))
        }
        let file = ControlError(try #require(unread), of: place)
        #expect(file.exitCode == 2 && file.description.contains("/nonexistent/ca.pem"), "\(file)")
        let misnamed = ControlError(WebClient.Failure("its certificate is of another name", .name), of: place)
        #expect(misnamed.exitCode == 7 && misnamed.description.contains("--url"), "\(misnamed)")
    }

    @Test("lists are a line each, other answers a line a value, and nothing is left out that says something")
    func text() throws {
        let list = try JSONValue(
            reading: #"{"calls":[{"id":"a","to":null,"muted":false,"held":{"by_us":true}},{"id":"b"}],"next":null}"#)
        #expect(ControlText.lines(list) == [#"id=a held={"by_us":true}"#, "id=b"])
        #expect(ControlText.lines(try JSONValue(reading: #"{"calls":[]}"#)) == ["no calls"])
        #expect(ControlText.lines(try JSONValue(reading: #"{"id":"a","n":3,"x":null}"#)) == ["id: a", "n: 3"])
    }
}
