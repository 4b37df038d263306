import ICE
import Link
import Realtime
import Testing

@Suite("Gathering") struct GatheringTests {
    private let network = SimulatedNetwork(seed: 1)

    private func candidates(_ end: Endpoint) -> [CandidateKind] {
        end.events.compactMap { if case .candidate(let candidate) = $0 { candidate.kind } else { nil } }
    }

    @Test("host candidates come at once, the others as the servers answer, each address once")
    func order() {
        let server = SimulatedServer(address("198.51.100.1:3478"), in: network)
        var configuration = ICEConfiguration()
        configuration.stunServers = [server.address]
        configuration.turnServers = [server.turn]
        let end = Endpoint(
            "end", in: network, [ip("10.0.0.1")], nat: NAT(.portRestricted, outside: ip("203.0.113.1")), role: .controlling,
            configuration: configuration, seed: 1)
        end.gather()
        #expect(candidates(end) == [.host])
        network.run(40)
        #expect(candidates(end) == [.host, .serverReflexive])
        network.run(40)
        #expect(candidates(end) == [.host, .serverReflexive, .relayed])
        #expect(end.events.last == .gatheringDone)
        #expect(end.agent.localCandidates.map(\.priority) == end.agent.localCandidates.map(\.priority).sorted(by: >))
    }

    @Test("a dead server beside two that live delays neither candidates nor the call, nor the end of gathering")
    func deadServer() {
        let dead = SimulatedServer(address("198.51.100.66:3478"), in: network)
        dead.isDead = true
        let live = SimulatedServer(address("198.51.100.1:3478"), in: network)
        var configuration = ICEConfiguration()
        configuration.stunServers = [dead.address, live.address]
        configuration.turnServers = [dead.turn, live.turn]
        let nats = [NAT(.symmetric, outside: ip("203.0.113.1")), NAT(.symmetric, outside: ip("203.0.113.2"))]
        let caller = Endpoint(
            "caller", in: network, [ip("10.0.0.1")], nat: nats[0], role: .controlling, configuration: configuration, seed: 1)
        let callee = Endpoint(
            "callee", in: network, [ip("10.0.0.1")], nat: nats[1], role: .controlled, configuration: configuration, seed: 2)
        trickle(caller, callee, in: network)
        network.run(80)
        #expect(candidates(caller) == [.host, .serverReflexive, .relayed])
        #expect(network.run(300, until: { caller.isConnected && callee.isConnected }))
        #expect(network.run(1000, until: { caller.events.contains(.gatheringDone) }))
        // Candidates were complete after 80 ms.
        #expect(network.now <= HostTime(milliseconds: 500))
        #expect(network.run(1000, until: { caller.isNominated && callee.isNominated }))
        #expect(caller.agent.silentServers == [ServerID(dead.address)])
        #expect(caller.agent.answeringServers == [ServerID(live.address)])
        network.run(30_000)
        #expect(caller.events.count { $0 == .serverFailed(ServerID(dead.address), .noAnswer) } == 2)
        #expect(caller.isNominated)
    }

    @Test("servers that are all dead are waited for a second, and not at all once they are known to be")
    func silence() {
        let dead = SimulatedServer(address("198.51.100.66:3478"), in: network)
        dead.isDead = true
        var configuration = ICEConfiguration()
        (configuration.stunServers, configuration.turnServers) = ([dead.address], [dead.turn])
        let first = Endpoint("first", in: network, [ip("10.0.0.1")], role: .controlling, configuration: configuration, seed: 1)
        first.gather()
        network.run(980)
        #expect(!first.agent.isGatheringDone)
        network.run(40)
        #expect(first.agent.isGatheringDone)
        configuration.unawaitedServers = first.agent.silentServers
        let second = Endpoint(
            "second", in: network, [ip("10.0.0.2")], role: .controlling, configuration: configuration, seed: 2)
        second.gather()
        #expect(second.agent.isGatheringDone && second.events.last == .gatheringDone)
        configuration.relayOnly = true
        let hidden = Endpoint(
            "hidden", in: network, [ip("10.0.0.3")], role: .controlling, configuration: configuration, seed: 3)
        hidden.gather()
        #expect(!hidden.agent.isGatheringDone)
    }

