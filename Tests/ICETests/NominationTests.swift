import ICE
import Link
import Realtime
import Testing

@Suite("Selection and nomination") struct NominationTests {
    private let network = SimulatedNetwork(seed: 1)

    private func pair(_ roles: (ICERole, ICERole) = (.controlling, .controlled), seeds: (UInt64, UInt64) = (1, 2)) -> (
        Endpoint, Endpoint
    ) {
        let caller = Endpoint("caller", in: network, [ip("203.0.113.1")], role: roles.0, seed: seeds.0)
        let callee = Endpoint("callee", in: network, [ip("203.0.113.2")], role: roles.1, seed: seeds.1)
        return (caller, callee)
    }

    @Test("the first pair that works carries media before one is nominated, and a better one takes over")
    func firstPair() throws {
        let (_, caller, callee) = relayedCall(in: network)
        // For a while only the relay passes.
        network.isBlocked = { [network] source, destination in
            network.now < HostTime(milliseconds: 400) && source.address != ip("198.51.100.1")
                && destination.address != ip("198.51.100.1")
        }
        trickle(caller, callee, in: network)
        #expect(network.run(400, until: { caller.isConnected }))
        #expect(caller.pairKind == .relayed && !caller.isNominated)
        #expect(caller.speak(1))
        #expect(network.run(2000, until: { caller.pairKind == .host && callee.pairKind == .host && callee.isNominated }))
        #expect(callee.heardNumbers == [1])
    }

    @Test("after nomination a cheaper kind of pair is nominated when it comes to work")
    func cheaperLater() {
        let (_, caller, callee) = relayedCall(in: network)
        network.isBlocked = { [network] source, destination in
            network.now < HostTime(milliseconds: 2500) && source.address != ip("198.51.100.1")
                && destination.address != ip("198.51.100.1")
        }
        trickle(caller, callee, in: network)
        #expect(network.run(2400, until: { caller.isNominated && callee.isNominated }))
        #expect(caller.pairKind == .relayed)
        #expect(network.run(10_000, until: { callee.isNominated && callee.pairKind == .host && caller.pairKind == .host }))
    }

    @Test("a check is answered by a check at once, however long the queue of ordinary checks is")
    func triggered() throws {
        var slow = ICEConfiguration()
        slow.pacing = 1000
        let caller = Endpoint("caller", in: network, [ip("203.0.113.1")], role: .controlling, seed: 1)
        let callee = Endpoint(
            "callee", in: network, [ip("203.0.113.2")], role: .controlled, configuration: slow, seed: 2)
        caller.gather()
        callee.gather()
        // The callee knows no candidate of the caller: only what its check shows. It has others to check.
        try callee.update { agent throws(ICEError) in
            try agent.setRemote(caller.agent.localCredentials, now: network.now)
            for number in 1...10 { agent.add(candidateLine: "1 1 UDP 9 198.18.0.\(number) 9 typ host", now: network.now) }
        }
        try caller.update { agent throws(ICEError) in
            try agent.setRemote(callee.agent.localCredentials, now: network.now)
            agent.add(candidateLine: callee.agent.localCandidates[0].text, now: network.now)
        }
        var fromCallee: [(Double, STUNClass?)] = []
        network.tap = { [network] datagram, source, destination in
            guard source.address == ip("203.0.113.2"), destination.address == ip("203.0.113.1") else { return }
            fromCallee.append((network.now.milliseconds(since: .zero), (try? STUNMessage(datagram))?.messageClass))
        }
        network.run(20)
        #expect(fromCallee.map(\.0) == [20, 20])
        #expect(fromCallee.map(\.1) == [.success, .request])
        network.run(1000)
        #expect(callee.agent.selected?.remote.kind == .peerReflexive && callee.isNominated)
    }

    @Test("a check that comes before the answer's credentials counts once these are known")
    func earlyCheck() throws {
        let (caller, callee) = pair()
        caller.gather()
        callee.gather()
        try callee.update { agent throws(ICEError) in
            try agent.setRemote(caller.agent.localCredentials, now: network.now)
            agent.add(candidateLine: caller.agent.localCandidates[0].text, now: network.now)
        }
        network.run(100)
        #expect(!caller.isConnected && callee.isConnected)
        try caller.update { agent throws(ICEError) in try agent.setRemote(callee.agent.localCredentials, now: network.now) }
        // No candidate was ever signalled to the caller.
        #expect(network.run(200, until: { caller.isNominated }))
    }

    @Test(
        "both controlling, or both controlled: one gives way, and one pair is nominated",
        arguments: [ICERole.controlling, .controlled])
    func roleConflict(role: ICERole) {
        for seed: UInt64 in 1...20 {
            let network = SimulatedNetwork(seed: seed)
            let caller = Endpoint("caller", in: network, [ip("203.0.113.1")], role: role, seed: seed)
            let callee = Endpoint("callee", in: network, [ip("203.0.113.2")], role: role, seed: seed + 100)
            trickle(caller, callee, in: network)
            #expect(network.run(2000, until: { caller.isNominated && callee.isNominated }), "seed \(seed)")
            #expect(caller.agent.role != callee.agent.role, "seed \(seed)")
            #expect(caller.agent.statistics.roleConflicts + callee.agent.statistics.roleConflicts > 0, "seed \(seed)")
        }
    }

    @Test("a peer that is ICE-lite is controlled by us, whatever was offered")
    func lite() throws {
        let end = Endpoint("end", in: network, [ip("203.0.113.1")], role: .controlled, seed: 1)
        let lite = LitePeer(ip("203.0.113.9"), in: network)
        end.gather()
        try end.update { agent throws(ICEError) in
            lite.user = agent.localCredentials.userFragment
            try agent.setRemote(lite.credentials, isLite: true, now: network.now)
            agent.add(candidateLine: "1 1 UDP 2130706431 203.0.113.9 7000 typ host", now: network.now)
            agent.endOfRemoteCandidates(now: network.now)
        }
        #expect(network.run(500, until: { end.isNominated }))
        #expect(end.agent.role == .controlling && lite.wasNominated)
        #expect(end.events.contains(.roleChanged(.controlling)))
    }
}

/// An ICE-lite agent: answers checks, and does nothing else (RFC 8445 section 2.5).
private final class LitePeer: NetworkNode {
    let addresses: [IPAddress]
    let credentials: ICECredentials
    var user = ""
    private(set) var wasNominated = false
    private let network: SimulatedNetwork

    init(_ address: IPAddress, in network: SimulatedNetwork) {
        addresses = [address]
        guard let credentials = ICECredentials(userFragment: "lite", password: "litelitelitelitelitelite") else {
            preconditionFailure("credentials")
        }
        self.credentials = credentials
        self.network = network
        network.add(self)
    }

    func take(_ datagram: [UInt8], from source: SocketAddress, to destination: SocketAddress, now: HostTime) {
        let key = STUNKey(shortTerm: "litelitelitelitelitelite")
        guard let message = try? STUNMessage(datagram), message.messageClass == .request, message.verify(key) == .valid,
            message.text(.username) == "lite:\(user)"
        else { return }
        wasNominated = wasNominated || message.has(.useCandidate)
        var answer = STUNBuilder(.success, .binding, message.transaction)
        answer.add(.xorMappedAddress, source)
        network.send(answer.finished(key, fingerprint: true), from: destination, of: self, to: source)
    }
}
