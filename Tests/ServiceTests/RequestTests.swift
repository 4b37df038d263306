import Reporting
import Testing

import Service

@Suite("Requests") struct RequestTests {
    @Test("without the token nothing but health is answered")
    func token() async {
        let bench = Bench()
        for headers in [
            ["authorization": ""], ["authorization": "Bearer wrong"], ["authorization": "Basic \(Bench.token)"],
            ["authorization": "Bearer \(Bench.token)x"], ["authorization": "Bearer \(Bench.token.dropLast())"],
        ] {
            for path in ["/v1/calls", "/metrics", "/nowhere"] {
                let refused = await bench.ask("GET", path, headers: headers)
                #expect(refused.status == 401 && refused.json.text("at") == "Authorization")
                #expect(refused.response.headers.contains { $0.name == "WWW-Authenticate" })
            }
            #expect(await bench.ask("GET", "/healthz", headers: headers).status == 200)
        }
        #expect(await bench.ask("GET", "/v1/calls", headers: ["authorization": "bearer \(Bench.token)"]).status == 200)
    }

    @Test("on loopback only its own names are answered")
    func host() async {
        let bench = Bench()
        for host in ["evil.example", "localhost.evil.example:8470", "", "127.evil.example"] {
            let status = await bench.ask("GET", "/healthz", headers: ["host": host]).status
            #expect(status == 421, "\(host)")
        }
        for host in ["localhost", "LOCALHOST:1", "127.0.0.1:8470", "[::1]:8470"] {
            #expect(await bench.ask("GET", "/healthz", headers: ["host": host]).status == 200, "\(host)")
        }
        #expect(await Bench(onLoopback: false).ask("GET", "/healthz", headers: ["host": "phone.example"]).status == 200)
    }

    @Test("a request may name the whole URL, and its host counts")
    func wholeURL() async {
        let bench = Bench()
        for (target, host, status) in [
            ("http://localhost:8470/v1/accounts/office?x=y", "evil.example", 200),
            ("HTTPS://127.0.0.1/healthz", "localhost", 200),
            ("http://[::1]:8470", "localhost", 200), ("http://evil.example/healthz", "localhost", 421),
            ("http://127.0.0.1:8470@evil.example/healthz", "localhost", 421), ("http://localhost/v2", "localhost", 404),
        ] {
            #expect(await bench.ask("GET", target, headers: ["host": host]).status == status, "\(target)")
        }
        #expect(APIRequest("GET", "http://localhost?q=1").query == ["q": "1"])
    }

    @Test("a page from elsewhere is refused, whatever it knows; its link to our page is not")
    func site() async {
        let bench = Bench()
        for site in ["cross-site", "same-site", "Cross-Site"] {
            let refused = await bench.ask("GET", "/v1/calls", headers: ["sec-fetch-site": site])
            #expect(refused.status == 403 && refused.json.text("at") == "Sec-Fetch-Site")
            #expect(await bench.ask("GET", "/", headers: ["sec-fetch-site": site]).status == 200)
        }
        for site in ["same-origin", "none"] {
            #expect(await bench.ask("GET", "/v1/calls", headers: ["sec-fetch-site": site]).status == 200)
        }
    }

    @Test("an unknown path, and a known one by a wrong method")
    func paths() async {
        let bench = Bench()
        let unknown = await bench.ask("GET", "/v2/calls")
        #expect(unknown.status == 404 && unknown.response.contentType == "application/problem+json")
        let wrong = await bench.ask("PATCH", "/v1/calls")
        #expect(wrong.status == 405)
        #expect(wrong.response.headers.contains { $0.name == "Allow" && $0.value == "GET, POST" })
        #expect(await bench.ask("HEAD", "/v1/calls").status == 200)
        #expect(await bench.ask("GET", "/v1/calls?x=y").status == 200)
    }

    @Test("each part of a path is decoded once, and only then compared")
    func encodedPaths() async {
        let bench = Bench(accounts: ["my office", "a/b", "50%", "50%25", "caf\u{e9}"])
        for (path, name) in [
            ("my%20office", "my office"), ("a%2Fb", "a/b"), ("a%2fb", "a/b"), ("50%25", "50%"), ("50%2525", "50%25"),
            ("caf%C3%A9", "caf\u{e9}"),
        ] {
            let answer = await bench.ask("GET", "/v1/accounts/\(path)")
            #expect(answer.status == 200 && answer.json.text("name") == name, "\(path)")
        }
        #expect(await bench.ask("GET", "/v1/acc%6Funts").status == 200)
        for path in ["my+office", "my%2520office", "a/b", "..%2Fmy%20office"] {
            #expect(await bench.ask("GET", "/v1/accounts/\(path)").status == 404, "\(path)")
        }
    }

