import ICE
import Link
import Realtime
import Testing

/// What stands before a machine; nil is the open network.
private let kinds: [NAT.Kind?] = [nil, .fullCone, .portRestricted, .symmetric]

@Suite("Two agents through address translators") struct NATMatrixTests {
    /// One call.
    private struct Scene {
        let network: SimulatedNetwork
        let server: SimulatedServer
        let caller: Endpoint
        let callee: Endpoint

        init(_ one: NAT.Kind?, _ other: NAT.Kind?, turn: Bool, seed: UInt64) {
            network = SimulatedNetwork(seed: seed)
            server = SimulatedServer(address("198.51.100.1:3478"), in: network)
            var configuration = ICEConfiguration()
            configuration.stunServers = [server.address]
            if turn { configuration.turnServers = [server.turn] }
            let nat1 = one.map { NAT($0, outside: ip("203.0.113.1")) }
            let nat2 = other.map { NAT($0, outside: ip("203.0.113.2")) }
            caller = Endpoint(
                "caller", in: network, [ip(one == nil ? "203.0.113.1" : "10.0.0.1")], nat: nat1, role: .controlling,
                configuration: configuration, seed: seed)
            callee = Endpoint(
                "callee", in: network, [ip(other == nil ? "203.0.113.2" : "10.0.1.1")], nat: nat2, role: .controlled,
                configuration: configuration, seed: seed + 1)
        }

        /// - Returns: milliseconds until both sides have a nominated pair; nil when there is none after `patience` ms.
        func connect(patience: Double = 5000) -> Double? {
            trickle(caller, callee, in: network)
            guard network.run(patience, until: { caller.isNominated && callee.isNominated }) else { return nil }
            return network.now.milliseconds(since: .zero)
        }

        /// Says something in each direction, and hears it.
        func talk() -> Bool {
            network.run(200)
            let before = (caller.heardNumbers.count, callee.heardNumbers.count)
            for number: UInt8 in 1...10 {
                caller.speak(number)
                callee.speak(number)
                network.run(20)
            }
            network.run(200)
            return caller.heardNumbers.dropFirst(before.0).elementsEqual(1...10)
                && callee.heardNumbers.dropFirst(before.1).elementsEqual(1...10)
        }
    }

    /// The dearest end of the cheapest way that these NATs leave open.
    private func cheapest(_ one: NAT.Kind?, _ other: NAT.Kind?) -> CandidateKind {
        switch (one, other) {
        case (nil, nil): .host
        case (.symmetric, .symmetric), (.symmetric, .portRestricted), (.portRestricted, .symmetric): .relayed
        default: .serverReflexive
        }
    }

    @Test(
        "STUN and TURN: every combination connects by the cheapest kind of pair in under 1 s, and speech passes",
        arguments: kinds, kinds)
    func matrix(one: NAT.Kind?, other: NAT.Kind?) {
        for seed: UInt64 in 1...5 {
            let scene = Scene(one, other, turn: true, seed: seed)
            let told = scene.connect()
            #expect(told.map { $0 < 1000 } ?? false, "seed \(seed): \(String(describing: told))")
            for end in [scene.caller, scene.callee] {
                // Reflexive kinds cost the same, whoever showed them.
                let kind = end.pairKind
                let expected = cheapest(one, other)
                #expect(
                    kind.map { !($0 < expected) && !(expected < $0) } ?? false,
                    "seed \(seed): \(end.name) \(String(describing: kind))")
            }
            #expect(scene.caller.agent.selected?.remote.address == scene.callee.agent.selected?.local.address, "seed \(seed)")
            #expect(scene.talk(), "seed \(seed)")
        }
    }

    @Test(
        "STUN alone: what a relay would be needed for fails after 39.5 s with its reason, all else connects", arguments: kinds,
        kinds)
    func withoutRelay(one: NAT.Kind?, other: NAT.Kind?) {
        let scene = Scene(one, other, turn: false, seed: 7)
        let isPossible = cheapest(one, other) != .relayed
        #expect((scene.connect() != nil) == isPossible)
        scene.network.run(45_000)
        for end in [scene.caller, scene.callee] {
            #expect(end.events.contains(.failed(.noAnswer)) == !isPossible)
        }
    }

    @Test("a fifth of all datagrams lost: every combination connects all the same", arguments: kinds, kinds)
    func loss(one: NAT.Kind?, other: NAT.Kind?) {
        for seed: UInt64 in 1...5 {
            let scene = Scene(one, other, turn: true, seed: seed)
            scene.network.loss = 0.2
            #expect(scene.connect(patience: 8000) != nil, "seed \(seed)")
            scene.network.loss = 0
            #expect(scene.talk(), "seed \(seed)")
        }
    }

    @Test("two machines behind one NAT talk by their own addresses")
    func sameHome() {
        let network = SimulatedNetwork(seed: 1)
        let nat = NAT(.symmetric, outside: ip("203.0.113.1"))
        let caller = Endpoint("caller", in: network, [ip("10.0.0.1")], nat: nat, role: .controlling, seed: 1)
        let callee = Endpoint("callee", in: network, [ip("10.0.0.2")], nat: nat, role: .controlled, seed: 2)
        trickle(caller, callee, in: network)
        #expect(network.run(1000, until: { caller.isNominated && callee.isNominated }))
        #expect(caller.pairKind == .host && callee.pairKind == .host)
    }

    @Test("IPv6 is taken where both have it, IPv4 where one has not", arguments: [true, false])
    func families(bothHaveV6: Bool) {
        let network = SimulatedNetwork(seed: 1)
        let caller = Endpoint(
            "caller", in: network, [ip("203.0.113.1"), ip("2001:db8::1")], role: .controlling, seed: 1)
        let own = [ip("203.0.113.2")] + (bothHaveV6 ? [ip("2001:db8::2")] : [])
        let callee = Endpoint("callee", in: network, own, role: .controlled, seed: 2)
        trickle(caller, callee, in: network)
        #expect(network.run(1000, until: { caller.isNominated && callee.isNominated }))
        #expect(caller.agent.selected?.remote.address.address.family == (bothHaveV6 ? .v6 : .v4))
    }
}
