import ICE
import Link
import Realtime
import Testing

@Suite("A peer that nominates several pairs") struct AggressiveNominationTests {
    private let network = SimulatedNetwork(seed: 1)
    private let nominator: Nominator
    private let end: Endpoint

    init() throws {
        nominator = Nominator(in: network)
        end = Endpoint("end", in: network, [ip("203.0.113.1"), ip("2001:db8::1")], role: .controlled, seed: 1)
        end.gather()
        try end.update { [nominator, network] agent throws(ICEError) in
            try agent.setRemote(nominator.credentials, now: network.now)
        }
    }

    private var family: IPAddress.Family? { end.agent.selected?.remote.address.address.family }

    @Test("in any order means the best of them", arguments: [[IPAddress.Family.v4, .v6], [.v6, .v4]])
    func best(order: [IPAddress.Family]) {
        for one in order { nominator.check(end, one, nominates: true) }
        network.run(500)
        #expect(family == .v6 && end.isNominated)
        // Its checks go on, each with USE-CANDIDATE.
        for _ in 0..<10 {
            for one in order { nominator.check(end, one, nominates: true) }
            network.run(1000)
        }
        #expect(family == .v6)
        #expect(end.events.count { if case .selected(let pair) = $0 { pair.isNominated } else { false } } <= 2)
    }

    @Test("and then means the worse one only is followed to it")
    func changedMind() {
        for one in [IPAddress.Family.v4, .v6] { nominator.check(end, one, nominates: true) }
        network.run(500)
        #expect(family == .v6)
        for _ in 0..<5 {
            nominator.check(end, .v4, nominates: true)
            nominator.check(end, .v6, nominates: false)
            network.run(1000)
        }
        #expect(family == .v4 && end.isNominated)
    }

    @Test("before our own check is answered is remembered")
    func early() {
        nominator.check(end, .v4, nominates: true)
        network.run(20)
        #expect(!end.isConnected)
        network.run(40)
        #expect(end.isNominated && family == .v4)
    }
}
