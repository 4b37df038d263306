import ICE
import Link
import Realtime
import Testing

@Suite("The link layer of ICE") struct ICELinkTests {
    private let network = SimulatedNetwork(seed: 1)
    private let caller: Endpoint
    private let callee: Endpoint

    init() {
        caller = Endpoint("caller", in: network, [ip("203.0.113.1")], role: .controlling, seed: 1)
        callee = Endpoint("callee", in: network, [ip("203.0.113.2")], role: .controlled, seed: 2)
    }

    private func voice(_ number: UInt8) -> [UInt8] { [0x80, 0, 0, number] + [UInt8](repeating: 0, count: 168) }

    @Test("sends to nobody before there is a pair, and counts it")
    func nobody() {
        #expect(!caller.speak(1))
        #expect(caller.link.statistics.sentToNobody == 1 && caller.link.peer == nil)
    }

    @Test("hands on what the peer sends, and drops and counts what strangers send")
    func strangers() {
        trickle(caller, callee, in: network)
        network.run(2000)
        let own = address("203.0.113.2:5004")
        let before = callee.link.statistics
        callee.take(voice(66), from: address("203.0.113.66:5004"), to: own, now: network.now)
        callee.take(voice(67), from: address("203.0.113.1:5005"), to: own, now: network.now)
        callee.take([0x80, 200, 0, 1] + [0, 0, 0, 1], from: address("203.0.113.66:5004"), to: own, now: network.now)
        callee.take([0xff, 0, 0, 0], from: address("203.0.113.1:5004"), to: own, now: network.now)
        callee.take(voice(1), from: address("203.0.113.1:5004"), to: own, now: network.now)
        let after = callee.link.statistics
        #expect(callee.heardNumbers == [1])
        #expect(after[.stranger] - before[.stranger] == 3 && after[.garbage] - before[.garbage] == 1)
        #expect(after.received - before.received == 1)
    }

    @Test("nobody else moves the peer")
    func peer() {
        trickle(caller, callee, in: network)
        network.run(2000)
        caller.link.setPeer(LinkPeer(media: address("203.0.113.66:9")))
        caller.link.admit(.only(address("203.0.113.66:9")))
        #expect(caller.link.peer == LinkPeer(media: address("203.0.113.2:5004")))
        let told = LinkPeer(media: address("203.0.113.2:5004"), control: address("203.0.113.2:5004"))
        #expect(caller.socket.peer == told, "the links below are told, and that RTCP shares the pair")
        caller.speak(1)
        callee.speak(2)
        network.run(100)
        #expect(callee.heardNumbers == [1] && caller.heardNumbers == [2])
    }

    @Test("tells where the peer is, and that it is lost")
    func events() {
        trickle(caller, callee, in: network)
        network.run(2000)
        #expect(callee.link.nextEvent() == .peerLearnt(address("203.0.113.1:5004")))
        network.remove(caller)
        network.run(40_000)
        #expect(callee.link.nextEvent() == .peerLost(address("203.0.113.1:5004")))
        #expect(callee.link.nextEvent() == nil)
    }

    @Test("a handshake that comes before our own check is answered waits for it, and is not lost")
    func heldHandshake() throws {
        caller.gather()
        callee.gather()
        try callee.update { agent throws(ICEError) in try agent.setRemote(caller.agent.localCredentials, now: network.now) }
        try caller.update { agent throws(ICEError) in
            try agent.setRemote(callee.agent.localCredentials, now: network.now)
            agent.add(candidateLine: callee.agent.localCandidates[0].text, now: network.now)
        }
        #expect(network.run(1000, until: { caller.isConnected }))
        #expect(!callee.isConnected)
        let hello: [UInt8] = [22, 0xfe, 0xfd] + [UInt8](repeating: 7, count: 100)
        // As the first datagram behind the callee's answer, before the answer to its own check can be there.
        callee.take(hello, from: address("203.0.113.1:5004"), to: address("203.0.113.2:5004"), now: network.now)
        callee.take(hello, from: address("203.0.113.66:5004"), to: address("203.0.113.2:5004"), now: network.now)
        #expect(callee.heard.isEmpty)
        #expect(network.run(1000, until: { callee.isConnected }))
        #expect(callee.heard.map(\.bytes) == [hello])
    }

    @Test("by a relay: packets leave in channels, and come with the peer's address as their source", arguments: [true, false])
    func relay(isSymmetric: Bool) throws {
        let network = SimulatedNetwork(seed: 2)
        let (server, caller, callee) = relayedCall(in: network, relayOnly: true, isForBoth: isSymmetric)
        trickle(caller, callee, in: network)
        #expect(network.run(3000, until: { caller.isNominated && callee.isNominated }))
        network.run(200)
        let indications = server.relayedByIndication
        for number: UInt8 in 0..<50 {
            caller.speak(number)
            callee.speak(number)
            network.run(20)
        }
        network.run(200)
        #expect(caller.heardNumbers == Array(0..<50) && callee.heardNumbers == Array(0..<50))
        #expect(server.relayedByIndication == indications)
        #expect(Set(caller.heard.map(\.source)) == [try #require(caller.agent.selected?.remote.address)])
    }

    @Test("a relay that takes the allocation back is told, and so is that nothing is left")
    func relayLost() {
        let network = SimulatedNetwork(seed: 2)
        let (server, caller, callee) = relayedCall(in: network, relayOnly: true)
        trickle(caller, callee, in: network)
        network.run(3000)
        #expect(caller.isNominated)
        // The next renewal finds no allocation.
        server.refusals = [437]
        network.run(300_000)
        #expect(caller.events.contains(.serverFailed(ServerID(server.address), .lost)))
        #expect(caller.events.contains(.failed(.relayLost)))
        #expect(!caller.speak(1) && caller.link.peer == nil)
    }

    @Test("gathering anew without any address leaves a call through a relay with nobody to send to")
    func relayGone() {
        let network = SimulatedNetwork(seed: 2)
        let (server, caller, callee) = relayedCall(in: network, relayOnly: true)
        trickle(caller, callee, in: network)
        network.run(3000)
        #expect(caller.speak(1))
        caller.update { $0.gather([], port: 5004, now: network.now) }
        #expect(!caller.speak(2))
        network.run(60_000)
        #expect(!caller.isConnected && server.allocationCount == 0)
    }

    @Test("closing gives allocations back, and nothing is answered any more")
    func close() {
        let network = SimulatedNetwork(seed: 2)
        let (server, caller, callee) = relayedCall(in: network, isForBoth: true)
        trickle(caller, callee, in: network)
        network.run(3000)
        #expect(server.allocationCount == 2)
        for end in [caller, callee] { end.update { $0.close(now: network.now) } }
        network.run(100)
        #expect(server.allocationCount == 0)
        #expect(caller.nextDeadline == nil && !caller.speak(1))
    }
}
