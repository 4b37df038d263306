import Link
import SDP
import Signalling
import Testing

private func candidate(_ address: String) -> ICECandidate {
    ICECandidate(foundation: "1", priority: 1, address: address, port: 40_000, type: "host")
}

private func ice(_ user: String, _ candidates: [ICECandidate], isOffered: Bool) -> LocalICE {
    let identity = ICEIdentity(userFragment: user, password: MediaSecret("abcdefghijklmnopqrstuvwx"))
    return LocalICE(ICEDescription(identity, candidates: candidates), isOffered: isOffered)
}

@Suite("Addresses in offers by SIP")
struct AddressTests {
    struct Case: Sendable {
        var candidates: [String]
        var isOffered = true
        var told: String
        var hasICE: Bool
    }

    @Test(
        "who is called by way of loopback is told a network's address where ICE is offered",
        arguments: [
            Case(candidates: ["192.0.2.7"], told: "192.0.2.7", hasICE: true),
            Case(candidates: ["2001:db8::7", "192.0.2.7"], told: "192.0.2.7", hasICE: true),
            Case(candidates: ["192.0.2.7", "127.0.0.1"], told: "127.0.0.1", hasICE: true),
            Case(candidates: ["2001:db8::7"], told: "127.0.0.1", hasICE: false),
            Case(candidates: ["192.0.2.7"], isOffered: false, told: "127.0.0.1", hasICE: false),
        ])
    func loopback(one: Case) async throws {
        try await withPhones(Phone(), Phone()) { left, right in
            let offered = ice("left", one.candidates.map(candidate), isOffered: one.isOffered)
            _ = left.call(right, ports: LocalPorts(port: 40_000, ice: offered))
            let (call, _) = try await right.incoming()
            var own = candidate("192.0.2.8")
            own.port = 41_000
            right.signalling.prepare(
                call, media: LocalPorts(address: "192.0.2.8", port: 41_000, ice: ice("right", [own], isOffered: false)))
            right.signalling.answer(call)
            try await left.answered()
            let agreed = try await right.agreement()
            #expect(agreed.remote == SocketAddress(try IPAddress(one.told), port: 40_000))
            #expect((agreed.ice != nil) == one.hasICE)
        }
    }
    @Test(
        "an address that nobody beyond our NAT reaches is told with the remedy; any other is not",
        arguments: [
            ("192.168.1.7", "203.0.113.9", true), ("100.64.0.7", "203.0.113.9", true), ("198.51.100.7", "203.0.113.9", false),
            ("192.168.1.7", "10.1.1.9", false),
        ])
    func behindNAT(own: String, peer: String, isTold: Bool) async throws {
        try await withPhones(Phone(), Phone()) { left, right in
            _ = left.call(right, ports: LocalPorts(address: peer, port: 40_000))
            let (call, _) = try await right.incoming()
            right.signalling.prepare(call, media: LocalPorts(address: own, port: 41_000))
            right.signalling.answer(call)
            try await left.answered()
            let warnings = right.events.compactMap { if case .warning(call, let text) = $0 { text } else { nil } }
            #expect(warnings.count == (isTold ? 1 : 0))
            #expect(warnings.allSatisfy { $0.contains(own) && $0.contains("network.stun") })
        }
    }
}
