import ICE
import Link
import Realtime
import Testing

/// Other addresses of ours that no signalling tells the peer of.
@Suite("Addresses that the peer is not told of") struct MoveTests {
    private let network = SimulatedNetwork(seed: 1)

    private func ends(_ configuration: ICEConfiguration = ICEConfiguration()) -> (peer: Endpoint, end: Endpoint) {
        var own = configuration
        own.hostPreference = 0x7fff
        let peer = Endpoint(
            "peer", in: network, [ip("203.0.113.1")], role: .controlling, configuration: configuration, seed: 1)
        let end = Endpoint("end", in: network, [ip("203.0.113.2")], role: .controlled, configuration: own, seed: 2)
        trickle(peer, end, in: network)
        network.run(2000)
        return (peer, end)
    }

    private func move(_ end: Endpoint, to text: String) {
        end.addresses = [ip(text)]
        end.update { $0.move(to: end.addresses, port: end.port, now: network.now) }
    }

    private func priority(of place: String, at peer: Endpoint) -> UInt32? {
        peer.agent.remoteCandidates.first { $0.address == address(place) }?.priority
    }

    @Test("are shown by a check at once, each with a greater priority than those before, and media pass from there")
    func shown() throws {
        let (peer, end) = ends()
        #expect(end.isNominated && end.agent.selected?.local.address == address("203.0.113.2:5004"))
        var before = try #require(priority(of: "203.0.113.2:5004", at: peer))
        for number: UInt8 in 3...6 {
            let place = "203.0.113.\(number)"
            move(end, to: place)
            end.speak(number)
            network.run(network.delay + 1)
            let shown = try #require(priority(of: "\(place):5004", at: peer))
            #expect(shown > before)
            before = shown
            #expect(peer.heardNumbers.last == number)
            network.run(network.delay + 1)
            #expect(end.agent.selected?.local.address == address("\(place):5004"))
            #expect(end.agent.selected?.isNominated == true)
            guard case .selected(let pair)? = end.events.last(where: { if case .selected = $0 { true } else { false } }) else {
                Issue.record("nothing is told")
                return
            }
            #expect(pair.local.address == address("\(place):5004"))
        }
        #expect(!end.events.contains(.consentLost) && !peer.events.contains(.consentLost))
    }

    @Test("are where the peer goes on, and nobody loses consent")
    func followed() {
        let (peer, end) = ends()
        move(end, to: "203.0.113.3")
        for number: UInt8 in 0..<250 where end.heardNumbers.isEmpty {
            peer.speak(number)
            network.run(100)
        }
        #expect(!end.heardNumbers.isEmpty)
        network.run(60_000)
        #expect(peer.agent.selected?.remote.address == address("203.0.113.3:5004"))
        #expect(!end.events.contains(.consentLost) && !peer.events.contains(.consentLost))
    }

    @Test("lead through an allocation that is made anew, where no other way is open")
    func relayed() {
        let server = SimulatedServer(address("198.51.100.1:3478"), in: network)
        var configuration = ICEConfiguration()
        configuration.turnServers = [server.turn]
        // Nothing passes but to and from the server.
        network.isBlocked = { source, destination in
            source.address != server.address.address && destination.address != server.address.address
        }
        let (peer, end) = ends(configuration)
        #expect(end.isNominated)
        let former = end.agent.localCandidates.first { $0.kind == .relayed }?.address
        move(end, to: "203.0.113.3")
        let isBack = network.run(1000) {
            guard let local = end.agent.selected?.local else { return false }
            return local.kind == .relayed && local.address != former
        }
        #expect(isBack)
        let latter = end.agent.localCandidates.first { $0.kind == .relayed }?.address
        #expect(latter != nil && latter != former)
        end.speak(9)
        network.run(200)
        #expect(peer.heardNumbers.last == 9)
        #expect(!end.events.contains { if case .failed = $0 { true } else { false } })
    }

    @Test("of the other family: what leads nowhere any more is left for what works")
    func otherFamily() {
        let peer = Endpoint(
            "peer", in: network, [ip("203.0.113.1"), ip("2001:db8::1")], role: .controlling, seed: 1)
        let end = Endpoint("end", in: network, [ip("203.0.113.2")], role: .controlled, seed: 2)
        trickle(peer, end, in: network)
        network.run(2000)
        #expect(end.isNominated)
        move(end, to: "2001:db8::2")
        #expect(network.run(500, until: { end.agent.selected?.local.address.address == ip("2001:db8::2") }))
        end.speak(7)
        network.run(100)
        #expect(peer.heardNumbers.last == 7)
    }
}
