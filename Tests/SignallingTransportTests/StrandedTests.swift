import SIP
import SignallingTransport
import Testing

@Suite("Streams from addresses that are gone") struct StrandedTests {
    private let former = SignallingAddress(host: "10.88.0.3", port: 40_000)
    private let server = SignallingAddress(host: "10.88.0.1", port: 5060)

    /// - Parameter own: this machine's addresses; the last one leads to all places, its own ones too; empty: none does.
    private func isStranded(_ own: String...) -> Bool {
        former.isStranded(
            towards: server, way: { _ in own.last.map { SignallingAddress(host: $0, port: 0) } },
            isOurs: { own.contains($0.host) })
    }

    @Test(
        "an address is ours where a socket can be bound to it",
        arguments: [
            ("127.0.0.1", true), ("127.0.0.77", true), ("::1", true), ("192.0.2.1", false), ("2001:db8::1", false),
        ])
    func ours(host: String, isOurs: Bool) { #expect(SignallingAddress(host: host, port: 5060).isOurs == isOurs) }

    @Test("one is dead as soon as another address leads to its peer") func elsewhere() {
        #expect(isStranded("10.89.0.3"))
        #expect(isStranded("127.0.0.1", "10.89.0.3"))
    }

    @Test("one whose address is there still lives, whichever address leads to its peer now") func besides() {
        #expect(!isStranded("10.88.0.3"))
        #expect(!isStranded("10.88.0.3", "10.89.0.3"))
    }

    @Test("without a way one waits for its address to come back") func nowhere() { #expect(!isStranded()) }
}
