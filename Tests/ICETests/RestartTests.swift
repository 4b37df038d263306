import ICE
import Link
import Realtime
import Testing

@Suite("Restart") struct RestartTests {
    private let network = SimulatedNetwork(seed: 1)
    private let server: SimulatedServer
    private let caller: Endpoint
    private let callee: Endpoint

    init() {
        (server, caller, callee) = relayedCall(
            in: network, isForBoth: true, nat: NAT(.portRestricted, outside: ip("203.0.113.2")))
        trickle(caller, callee, in: network)
        network.run(3000)
    }

    /// Both restart; candidates are told anew.
    private func restart(gathering: Bool) {
        for end in [caller, callee] { end.update { $0.restart(now: network.now) } }
        shareCredentials(caller, callee, in: network)
        if gathering { for end in [caller, callee] { end.gather() } }
        network.after(60) { [self] in
            for (one, other) in [(caller, callee), (callee, caller)] {
                for candidate in one.agent.localCandidates {
                    other.update { $0.add(candidateLine: candidate.text, now: network.now) }
                }
            }
        }
    }

    @Test("a check that came by a relay before the peer's credentials is forgotten with the relay")
    func earlyCheckByRelay() throws {
        let network = SimulatedNetwork(seed: 3)
        let server = SimulatedServer(address("198.51.100.1:3478"), in: network)
        var configuration = ICEConfiguration()
        configuration.turnServers = [server.turn]
        let own = ip("203.0.113.1"), peer = ip("203.0.113.2")
        let end = Endpoint("end", in: network, [own], role: .controlled, configuration: configuration, seed: 1)
        end.gather()
        network.run(500)
        // Told before the answer: the relay lets the peer in.
        end.update { $0.add(candidateLine: "1 1 UDP 2130706431 \(peer) 5004 typ host", now: network.now) }
        network.run(200)
        let other = Endpoint("other", in: network, [peer], role: .controlling, seed: 2)
        other.gather()
        let relayed = try #require(end.agent.localCandidates.first { $0.kind == .relayed })
        try other.update { agent throws(ICEError) in
            try agent.setRemote(end.agent.localCredentials, now: network.now)
            agent.add(candidateLine: relayed.text, now: network.now)
        }
        network.run(200)
        #expect(end.agent.statistics.checksReceived > 0)
        // The network is left for one without IPv4, where no relay is.
        end.addresses = [ip("2001:db8::1")]
        end.gather()
        try end.update { agent throws(ICEError) in
            try agent.setRemote(other.agent.localCredentials, now: network.now)
        }
        network.run(1000)
        #expect(end.agent.selected == nil && end.agent.localCandidates.map(\.kind) == [.host])
    }

    @Test("leaves no gap in the call, and ends with new credentials on a nominated pair")
    func noGap() {
        let old = caller.agent.localCredentials
        for number: UInt8 in 0..<250 {
            if number == 50 { restart(gathering: false) }
            callee.speak(number)
            network.run(20)
        }
        network.run(100)
        #expect(caller.heardNumbers == Array(0..<250))
        #expect(caller.isNominated && callee.isNominated)
        #expect(caller.agent.localCredentials != old)
        #expect(server.count(.allocate) == 2, "allocations live on")
    }

    @Test("after a change of address speech is back within 1 s", arguments: [true, false])
    func addressChange(isCaller: Bool) {
        let mover = isCaller ? caller : callee
        mover.addresses = [isCaller ? ip("203.0.113.77") : ip("10.0.0.77")]
        // The machine notices, and offers anew.
        restart(gathering: true)
        let began = network.now
        let before = (caller.heard.count, callee.heard.count)
        var number: UInt8 = 0
        while network.now.milliseconds(since: began) < 1000, caller.heard.count == before.0 || callee.heard.count == before.1 {
            caller.speak(number)
            callee.speak(number)
            number += 1
            network.run(20)
        }
        #expect(caller.heard.count > before.0 && callee.heard.count > before.1)
        #expect(network.run(2000, until: { caller.isNominated && callee.isNominated }))
    }

    @Test(
        "after an address that has nothing to do with the call a relayed call goes on without a gap, by the same allocation",
        arguments: [false, true])
    func unrelatedAddress(isStartedAnew: Bool) {
        let network = SimulatedNetwork(seed: 4)
        let (server, caller, callee) = relayedCall(in: network, relayOnly: true)
        trickle(caller, callee, in: network)
        network.run(3000)
        #expect(caller.pairKind == .relayed)
        let before = server.count(.allocate)
        if isStartedAnew { server.startAnew() }
        caller.addresses.append(ip("192.0.2.77"))
        for end in [caller, callee] { end.update { $0.restart(now: network.now) } }
        shareCredentials(caller, callee, in: network)
        for end in [caller, callee] { end.gather() }
        var heard = 0
        for number: UInt8 in 0..<50 {
            callee.speak(number)
            network.run(20)
            if number == 24 { heard = caller.heard.count }
        }
        network.run(3000)
        #expect(caller.isNominated && callee.isNominated)
        #expect(!caller.events.contains { if case .failed = $0 { true } else { false } })
        callee.speak(99)
        network.run(200)
        #expect(caller.heardNumbers.last == 99)
        // A server that was started anew is asked for another allocation at once.
        #expect(server.count(.allocate) == before + (isStartedAnew ? 1 : 0) && server.allocationCount == 1)
        if !isStartedAnew { #expect(caller.heardNumbers.dropLast() == Array(0..<50) && heard > 0) }
        #expect(caller.events.suffix(20).contains { if case .candidate(let own) = $0 { own.kind == .relayed } else { false } })
    }

    @Test("a second one before the first came to anything keeps the pair that works")
    func twice() {
        for end in [caller, callee] { end.update { $0.restart(now: network.now) } }
        network.run(500)
        callee.speak(1)
        restart(gathering: false)
        callee.speak(2)
        // The old pair's consent is asked for with the old credentials.
        network.run(100)
        #expect(caller.heardNumbers == [1, 2])
        #expect(network.run(2000, until: { caller.isNominated && callee.isNominated }))
    }

    @Test("one that comes to nothing leaves the old pair in use for as long as it works")
    func unanswered() {
        for _ in 0..<3 { caller.update { $0.restart(now: network.now) } }
        network.run(120_000)
        callee.speak(1)
        network.run(100)
        #expect(caller.heardNumbers == [1] && caller.isConnected && callee.isConnected)
    }

    @Test("other credentials without a restart of ours are refused; the same ones again change nothing")
    func refused() throws {
        let other = try #require(
            ICECredentials(userFragment: "abcd", password: "a password of 22 chars".filter { $0 != " " } + "xxxx"))
        #expect(throws: ICEError.restartNeeded) {
            try caller.update { agent throws(ICEError) in try agent.setRemote(other, now: network.now) }
        }
        try caller.update { agent throws(ICEError) in try agent.setRemote(callee.agent.localCredentials, now: network.now) }
        #expect(caller.isNominated)
    }

    @Test("candidates of before a restart are refused as stale")
    func stale() {
        let old = callee.agent.localCredentials.userFragment
        restart(gathering: false)
        let line = "9 1 UDP 5 203.0.113.99 9 typ host ufrag \(old)"
        caller.update { $0.add(candidateLine: line, now: network.now) }
        network.run(500)
        caller.update { $0.add(candidateLine: line, now: network.now) }
        #expect(caller.agent.statistics.refusedCandidates[.stale] == 2)
    }
}
