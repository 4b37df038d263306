import SIP
import Testing

@Suite("Header field values") struct HeaderValueTests {
    private func headers(_ lines: (HeaderName, String)...) -> Headers {
        Headers(lines.map { HeaderField($0.0, $0.1) })
    }

    @Test func namesAndParametersOfAddresses() throws {
        let quoted = try #require(NameAddress("\"A \\\"B\\\" \\\\ C\" <sip:a@h;lr>;tag=x;expires=5"))
        #expect(quoted.displayName == "A \"B\" \\ C")
        #expect(quoted.uri.sip?.isLooseRoute == true)
        #expect(quoted.tag == "x")
        #expect(NameAddress(quoted.text) == quoted)
        #expect(NameAddress("caller<sip:a@h>")?.displayName == "caller")
        let bare = try #require(NameAddress("sip:a@h;tag=1"))
        #expect(bare.uri.text == "sip:a@h")
        #expect(bare.tag == "1")
    }

    @Test(
        "bad addresses are refused",
        arguments: [
            "", "\"open <sip:a@h>", "A, B <sip:a@h>", "< sip:a@h >", "<sip:a@h", "<sip:a@h>;;x", "sip:a@h?x=y",
            "<sip:a@h> junk", "\"abc\\", "\"x\" sip:a@h",
        ])
    func badAddress(text: String) { #expect(NameAddress(text) == nil) }

    @Test func listsSplitOutsideOfQuotesAndBrackets() {
        let headers = headers(
            (.contact, "\"a, b\" <sip:x,y@h>;q=0.5, <sip:c@h;m=1,2>"), (.contact, "sip:d@h"))
        #expect(headers.contacts.map(\.uri.text) == ["sip:x,y@h", "sip:d@h"])
        #expect(headers.contacts.first?.displayName == "a, b")
    }

    @Test func viaWithEverything() throws {
        let via = try #require(
            headers((.via, "SIP  / 2.0 /  TCP   [2001:db8::9:1] : 5070 ; branch = z9hG4bKx ;received=[2001:db8::2];rport=9"))
                .topVia)
        #expect(via.transport == "TCP")
        #expect(via.host == "[2001:db8::9:1]")
        #expect(via.port == 5070)
        #expect(via.received == "2001:db8::2")
        #expect(via.responsePort == 9)
        #expect(via.transactionBranch == "z9hG4bKx")
        #expect(headers((.via, "SIP/2.0/UDP h;branch=z9hG4bK")).topVia?.transactionBranch == nil)
    }

    @Test func numbersOutOfRangeAreNone() {
        #expect(headers((.expires, "4294967296")).expires == nil)
        #expect(headers((.expires, "4294967295")).expires == .max)
        #expect(headers((.retryAfter, "120 (busy);duration=5")).retryAfter == 120)
        #expect(headers((.minSE, "90;x=y")).minSE == 90)
        #expect(headers((.rAck, "7 9 INVITE")).rAck == RAck(responseNumber: 7, cSeq: CSeq(number: 9, method: .invite)))
        #expect(headers((.rAck, "7 INVITE")).rAck == nil)
    }

    @Test func sessionReasonWarningReplaces() throws {
        #expect(
            headers((.sessionExpires, "1800 ; refresher = UAS")).sessionExpires
                == SessionExpires(seconds: 1800, refresher: .uas))
        let reasons = headers((.reason, "SIP ;cause=200 ;text=\"Call, elsewhere\", Q.850;cause=16")).reasons
        #expect(
            reasons == [
                Reason(namespace: "SIP", cause: 200, phrase: "Call, elsewhere"), Reason(namespace: "Q.850", cause: 16),
            ])
        let warning = Warning(code: 304, agent: "h:5060", phrase: "no \"codec\"")
        #expect(headers((.warning, warning.text)).warnings == [warning])
        let replaces = Replaces(callID: "a@b", toTag: "1", fromTag: "2", earlyOnly: true)
        #expect(Replaces(replaces.text) == replaces)
        #expect(Replaces("a;to-tag=1") == nil)
    }

    @Test func datesAreGMTOnly() {
        #expect(headers((.date, "Thu, 01 Jan 1970 00:00:10 GMT")).date?.secondsSince1970 == 10)
        #expect(headers((.date, "Sat, 13 Nov 2010 23:29:00 GMT")).date?.secondsSince1970 == 1_289_690_940)
        #expect(headers((.date, "Fri, 01 Jan 2010 16:00:00 EST")).date == nil)
    }

    @Test func challengesInOneFieldOrInSeveral() {
        let all = headers(
            (.wwwAuthenticate, "Digest realm=\"a\", nonce=\"1\", qop=\"auth, auth-int\", algorithm=SHA-256, stale=TRUE"),
            (.wwwAuthenticate, "Basic realm=\"x\", Digest realm=\"b, c\", nonce=\"2\"")
        ).challenges(.wwwAuthenticate)
        #expect(all.map(\.realm) == ["a", "b, c"])
        #expect(all.first?.isStale == true)
        #expect(all.first?.protections == ["auth", "auth-int"])
        #expect(all.last?.protections == nil)
    }

    @Test func theSDPPartOfAMultipartBodyIsFound() throws {
        let text = """
            preamble
            --b1
            Content-Type: text/plain

            hello
            --b1
            Content-Type: application/SDP

            v=0
            s=x
            --b1--
            """
        let body = Body(contentType: "multipart/mixed; boundary=\"b1\"", bytes: wire(text))
        #expect(body.parts.map(\.mediaType) == ["text/plain", "application/sdp"])
        #expect(body.sdp?.bytes == wire("v=0\ns=x"))
        #expect(Body(contentType: "multipart/mixed", bytes: wire(text)).sdp == nil)
        #expect(Body(contentType: "text/plain", bytes: []).sdp == nil)
        let open = Body(contentType: "multipart/mixed;boundary=b1", bytes: wire("--b1\nContent-Type: application/sdp\n\nv=0"))
        #expect(open.sdp == nil)
    }
}
