import Signalling
import Testing

@Suite("Whom an account may reach") struct CalleeTests {
    @Test(
        "patterns with an @ are of whole addresses, others of the account's own domain; what is unclear is not reached",
        arguments: [
            ("sip:102@example.com", ["102@example.com"], true), ("sip:103@example.com", ["102@example.com"], false),
            ("sips:102@EXAMPLE.com:5099;transport=tcp", ["10*@example.com"], true), ("sip:102@example.com", ["1*"], true),
            ("sip:102@evil.example", ["1*"], false), ("sip:202@example.com", ["1*"], false), ("sip:a@b", [], true),
            ("tel:+49-30-123", ["+49*"], true), ("tel:+1900123", ["+49*"], false), ("tel:+4930", ["+49*@example.com"], true),
            ("sip:+4930@example.com;user=phone", ["tel:+49*"], true), ("sip:%2B4930@example.com", ["+49*"], true),
            ("sip:%31900@example.com", ["+49*"], false), ("sip:x@partner.example", ["*@partner.example"], true),
            ("sip:x@partner.example;y@evil.example", ["*@partner.example"], true),
            ("sip:x%40partner.example@evil.example", ["*@partner.example"], false),
            ("sip:102%40x@evil.example", ["102@*"], false),
            ("sip:102@example.com;maddr=192.0.2.66", ["1*"], false), ("sip:102@example.com;maddr=EXAMPLE.com", ["1*"], true),
            ("sip:x@evil.example?a=@partner.example", ["*@partner.example"], false),
            ("sip:example.com", ["*"], true), ("http://example.com/", ["*"], false), ("102", ["*"], false), ("", ["*"], false),
            ("sip:102@evil.example", ["*@*"], true), ("sip:102@example.com:5060", ["*"], true), ("sip:102@other", ["*"], false),
        ] as [(String, [String], Bool)])
    func reaches(target: String, callees: [String], reaches: Bool) {
        var account = AccountSettings(name: "office", uri: "sip:101@example.com")
        account.callees = callees
        #expect(account.mayReach(target) == reaches)
    }

    @Test("a refusal says which key to look at") func words() {
        let words = AccountSettings(name: "office", uri: "sip:101@example.com").unreached("sip:x@y")
        #expect(words.contains("accounts.office.callees") && words.contains("sip:x@y"))
    }
}
