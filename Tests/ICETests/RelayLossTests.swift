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

    @Test("takes the peer's with it, where both are of one server: another allocation and a restart carry the call on")
    func startedAnewForBoth() {
        let network = SimulatedNetwork(seed: 4)
        let server = SimulatedServer(address("198.51.100.1:3478"), in: network)
        let (caller, callee) = ends(in: network, server, server)
        #expect(caller.pairKind == .relayed && callee.pairKind == .relayed)
        server.startAnew()
        let isTold = { [caller, callee].contains { $0.events.contains(.failed(.relayLost)) } }
        #expect(network.run(20_000, until: isTold))
        for end in [caller, callee] { end.update { $0.restart(now: network.now) } }
        shareCredentials(caller, callee, in: network)
        network.run(100)
        for end in [caller, callee] { end.gather() }
        network.run(3000)
        caller.speak(7)
        callee.speak(8)
        network.run(200)
        #expect(callee.heardNumbers.last == 7 && caller.heardNumbers.last == 8)
        #expect(!caller.events.contains(.consentLost) && !callee.events.contains(.consentLost))
    }

    @Test("and is lost before there was a call, for a NAT that forgot its binding, is asked for anew")
    func forgottenBinding() {
        let network = SimulatedNetwork(seed: 4)
        let server = SimulatedServer(address("198.51.100.1:3478"), in: network)
        var configuration = ICEConfiguration()
        configuration.turnServers = [server.turn]
        configuration.relayOnly = true
        let nat = NAT(.symmetric, outside: ip("203.0.113.1"))
        let caller = Endpoint(
            "caller", in: network, [ip("10.0.0.1")], nat: nat, role: .controlling, configuration: configuration, seed: 1)
        let callee = Endpoint("callee", in: network, [ip("203.0.113.2")], role: .controlled, seed: 2)
        caller.gather()
        network.run(1000)
        nat.forget()
        for (one, other) in [(caller, callee), (callee, caller)] {
            one.onEvent = { [weak other] event in
                guard case .candidate(let candidate) = event else { return }
                network.after(30) { other?.update { $0.add(candidate, now: network.now) } }
            }
        }
        shareCredentials(caller, callee, in: network)
        callee.gather()
        #expect(network.run(5000, until: { caller.isNominated && callee.isNominated }))
        #expect(server.count(.createPermission, 437) == 1 && server.count(.allocate) == 2)
    }

    @Test("and knows no allocation however often it gives one is not asked for ever")
    func neverAllocated() {
        let network = SimulatedNetwork(seed: 4)
        let (server, caller, callee) = relayedCall(in: network, relayOnly: true)
        caller.gather()
        network.run(1000)
        network.tap = { datagram, _, destination in
            let method = (try? STUNMessage(datagram))?.method
            if destination == server.address, method == .createPermission { server.refusals = [437] }
        }
        trickle(caller, callee, in: network)
        network.run(10_000)
        #expect(caller.events.contains(.serverFailed(ServerID(server.address), .refused(437))))
        #expect(server.count(.allocate) < 8)
    }

    @Test("leaves the peer's, where that is of another server: the call goes on by it", arguments: [0, 1])
    func startedAnewForOne(which: Int) {
        let network = SimulatedNetwork(seed: 4)
        let servers = ["198.51.100.1:3478", "198.51.100.2:3478"].map { SimulatedServer(address($0), in: network) }
        let (caller, callee) = ends(in: network, servers[0], servers[1])
        servers[which].startAnew()
        network.run(40_000)
        caller.speak(7)
        callee.speak(8)
        network.run(200)
        #expect(callee.heardNumbers.last == 7 && caller.heardNumbers.last == 8)
        #expect(!caller.events.contains(.consentLost) && !callee.events.contains(.consentLost))
    }

    /// Both behind symmetric NATs, each with a relay: nominated on a pair by one of these.
    private func ends(
        in network: SimulatedNetwork, _ one: SimulatedServer, _ other: SimulatedServer
    ) -> (caller: Endpoint, callee: Endpoint) {
        func end(_ name: String, _ number: Int, _ server: SimulatedServer, _ role: ICERole) -> Endpoint {
            var configuration = ICEConfiguration()
            configuration.stunServers = [server.address]
            configuration.turnServers = [server.turn]
            return Endpoint(
                name, in: network, [ip("10.0.\(number).1")], nat: NAT(.symmetric, outside: ip("203.0.113.\(number)")),
                role: role,
                configuration: configuration, seed: UInt64(number))
        }
        let (caller, callee) = (end("caller", 1, one, .controlling), end("callee", 2, other, .controlled))
        trickle(caller, callee, in: network)
        network.run(3000)
        #expect(caller.isNominated && callee.isNominated)
        return (caller, callee)
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
