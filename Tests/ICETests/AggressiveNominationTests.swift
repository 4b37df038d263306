import ICE
import Link
import Realtime
import Testing

/// A controlling agent that nominates as it likes: what browsers do, and what RFC 5245 called aggressive.
private final class Nominator: NetworkNode {
    let addresses = [ip("203.0.113.9"), ip("2001:db8::9")]
    let credentials: ICECredentials
    private let network: SimulatedNetwork
    private var number: UInt128 = 1

    init(in network: SimulatedNetwork) {
        guard let credentials = ICECredentials(userFragment: "nomi", password: "apasswordofthenominator") else {
            preconditionFailure("credentials")
        }
        self.credentials = credentials
        self.network = network
        network.add(self)
    }

    func take(_ datagram: [UInt8], from source: SocketAddress, to destination: SocketAddress, now: HostTime) {
        let key = STUNKey(shortTerm: credentials.password)
        guard let message = try? STUNMessage(datagram), message.messageClass == .request, message.verify(key) == .valid else {
            return
        }
        var answer = STUNBuilder(.success, .binding, message.transaction)
        answer.add(.xorMappedAddress, source)
        network.send(answer.finished(key, fingerprint: true), from: destination, of: self, to: source)
    }

    /// Sends a check by the pair of a family.
    func check(_ end: Endpoint, _ family: IPAddress.Family, nominates: Bool) {
        let own = end.agent.localCredentials
        var check = STUNBuilder(.request, .binding, TransactionID(bits: number))
        number += 1
        check.add(.username, text: "\(own.userFragment):nomi")
        check.add(.priority, number: UInt32(family == .v6 ? 0x6e00_ffff : 0x6e00_fffe))
        check.add(.iceControlling, number: UInt64.max)
        if nominates { check.add(.useCandidate, []) }
        guard let source = addresses.first(where: { $0.family == family }),
            let destination = end.addresses.first(where: { $0.family == family })
        else { return }
        network.send(
            check.finished(STUNKey(shortTerm: own.password), fingerprint: true), from: SocketAddress(source, port: 7000),
            of: self, to: SocketAddress(destination, port: end.port))
    }
}

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
