import Glibc
import ICE
import Link
import Realtime
import Testing

/// More of them by hand: `ICE_SEEDS=1000`.
private let seeds = 1...(getenv("ICE_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 40)

@Suite("Calls in disorder") struct ChaosTests {
    /// One call to which everything happens that may happen to it.
    private final class Disorder {
        let network: SimulatedNetwork
        let ends: [Endpoint]
        let servers: [SimulatedServer]
        private var random: SplitMix64
        private var nextHost: UInt8 = 2

        init(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            let network = SimulatedNetwork(seed: seed)
            let servers = ["198.51.100.1:3478", "198.51.100.2:3478"].map { SimulatedServer(address($0), in: network) }
            var configuration = ICEConfiguration()
            configuration.stunServers = servers.map(\.address)
            configuration.turnServers = servers.map(\.turn)
            var ends: [Endpoint] = []
            for number in 0...1 {
                let kind = ([nil] + NAT.Kind.allCases)[Int(random.next() % 4)]
                let outside = ip("203.0.113.\(number + 1)")
                let own = kind == nil ? outside : ip("10.0.\(number).1")
                let all = random.next() % 2 == 0 ? [own] : [own, ip("2001:db8::\(number + 1)")]
                // Sometimes both with one role.
                let role: ICERole = number == 0 || random.next() % 4 == 0 ? .controlling : .controlled
                ends.append(
                    Endpoint(
                        "end \(number)", in: network, all, nat: kind.map { NAT($0, outside: outside) }, role: role,
                        configuration: configuration, seed: random.next()))
            }
            network.loss = Double(random.next() % 4) * 0.1
            network.delay = 1 + Double(random.next() % 150)
            trickle(ends[0], ends[1], in: network, delay: Double(random.next() % 500))
            self.network = network
            self.servers = servers
            self.ends = ends
            self.random = random
        }

        /// Something happens.
        func disturb() {
            let end = ends[Int(random.next() % 2)]
            switch random.next() % 9 {
            case 0: network.loss = Double(random.next() % 10) * 0.1
            case 1: restart()
            case 2:
                nextHost += 1
                let isNew = end.nat == nil ? ip("192.0.2.\(nextHost)") : ip("10.9.\(nextHost).1")
                end.addresses = end.addresses.map { $0.family == .v4 ? isNew : $0 }
                restart()
            case 3: servers[Int(random.next() % 2)].isDead.toggle()
            case 4: for server in servers { server.changeNonce() }
            case 5: network.isBlocked = { source, _ in source.address.family == .v6 }
            case 6: network.isBlocked = { _, _ in false }
            case 7:
                // One end restarts, and the other never hears of it.
                end.update { $0.restart(now: network.now) }
            default: end.update { $0.add(candidateLine: "9 1 UDP 77 198.18.0.\(nextHost) 9 typ host", now: network.now) }
            }
            for end in ends { end.speak(1) }
            network.run(Double(random.next() % 20_000))
        }

        /// Quiet again, and one more offer.
        func calm() {
            network.loss = 0
            network.isBlocked = { _, _ in false }
            for server in servers { server.isDead = false }
            network.run(100)
            restart()
        }

        func restart() {
            for end in ends { end.update { $0.restart(now: network.now) } }
            shareCredentials(ends[0], ends[1], in: network)
            for end in ends { end.gather() }
        }
    }

    @Test(
        "whatever happened before, a restart in a quiet network connects both within 4 s, and speech passes", arguments: seeds)
    func disorder(seed: UInt64) {
        let call = Disorder(seed: seed)
        for _ in 0..<12 { call.disturb() }
        call.calm()
        let (one, other) = (call.ends[0], call.ends[1])
        #expect(call.network.run(4000, until: { one.isNominated && other.isNominated }), "seed \(seed)")
        // Role conflicts and late better pairs settle.
        call.network.run(2000)
        #expect(one.agent.role != other.agent.role, "seed \(seed)")
        let before = (one.heardNumbers.count, other.heardNumbers.count)
        for number: UInt8 in 1...10 {
            one.speak(number)
            other.speak(number)
            call.network.run(20)
        }
        call.network.run(500)
        #expect(one.heardNumbers.dropFirst(before.0).elementsEqual(1...10), "seed \(seed)")
        #expect(other.heardNumbers.dropFirst(before.1).elementsEqual(1...10), "seed \(seed)")
        for end in call.ends {
            #expect(end.agent.remoteCandidates.count <= ICEConfiguration.maximumRemoteCandidates)
            #expect(end.agent.localCandidates.count <= ICEConfiguration.maximumLocalCandidates)
        }
    }
}
