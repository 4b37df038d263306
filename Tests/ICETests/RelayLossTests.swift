import ICE
import Link
import Testing

/// A TURN server that is started anew in mid-call, and one that is not.
@Suite("A relay that falls silent") struct RelayLossTests {
    private let network = SimulatedNetwork(seed: 4)
    private let server: SimulatedServer
    private let caller: Endpoint
    private let callee: Endpoint

    /// The caller has a relay and nothing else.
    init() {
        (server, caller, callee) = relayedCall(in: network, relayOnly: true)
        trickle(caller, callee, in: network)
        network.run(3000)
    }

    @Test("is asked whether it was started anew: another allocation and a restart carry the call on before consent is lost")
    func startedAnew() {
        #expect(caller.isNominated && callee.isNominated)
        server.startAnew()
        #expect(network.run(20_000, until: { caller.events.contains(.failed(.relayLost)) }))
        #expect(caller.events.contains(.serverFailed(ServerID(server.address), .lost)))
        for end in [caller, callee] { end.update { $0.restart(now: network.now) } }
        shareCredentials(caller, callee, in: network)
        network.run(100)
        for end in [caller, callee] { end.gather() }
        #expect(network.run(3000, until: { caller.isNominated && callee.isNominated }))
        caller.speak(7)
        callee.speak(8)
        network.run(200)
        #expect(callee.heardNumbers.last == 7 && caller.heardNumbers.last == 8)
        #expect(!caller.events.contains(.consentLost) && !callee.events.contains(.consentLost))
        #expect(server.allocationCount == 1)
    }

    @Test("and has the allocation yet is not to blame: it is asked once, and consent runs out after 30 s")
    func peerGone() {
        network.remove(callee)
        #expect(network.run(36_000, until: { caller.events.contains(.consentLost) }))
        #expect(server.count(.refresh) == 1)
        #expect(!caller.events.contains { if case .serverFailed = $0 { true } else { false } })
    }

    @Test("and does not answer is asked on, and consent runs out after 30 s as ever")
    func serverGone() {
        server.isDead = true
        #expect(network.run(36_000, until: { caller.events.contains(.consentLost) }))
        #expect(!caller.events.contains(.failed(.relayLost)))
    }
}
