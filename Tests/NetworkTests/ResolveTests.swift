import Link
import Network
import Testing

@Suite struct ResolveTests {
    @Test func numbersAndLocalhostResolve() throws {
        #expect(try resolve(host: "127.0.0.1", port: 9).map(\.description) == ["127.0.0.1:9"])
        #expect(try resolve(host: "::1", port: 9).map(\.description) == ["[::1]:9"])
        #expect(try resolve(host: "localhost", port: 9).allSatisfy { $0.address.isLoopback && $0.port == 9 })
    }

    @Test func anUnknownHostIsNamedInTheError() {
        // .invalid never resolves (RFC 6761 section 6.4).
        do {
            _ = try resolve(host: "nobody.invalid", port: 1)
            Issue.record("resolved")
        } catch {
            guard case .hostUnknown("nobody.invalid", _) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(error.description.contains("nobody.invalid"))
        }
    }
}
