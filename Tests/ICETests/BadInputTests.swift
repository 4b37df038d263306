import ICE
import Link
import Realtime
import Testing

@Suite("Bad input to an agent") struct BadInputTests {
    private let network = SimulatedNetwork(seed: 1)

    private func connected() -> (Endpoint, Endpoint) {
        let caller = Endpoint("caller", in: network, [ip("203.0.113.1")], role: .controlling, seed: 1)
        let callee = Endpoint("callee", in: network, [ip("203.0.113.2")], role: .controlled, seed: 2)
        trickle(caller, callee, in: network)
        network.run(2000)
        return (caller, callee)
    }

    @Test(
        "candidates at which nobody, everybody or we ourselves are get refused and counted",
        arguments: [
            ("0.0.0.0", 9, CandidateRefusal.address), ("224.0.0.251", 5353, .address), ("255.255.255.255", 9, .address),
            ("ff02::fb", 9, .address), ("fe80::1", 9, .address), ("169.254.1.1", 9, .address), ("127.0.0.1", 9, .address),
            ("::1", 9, .address), ("203.0.113.9", 0, .address), ("203.0.113.1", 5004, .ourOwn), ("203.0.113.1", 5060, .ourOwn),
            ("127.0.0.1", 5060, .ourOwn), ("0.1.2.3", 9, .address),
        ])
    func refused(text: String, port: Int, reason: CandidateRefusal) throws {
        var configuration = ICEConfiguration()
        configuration.protectedPorts = [5060]
        let end = Endpoint(
            "end", in: network, [ip("203.0.113.1"), ip("2001:db8::1")], role: .controlling, configuration: configuration,
            seed: 1)
        end.gather()
        let remote = try #require(ICECredentials(userFragment: "abcd", password: String(repeating: "p", count: 22)))
        var sent = 0
        network.tap = { _, _, _ in sent += 1 }
        try end.update { agent throws(ICEError) in
            try agent.setRemote(remote, now: network.now)
            agent.add(candidateLine: "1 1 UDP 1 \(text) \(port) typ host", now: network.now)
        }
        network.run(1000)
        #expect(end.agent.statistics.refusedCandidates == [reason: 1])
        #expect(end.agent.remoteCandidates.isEmpty && sent == 0)
    }

    @Test(
        "a check that the peer's relay drops, for want of a permission, is repeated soon; other checks are not",
        arguments: [("relay raddr 0.0.0.0 rport 9", 3), ("host", 1)])
    func dropped(kind: String, count: Int) throws {
        let end = Endpoint("end", in: network, [ip("203.0.113.1")], role: .controlled, seed: 1)
        end.gather()
        let remote = try #require(ICECredentials(userFragment: "abcd", password: String(repeating: "p", count: 22)))
        var sent = 0
        network.tap = { _, _, destination in sent += destination == address("203.0.113.9:3478") ? 1 : 0 }
        try end.update { agent throws(ICEError) in
            try agent.setRemote(remote, now: network.now)
            agent.add(candidateLine: "1 1 UDP 1 203.0.113.9 3478 typ \(kind)", now: network.now)
        }
        // Again after 25 and 75 ms.
        network.run(150)
        #expect(sent == count)
    }

    @Test("of 10,000 candidates 100 are checked, at the pace of the configuration, and the right one among the first connects")
    func flood() throws {
        let caller = Endpoint("caller", in: network, [ip("203.0.113.1")], role: .controlling, seed: 1)
        let callee = Endpoint("callee", in: network, [ip("203.0.113.2")], role: .controlled, seed: 2)
        caller.gather()
        callee.gather()
        var destinations: [SocketAddress: Int] = [:]
        network.tap = { _, source, destination in
            if source.address == ip("203.0.113.1") { destinations[destination, default: 0] += 1 }
        }
        let own = callee.agent.localCredentials
        try callee.update { agent throws(ICEError) in try agent.setRemote(caller.agent.localCredentials, now: network.now) }
        try caller.update { agent throws(ICEError) in
            try agent.setRemote(own, now: network.now)
            for number in 0..<10_000 {
                let text =
                    number == 50
                    ? callee.agent.localCandidates[0].text
                    : "1 1 UDP 2130706431 198.18.\(number / 250).\(number % 250 + 1) 9 typ host"
                agent.add(candidateLine: text, now: network.now)
            }
        }
        #expect(caller.agent.remoteCandidates.count == 100)
        #expect(caller.agent.statistics.refusedCandidates == [.tooMany: 9900])
        network.run(1000)
        #expect(destinations.values.reduce(0, +) < 1000 / 20 + 60)
        #expect(network.run(3000, until: { caller.isNominated && callee.isNominated }))
        network.run(30_000)
        #expect(destinations.count <= 100)
    }