    @Test(
        "a path that makes no sense is refused, and told apart only to who bears the token",
        arguments: ["%", "%2", "%zz", "%+1", "%00", "a%0Ab", "%ff", "%C3", "..", "%2e%2e", ".", "%2E"])
    func badPaths(part: String) async {
        let bench = Bench()
        for path in ["/v1/accounts/\(part)", "/v1/recordings/\(part)", "/\(part)/v1/calls"] {
            let refused = await bench.ask("GET", path)
            #expect(refused.status == 400 && refused.response.contentType == "application/problem+json", "\(path)")
            #expect(await bench.ask("GET", path, headers: ["authorization": ""]).status == 401, "\(path)")
        }
    }

    @Test(
        "what is wrong with a body is told",
        arguments: [
            ("{", 400, nil), ("[]", 400, nil), ("{}", 400, "to"), (#"{"to": 5}"#, 400, "to"),
            (#"{"to": "sip:a@b", "acount": "office"}"#, 400, "acount"), (#"{"to": "sip:a@b", "wait": "ringing"}"#, 400, "wait"),
            (#"{"to": "sip:a@b", "account": "home"}"#, 400, "account"), (#"{"to": "mailto:x"}"#, 400, nil),
            (#"{"to": "sip:a@b", "audio": {"devise": "null"}}"#, 400, "audio.devise"),
            (#"{"to": "sip:a@b", "audio": {"device": "file:secret.wav"}}"#, 400, "audio.device"),
            (#"{"to": "sip:a@b", "audio": {"device": "null", "echo": true}}"#, 400, "audio"),
            (#"{"to": "sip:a@b", "audio": {"play": "x.wav"}}"#, 400, "audio.play"),
            (#"{"to": "sip:a\u000ab"}"#, 400, "to"), (#"{"to": "sip:a@b", "to": "sip:c@d"}"#, 400, nil),
        ] as [(String, Int, String?)])
    func badBodies(body: String, status: Int, place: String?) async {
        let bench = Bench()
        let refused = await bench.ask("POST", "/v1/calls", body)
        #expect(refused.status == status && refused.json.text("at") == place, "\(refused.json.text)")
        #expect(refused.json.text("detail")?.isEmpty == false && refused.json.text("title") != nil)
        #expect(bench.telephone.calls.isEmpty)
    }

    @Test("a body nested too deep, and one of another kind")
    func limits() async {
        let bench = Bench()
        let deep = String(repeating: "[", count: 30_000)
        #expect(await bench.ask("POST", "/v1/calls", #"{"to": "# + deep).status == 400)
        let form = await bench.ask(
            "POST", "/v1/calls", "to=sip:a@b", headers: ["content-type": "application/x-www-form-urlencoded"])
        #expect(form.status == 415)
        let typed = await bench.ask(
            "POST", "/v1/calls", #"{"to": "sip:a@b", "zzzzzzzzzzzz": 1}"#,
            headers: ["content-type": "application/json; charset=utf-8"])
        #expect(typed.status == 201, "an unknown field that is like none is ignored")
    }

    @Test("a misspelt field is told its name")
    func nearest() async {
        let refused = await Bench().ask("POST", "/v1/calls", #"{"to": "sip:a@b", "acount": "office"}"#)
        #expect(refused.json.text("detail")?.contains("did you mean 'account'") == true)
    }

    @Test("a file is played out of the folder only")
    func files() throws {
        let ends = AudioEnds(devices: [], folder: "/usr/share")
        for name in ["../../etc/passwd", "/etc/passwd", "nothing.wav", "."] {
            let fields = try BodyFields(
                APIRequest(
                    "POST", "/", headers: ["content-type": "application/json"], body: Array(#"{"play": "\#(name)"}"#.utf8)),
                known: AudioEnds.fields)
            #expect(throws: Problem.self) { try ends.choose(fields) }
        }
    }
}
