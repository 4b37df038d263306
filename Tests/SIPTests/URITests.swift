import SIP
import Testing

@Suite("URIs") struct URITests {
    @Test(
        "are written as they were read",
        arguments: [
            "sip:alice@example.com", "sips:alice@example.com:5061;transport=tcp", "sip:example.com",
            "sip:+1-212-555-1212:1234@gateway.example.com;user=phone", "sip:alice;day=tuesday@example.com",
            "sip:a%20b@example.com;lr;x=%41?subject=hi&priority=urgent", "sip:[2001:db8::1]:5070", "sip:u@[::ffff:192.0.2.1]",
            "tel:+49-30-1234;ext=7", "tel:863-1234;phone-context=+1-914-555", "urn:service:sos", "http://example.com/x",
        ])
    func roundTrip(text: String) throws {
        #expect(try uri(text).text == text)
    }

    @Test(
        "that are not well formed are refused",
        arguments: [
            "", "sip:", "sip:@example.com", "sip:a@", "sip:a@host:", "sip:a@host:0", "sip:a@host:65536", "sip:a@ho st",
            "sip:2001:db8::10", "sip:a%4@example.com", "sip:a%zz@example.com", "sip:a@example.com;;lr", "sip:a@[::1",
            "sip:a@[zz::]", "sip:a@example.com?x", "tel:", "tel:+", "tel:abcxyz", "1sip:a@b", "sip:a@example.com>x",
        ])
    func refused(text: String) { #expect(URI(text) == nil) }

    @Test func aSemicolonBeforeTheAtBelongsToTheUser() throws {
        let sip = try #require(try uri("sip:user;par=u%40example.net@example.com").sip)
        #expect(sip.userText == "user;par=u@example.net")
        #expect(sip.host == "example.com")
        #expect(sip.parameters.items.isEmpty)
    }

    @Test func anEscapedNulIsKept() throws {
        let sip = try #require(try uri("sip:null-%00-null@example.com").sip)
        let user = try #require(sip.userText)
        #expect(user == "null-\u{0}-null")
        #expect(try !uri("sip:%00@h").isEquivalent(to: uri("sip:%00%00@h")))
    }

    @Test func aUserIsEscapedWhenAURIIsMade() {
        #expect(SIPURI(user: "a b@c\r\n", host: "example.com").text == "sip:a%20b%40c%0D%0A@example.com")
        #expect(SIPURI(host: "2001:db8::1").text == "sip:[2001:db8::1]")
    }

    /// Pairs after the rules of RFC 3261 section 19.1.4.
    @Test(
        "mean the same",
        arguments: [
            ("sip:%62ob@example.com;transport=TCP", "sip:bob@EXAMPLE.com;Transport=tcp"),
            ("sip:dora@example.com", "sip:dora@example.com;newparam=5"),
            ("sip:dora@example.com;security=on", "sip:dora@example.com;newparam=5"),
            ("sip:example.org;transport=tcp?to=sip%3Ax&subject=y", "sip:example.org;transport=tcp?subject=y&to=sip:x"),
            ("sip:e@example.com?Subject=a", "sip:e@example.com?subject=a"),
            ("tel:+1-212-555", "tel:+1212555"), ("tel:+1(2)3", "tel:+123"),
        ])
    func same(left: String, right: String) throws {
        #expect(try uri(left).isEquivalent(to: uri(right)))
        #expect(try uri(right).isEquivalent(to: uri(left)))
    }

    @Test(
        "mean something else",
        arguments: [
            ("sip:Alice@example.com", "sip:alice@example.com"), ("sip:a@example.com", "sips:a@example.com"),
            ("sip:a@example.com", "sip:a@example.com:5060"), ("sip:a@example.com", "sip:a@example.com;transport=udp"),
            ("sip:a@example.com", "sip:a:pw@example.com"), ("sip:a@example.com;user=phone", "sip:a@example.com"),
            ("sip:a@example.com;x=1", "sip:a@example.com;x=2"), ("sip:a@example.com?s=1", "sip:a@example.com"),
            ("sip:a@example.com", "sip:example.com"), ("tel:+1234", "tel:1234"),
        ])
    func different(left: String, right: String) throws {
        #expect(try !uri(left).isEquivalent(to: uri(right)))
        #expect(try !uri(right).isEquivalent(to: uri(left)))
    }
}
