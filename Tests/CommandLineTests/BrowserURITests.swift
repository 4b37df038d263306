import Settings
import Testing

@Suite("URIs where the call of a browser is waited for") struct BrowserURITests {
    @Test(
        "an address, and a port unless it is the usual one of the scheme",
        arguments: [
            ("http://127.0.0.1:8080/", "127.0.0.1", 8080, false), ("HTTP://192.0.2.7", "192.0.2.7", 80, false),
            ("https://[2001:db8::1]/", "2001:db8::1", 443, true), ("https://[::1]:0", "::1", 0, true),
        ] as [(String, String, UInt16, Bool)])
    func read(text: String, address: String, port: UInt16, isSecure: Bool) throws {
        let uri = try BrowserURI(parsing: text)
        #expect("\(uri.address)" == address && uri.port == port && uri.isSecure == isSecure)
        #expect(BrowserURI.isMeant(by: text))
    }

    @Test(
        "what is none says what should be written",
        arguments: [
            "http://", "http:///", "http://example.com", "http://localhost:8080", "http://127.0.0.1:x",
            "http://127.0.0.1:70000",
            "http://127.0.0.1:80/call", "http://127.0.0.1:80/?a=b", "http://127.0.0.1#token=x", "http://me@127.0.0.1",
            "http://::1",
            "http://[::1", "yodel://127.0.0.1", "",
        ])
    func wrong(text: String) {
        let error = #expect(throws: SettingsError.self) { try BrowserURI(parsing: text) }
        #expect("\(error.map { "\($0)" } ?? "")".contains("; use http://ADDRESS[:PORT]/"))
    }
}