    @Test("forged checks get no answer, and nothing is learnt from them")
    func forgedChecks() throws {
        let (_, callee) = connected()
        let own = callee.agent.localCredentials.userFragment
        let stranger = address("203.0.113.66:666")
        var sent = 0
        network.tap = { _, _, destination in sent += destination == stranger ? 1 : 0 }
        let before = callee.agent.statistics
        let attempts: [(user: String?, key: STUNKey?)] = [
            ("\(own):abcd", STUNKey(shortTerm: "guessed")), ("\(own):abcd", nil),
            ("nobody:abcd", STUNKey(shortTerm: "guessed")),
            (nil, STUNKey(shortTerm: "guessed")), ("", nil),
        ]
        for (user, key) in attempts {
            var check = STUNBuilder(.request, .binding, TransactionID(bits: 5))
            if let user { check.add(.username, text: user) }
            check.add(.priority, number: UInt32(1))
            check.add(.iceControlling, number: UInt64.max)
            check.add(.useCandidate, [])
            callee.take(
                check.finished(key, fingerprint: true), from: stranger, to: address("203.0.113.2:5004"), now: network.now)
        }
        network.run(1000)
        let after = callee.agent.statistics
        #expect(sent == 0)
        #expect(after.forged - before.forged == 2 && after.unknownUser - before.unknownUser == 2)
        #expect(after.malformed - before.malformed == 1)
        #expect(
            callee.agent.remoteCandidates.count == 1 && callee.agent.selected?.remote.address == address("203.0.113.1:5004"))
    }

    @Test("our own checks that come back to us are taken for nobody's")
    func loop() {
        let (_, callee) = connected()
        var own: [[UInt8]] = []
        network.tap = { datagram, source, _ in if source.address == ip("203.0.113.2") { own.append(datagram) } }
        network.run(30_000)
        #expect(own.count > 5)
        for datagram in own {
            callee.take(datagram, from: address("203.0.113.66:666"), to: address("203.0.113.2:5004"), now: network.now)
        }
        #expect(callee.agent.remoteCandidates.count == 1 && callee.agent.role == .controlled)
    }

    @Test("a recorded check that somebody sends again does not make him the peer")
    func replay() {
        let (caller, callee) = connected()
        var checks: [[UInt8]] = []
        network.tap = { datagram, _, destination in if destination.address == ip("203.0.113.2") { checks.append(datagram) } }
        network.run(60_000)
        #expect(checks.count > 10)
        let stranger = address("203.0.113.66:666")
        for datagram in checks {
            callee.take(datagram, from: stranger, to: address("203.0.113.2:5004"), now: network.now)
        }
        // Then he speaks.
        let voice: [UInt8] = [0x80, 0, 0, 99] + [UInt8](repeating: 1, count: 168)
        callee.take(voice, from: stranger, to: address("203.0.113.2:5004"), now: network.now)
        network.run(1000)
        #expect(callee.agent.statistics.replayed > 0)
        #expect(callee.agent.remoteCandidates.count == 1)
        #expect(callee.heardNumbers.isEmpty)
        #expect(caller.isNominated && callee.isNominated)
    }

    @Test("an authenticated check with an unknown attribute is answered 420 with its name, one without a priority 400")
    func badRequests() throws {
        let (caller, callee) = connected()
        let users = (callee.agent.localCredentials, caller.agent.localCredentials)
        let key = STUNKey(shortTerm: users.0.password)
        var answers: [STUNMessage] = []
        network.tap = { datagram, source, destination in
            guard destination == address("203.0.113.1:9"), let message = try? STUNMessage(datagram) else { return }
            answers.append(message)
        }
        for isUnknown in [true, false] {
            var check = STUNBuilder(.request, .binding, TransactionID(bits: 5))
            check.add(.username, text: "\(users.0.userFragment):\(users.1.userFragment)")
            if isUnknown {
                check.add(.priority, number: UInt32(1))
                check.add(STUNAttribute(rawValue: 0x7abc), [])
            }
            callee.take(
                check.finished(key, fingerprint: true), from: address("203.0.113.1:9"), to: address("203.0.113.2:5004"),
                now: network.now)
        }
        #expect(answers.map(\.errorCode) == [420, 400])
        #expect(answers.allSatisfy { $0.verify(key) == .valid })
        #expect(answers.first?.value(.unknownAttributes).map(Array.init) == [0x7a, 0xbc])
    }

    @Test("487 for a check from before a change of role changes nothing")
    func staleConflict() throws {
        let agent = ICEAgent(.controlling, random: SplitMix64(seed: 1))
        let remote = try #require(ICECredentials(userFragment: "peer", password: String(repeating: "p", count: 22)))
        agent.gather([ip("203.0.113.1")], port: 5004, now: .zero)
        try agent.setRemote(remote, now: .zero)
        agent.add(candidateLine: "1 1 UDP 5 203.0.113.2 5004 typ host", now: .zero)
        let first = try #require(sent(agent).first)
        #expect(first.has(.iceControlling))
        // The peer controls too, with the greater tie breaker.
        var check = STUNBuilder(.request, .binding, TransactionID(bits: 5))
        check.add(.username, text: "\(agent.localCredentials.userFragment):peer")
        check.add(.priority, number: UInt32(1))
        check.add(.iceControlling, number: UInt64.max)
        deliver(check.finished(STUNKey(shortTerm: agent.localCredentials.password), fingerprint: true), to: agent)
        #expect(agent.role == .controlled)
        let second = try #require(sent(agent).last { $0.messageClass == .request })
        #expect(second.has(.iceControlled))
        // Only now the answer to the first check.
        var conflict = STUNBuilder(.error, .binding, first.transaction)
        conflict.add(errorCode: 487, "Role Conflict")
        deliver(conflict.finished(STUNKey(shortTerm: remote.password), fingerprint: true), to: agent)
        #expect(agent.role == .controlled)
    }

    @Test("a peer that finds a role conflict in every check is asked at the pace of checks, and not for ever")
    func endlessConflict() throws {
        let agent = ICEAgent(.controlling, random: SplitMix64(seed: 1))
        let remote = try #require(ICECredentials(userFragment: "peer", password: String(repeating: "p", count: 22)))
        agent.gather([ip("203.0.113.1")], port: 5004, now: .zero)
        try agent.setRemote(remote, now: .zero)
        agent.add(candidateLine: "1 1 UDP 5 203.0.113.2 5004 typ host", now: .zero)
        var times: [Double] = []
        for millisecond in 0..<30_000 {
            let now = HostTime.zero.advanced(byMilliseconds: Double(millisecond))
            agent.advance(to: now)
            for check in sent(agent) where check.messageClass == .request {
                times.append(Double(millisecond))
                var conflict = STUNBuilder(.error, .binding, check.transaction)
                conflict.add(errorCode: 487, "Role Conflict")
                let bytes = conflict.finished(STUNKey(shortTerm: remote.password), fingerprint: true)
                _ = bytes.withUnsafeBytes { agent.receive($0, from: address("203.0.113.2:5004"), now: now) }
            }
        }
        #expect((2...40).contains(times.count), "\(times.count) checks")
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 19 }, "\(times)")
        #expect(agent.selected == nil)
    }

    @Test("answers from another address than the check went to are not believed")
    func asymmetric() throws {
        let agent = ICEAgent(.controlling, random: SplitMix64(seed: 1))
        let remote = try #require(ICECredentials(userFragment: "peer", password: String(repeating: "p", count: 22)))
        agent.gather([ip("203.0.113.1")], port: 5004, now: .zero)
        try agent.setRemote(remote, now: .zero)
        agent.add(candidateLine: "1 1 UDP 5 203.0.113.2 5004 typ host", now: .zero)
        let check = try #require(sent(agent).first)
        var answer = STUNBuilder(.success, .binding, check.transaction)
        answer.add(.xorMappedAddress, address("203.0.113.1:5004"))
        deliver(answer.finished(STUNKey(shortTerm: remote.password), fingerprint: true), to: agent, from: "203.0.113.3:5004")
        #expect(agent.selected == nil && agent.statistics.asymmetricResponses == 1)
    }

    private func sent(_ agent: ICEAgent) -> [STUNMessage] {
        agent.takeOutputs().compactMap {
            if case .send(let bytes, _) = $0 { try? STUNMessage(bytes) } else { nil }
        }
    }

    private func deliver(_ bytes: [UInt8], to agent: ICEAgent, from source: String = "203.0.113.2:5004") {
        _ = bytes.withUnsafeBytes { agent.receive($0, from: address(source), now: .zero) }
    }
}