    @Test("who hides his addresses tells relayed candidates only, and sends nothing but to the server")
    func relayOnly() {
        let server = SimulatedServer(address("198.51.100.1:3478"), in: network)
        var configuration = ICEConfiguration()
        configuration.stunServers = [server.address]
        configuration.turnServers = [server.turn]
        configuration.relayOnly = true
        let caller = Endpoint(
            "caller", in: network, [ip("203.0.113.1")], role: .controlling, configuration: configuration, seed: 1)
        let callee = Endpoint("callee", in: network, [ip("203.0.113.2")], role: .controlled, seed: 2)
        var destinations: Set<SocketAddress> = []
        network.tap = { _, source, destination in if source.address == ip("203.0.113.1") { destinations.insert(destination) } }
        trickle(caller, callee, in: network)
        #expect(network.run(3000, until: { caller.isNominated && callee.isNominated }))
        #expect(candidates(caller) == [.relayed])
        #expect(destinations == [server.address])
        #expect(caller.agent.localCandidates.filter { $0.kind == .relayed }.allSatisfy { $0.related == nil })
    }

    @Test("while it rings a NAT's binding is kept")
    func keepAlive() {
        let server = SimulatedServer(address("198.51.100.1:3478"), in: network)
        var configuration = ICEConfiguration()
        configuration.stunServers = [server.address]
        let end = Endpoint(
            "end", in: network, [ip("203.0.113.1")], role: .controlling, configuration: configuration, seed: 1)
        var requests = 0
        network.tap = { _, _, destination in requests += destination == server.address ? 1 : 0 }
        end.gather()
        network.run(61_000)
        #expect(requests == 5)
    }

    @Test("while it rings a NAT's binding towards a TURN server is kept")
    func relayKeepAlive() {
        let server = SimulatedServer(address("198.51.100.1:3478"), in: network)
        var configuration = ICEConfiguration()
        configuration.turnServers = [server.turn]
        let end = Endpoint(
            "end", in: network, [ip("203.0.113.1")], role: .controlling, configuration: configuration, seed: 1)
        end.gather()
        network.run(1000)
        var indications = 0
        network.tap = { _, _, destination in indications += destination == server.address ? 1 : 0 }
        network.run(60_000)
        #expect(indications == 4)
        end.update { $0.close(now: network.now) }
        #expect(end.nextDeadline == nil)
    }

    @Test("addresses at which nobody can be reached are no candidates; loopback only where there is nothing else")
    func addresses() {
        let end = Endpoint(
            "end", in: network, ["127.0.0.1", "fe80::1", "169.254.1.1", "0.0.0.0", "192.0.2.1", "::1", "2001:db8::1"].map(ip),
            role: .controlling, seed: 1)
        end.gather()
        #expect(end.agent.localCandidates.map(\.address.address) == [ip("2001:db8::1"), ip("192.0.2.1")])
        let alone = Endpoint("alone", in: network, [ip("127.0.0.1")], role: .controlling, seed: 1)
        alone.gather()
        #expect(alone.agent.localCandidates.map(\.address) == [address("127.0.0.1:5004")])
    }

    @Test("families come in turn, IPv6 first")
    func interleaved() {
        let own = ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2", "192.0.2.3"].map(ip)
        let end = Endpoint("end", in: network, own, role: .controlling, seed: 1)
        end.gather()
        let expected = ["2001:db8::1", "192.0.2.1", "2001:db8::2", "192.0.2.2", "192.0.2.3"].map(ip)
        #expect(end.agent.localCandidates.map(\.address.address) == expected)
    }
}
