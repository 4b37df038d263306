import ICE
import Link
import Realtime
import Testing

@Suite("Consent") struct ConsentTests {
    private let network = SimulatedNetwork(seed: 1)
    private let caller: Endpoint
    private let callee: Endpoint

    init() {
        caller = Endpoint(
            "caller", in: network, [ip("203.0.113.1"), ip("2001:db8::1")], role: .controlling, seed: 1)
        callee = Endpoint(
            "callee", in: network, [ip("203.0.113.2"), ip("2001:db8::2")], role: .controlled, seed: 2)
        trickle(caller, callee, in: network)
        network.run(2000)
    }

    private func say(_ number: UInt8) -> Bool {
        callee.speak(number)
        network.run(50)
        return caller.heardNumbers.last == number
    }

    @Test("is asked for every 4 to 6 s on the pair in use, each time by another request")
    func pace() {
        var times: [HostTime] = []
        var transactions: Set<TransactionID> = []
        network.tap = { [network] datagram, source, destination in
            guard source == address("[2001:db8::1]:5004"), let message = try? STUNMessage(datagram),
                message.messageClass == .request
            else { return }
            times.append(network.now)
            transactions.insert(message.transaction)
        }
        network.run(120_000)
        #expect((20...30).contains(times.count))
        #expect(transactions.count == times.count)
        for (one, next) in zip(times, times.dropFirst()) {
            #expect((4000.0...6000).contains(next.milliseconds(since: one)))
        }
    }

    @Test("is lost 30 s after the last answer: it is told, and nothing is sent any more")
    func lost() {
        #expect(say(1))
        network.remove(caller)
        network.run(24_000)
        #expect(callee.speak(2) && !callee.events.contains(.consentLost))
        #expect(network.run(12_000, until: { callee.events.contains(.consentLost) }))
        #expect(!callee.isConnected && callee.link.peer == nil && !callee.speak(3))
        var sent = 0
        network.tap = { _, _, _ in sent += 1 }
        network.run(60_000)
        #expect(sent == 0)
        #expect(callee.events.count { $0 == .consentLost } == 1)
    }

    @Test("that was lost comes back by a restart only")
    func restart() throws {
        network.isBlocked = { _, _ in true }
        network.run(40_000)
        #expect(callee.events.contains(.consentLost) && caller.events.contains(.consentLost))
        network.isBlocked = { _, _ in false }
        network.run(30_000)
        #expect(!callee.isConnected && !caller.isConnected)
        for end in [caller, callee] { end.update { $0.restart(now: network.now) } }
        shareCredentials(caller, callee, in: network)
        network.run(100)
        for end in [caller, callee] { end.gather() }
        #expect(network.run(1000, until: { caller.isNominated && callee.isNominated }))
        #expect(say(4))
    }

    @Test("that was lost does not come back by a check of the peer with the old credentials")
    func lateCheck() throws {
        let network = SimulatedNetwork(seed: 1)
        let nominator = Nominator(in: network)
        let end = Endpoint("end", in: network, [ip("203.0.113.1")], role: .controlled, seed: 1)
        end.gather()
        try end.update { agent throws(ICEError) in try agent.setRemote(nominator.credentials, now: network.now) }
        nominator.check(end, .v4, nominates: true)
        #expect(network.run(500, until: { end.isNominated }))
        network.isBlocked = { _, _ in true }
        #expect(network.run(40_000, until: { end.events.contains(.consentLost) }))
        network.isBlocked = { _, _ in false }
        for _ in 0..<3 {
            nominator.check(end, .v4, nominates: true)
            network.run(1000)
        }
        #expect(!end.isConnected && !end.speak(1))
    }

    @Test("fails on one pair: another one carries the call within 20 s, without signalling")
    func fallBack() {
        #expect(caller.agent.selected?.remote.address.address.family == .v6)
        network.isBlocked = { source, _ in source.address.family == .v6 }
        #expect(
            network.run(
                20_000,
                until: {
                    [caller, callee].allSatisfy { $0.agent.selected?.remote.address.address.family == .v4 }
                }))
        #expect(say(5))
        network.run(60_000)
        #expect(say(6))
        #expect(!callee.events.contains(.consentLost) && !caller.events.contains(.consentLost))
    }

    @Test("cannot be given by somebody else")
    func forged() {
        network.remove(caller)
        let forger = Forger(caller.addresses, in: network)
        #expect(network.run(40_000, until: { callee.events.contains(.consentLost) }))
        #expect(forger.answers > 5)
        #expect(callee.agent.statistics.forged >= 5)
    }
}

/// Answers every check, without knowing the password.
private final class Forger: NetworkNode {
    let addresses: [IPAddress]
    private let network: SimulatedNetwork
    private(set) var answers = 0

    init(_ addresses: [IPAddress], in network: SimulatedNetwork) {
        self.addresses = addresses
        self.network = network
        network.add(self)
    }

    func take(_ datagram: [UInt8], from source: SocketAddress, to destination: SocketAddress, now: HostTime) {
        guard let message = try? STUNMessage(datagram), message.messageClass == .request else { return }
        answers += 1
        var answer = STUNBuilder(.success, .binding, message.transaction)
        answer.add(.xorMappedAddress, source)
        let key = answers % 2 == 0 ? STUNKey(shortTerm: "guessed") : nil
        network.send(answer.finished(key, fingerprint: true), from: destination, of: self, to: source)
    }
}
