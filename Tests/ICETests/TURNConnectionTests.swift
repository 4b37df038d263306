import ICE
import Link
import Realtime
import Testing

@Suite("TURN servers by TCP and TLS") struct TURNConnectionTests {
    private let network = SimulatedNetwork(seed: 5)

    private func end(
        _ name: String, _ own: String, _ servers: [TURNServer], role: ICERole, seed: UInt64
    ) -> (end: Endpoint, connections: SimulatedConnections) {
        var configuration = ICEConfiguration()
        configuration.turnServers = servers
        let connections = SimulatedConnections(ip(own), in: network, seed: seed)
        let end = Endpoint(
            name, in: network, [ip(own)], role: role, configuration: configuration, seed: seed, connections: connections)
        return (end, connections)
    }

    private func stream(_ server: SimulatedServer, _ transport: TURNTransport = .tcp) -> TURNServer {
        TURNServer(address: server.address, transport: transport, name: "turn.example.org", username: "user", password: "pass")
    }

    /// A firewall that lets no datagram of a machine out, nor in.
    private func blockUDP() { network.isBlocked = { source, destination in source.port == 5004 || destination.port == 5004 } }

    @Test("where no datagram passes, two calls each other through a relay by TCP and one by TLS, and every packet is heard")
    func wall() throws {
        let server = SimulatedServer(address("198.51.100.1:3478"), in: network)
        let caller = end("caller", "203.0.113.1", [stream(server)], role: .controlling, seed: 1).end
        let callee = end("callee", "203.0.113.2", [stream(server, .tls)], role: .controlled, seed: 2).end
        blockUDP()
        trickle(caller, callee, in: network)
        #expect(network.run(5000, until: { caller.isNominated && callee.isNominated }))
        #expect(caller.agent.selected?.local.kind == .relayed && callee.agent.selected?.local.kind == .relayed)
        network.run(500)
        let byChannel = server.relayedByChannel
        for number: UInt8 in 0..<50 {
            caller.speak(number)
            callee.speak(number)
            network.run(20)
        }
        network.run(200)
        #expect(caller.heardNumbers == Array(0..<50) && callee.heardNumbers == Array(0..<50))
        #expect(server.relayedByChannel >= byChannel + 100, "channels carry them")
        let counted = caller.link.statistics
        #expect(counted.sent >= 50 && counted.received == caller.heard.count, "\(counted)")
    }

    @Test("our address as a connection shows it is no candidate; the relay's is")
    func candidates() {
        let server = SimulatedServer(address("198.51.100.1:3478"), in: network)
        let caller = end("caller", "203.0.113.1", [stream(server)], role: .controlling, seed: 1).end
        caller.gather()
        network.run(500)
        #expect(caller.agent.localCandidates.map(\.kind) == [.host, .relayed])
        #expect(caller.agent.answeringServers == [ServerID(server.address, .tcp)])
    }

    @Test("of one server's relays the one by UDP is preferred, then TCP, then TLS")
    func preference() {
        let server = SimulatedServer(address("198.51.100.1:3478"), in: network)
        let all = [stream(server, .tls), stream(server), server.turn]
        let caller = end("caller", "203.0.113.1", all, role: .controlling, seed: 1).end
        caller.gather()
        network.run(500)
        let relayed = caller.agent.localCandidates.filter { $0.kind == .relayed }
        #expect(relayed.count == 3 && Set(relayed.map(\.priority)).count == 3)
        let foundAt = relayed.map(\.address.port)
        #expect(caller.agent.answeringServers == Set(all.map(\.id)), "\(foundAt)")
    }

    @Test("a connection that never stands delays nothing where another server answers, and a second at most where none does")
    func unreachable() {
        let server = SimulatedServer(address("198.51.100.1:3478"), in: network)
        let gone = TURNServer(address: address("198.51.100.9:3478"), transport: .tcp, username: "user", password: "pass")
        let (caller, connections) = end("caller", "203.0.113.1", [gone, server.turn], role: .controlling, seed: 1)
        connections.unreachable = [gone.address]
        caller.gather()
        #expect(network.run(400, until: { caller.agent.isGatheringDone }))
        let (other, others) = end("other", "203.0.113.2", [gone], role: .controlling, seed: 2)
        others.unreachable = [gone.address]
        other.gather()
        #expect(!network.run(980, until: { other.agent.isGatheringDone }))
        #expect(network.run(40, until: { other.agent.isGatheringDone }))
        #expect(other.agent.silentServers == [gone.id])
        network.run(45_000)
        #expect(other.events.contains(.serverFailed(gone.id, .noAnswer)))
    }

    @Test("a connection that breaks in mid-call ends the relay, and is told")
    func broken() {
        let server = SimulatedServer(address("198.51.100.1:3478"), in: network)
        let (caller, connections) = end("caller", "203.0.113.1", [stream(server)], role: .controlling, seed: 1)
        let callee = end("callee", "203.0.113.2", [stream(server)], role: .controlled, seed: 2).end
        blockUDP()
        trickle(caller, callee, in: network)
        #expect(network.run(5000, until: { caller.isNominated && callee.isNominated }))
        connections.breakAll()
        network.run(10)
        #expect(caller.events.contains(.serverFailed(ServerID(server.address, .tcp), .connection("broken"))))
        #expect(caller.events.contains(.failed(.relayLost)) && !caller.speak(1))
        #expect(callee.agent.statistics.malformed == 0)
    }

    @Test("a connection that has died silently ends the relay when a renewal stays unanswered, before the allocation runs out")
    func silent() {
        let server = SimulatedServer(address("198.51.100.1:3478"), in: network)
        server.lifetime = 120
        let (caller, connections) = end("caller", "203.0.113.1", [stream(server)], role: .controlling, seed: 1)
        caller.gather()
        network.run(1000)
        #expect(caller.agent.answeringServers == [ServerID(server.address, .tcp)] && connections.openCount == 1)
        server.isDead = true
        // Renewed after 60 s, given up 39.5 s later.
        network.run(109_000)
        let told = caller.events.filter { if case .serverFailed = $0 { true } else { false } }
        #expect(told == [.serverFailed(ServerID(server.address, .tcp), .connection("it does not answer"))])
        #expect(connections.openCount == 0)
    }

    @Test("a server that is started anew within seconds carries the call on; one that stays away is told as lost")
    func startedAnew() {
        let server = SimulatedServer(address("198.51.100.1:3478"), in: network)
        let (caller, connections) = end("caller", "203.0.113.1", [stream(server)], role: .controlling, seed: 1)
        let callee = end("callee", "203.0.113.2", [], role: .controlled, seed: 2).end
        network.isBlocked = { source, destination in
            source.address == ip("203.0.113.1") && source.port == 5004
                || destination.address == ip("203.0.113.1") && destination.port == 5004
        }
        trickle(caller, callee, in: network)
        #expect(network.run(5000, until: { caller.isNominated && callee.isNominated }))
        for seconds in [3.0, 20.0] {
            server.startAnew()
            connections.refusing = [server.address]
            connections.breakAll()
            network.run(10)
            #expect(caller.events.last == .failed(.relayLost) && !caller.speak(1))
            for end in [caller, callee] { end.update { $0.restart(now: network.now) } }
            shareCredentials(caller, callee, in: network)
            for end in [caller, callee] { end.gather() }
            #expect(!network.run(seconds * 1000, until: { caller.agent.isGatheringDone }) || seconds > 10)
            if seconds > 10 {
                network.run(1000)
                #expect(caller.events.last == .serverFailed(ServerID(server.address, .tcp), .connection("broken")))
                #expect(caller.agent.localCandidates.map(\.kind) == [.host])
                let tries = connections.opened.count
                network.run(60_000)
                #expect(connections.opened.count == tries, "no longer than it is waited for")
                break
            }
            connections.refusing = []
            #expect(network.run(1500, until: { caller.agent.isGatheringDone && caller.isConnected }))
            callee.speak(9)
            network.run(200)
            #expect(caller.heardNumbers.last == 9)
        }
    }

    @Test("a server that sends elsewhere (300) is followed over a new connection; an end closes all")
    func redirected() {
        let first = SimulatedServer(address("198.51.100.1:3478"), in: network)
        let second = SimulatedServer(address("198.51.100.2:3478"), in: network)
        first.refusals = [300]
        first.alternate = second.address
        let (caller, connections) = end("caller", "203.0.113.1", [stream(first)], role: .controlling, seed: 1)
        caller.gather()
        network.run(1000)
        #expect(connections.opened == [first.address, second.address] && connections.openCount == 1)
        #expect(caller.agent.localCandidates.last?.address.address == second.address.address)
        caller.update { $0.close(now: network.now) }
        network.run(100)
        #expect(connections.openCount == 0 && second.allocationCount == 0)
    }

    @Test("a stream is cut into the same messages however it comes, and padding is taken off")
    func framing() throws {
        var builder = STUNBuilder(.indication, .binding, TransactionID(bits: 7))
        builder.add(.lifetime, number: UInt32(9))
        let stun = builder.finished()
        let channel: [UInt8] = [0x40, 1, 0, 5, 1, 2, 3, 4, 5]
        let stream = stun + channel + [0, 0, 0] + [0x40, 2, 0, 0] + stun
        for piece in 1...stream.count {
            var framer = TURNStreamFramer()
            var messages: [[UInt8]] = []
            for start in Swift.stride(from: 0, to: stream.count, by: piece) {
                try stream[start..<min(start + piece, stream.count)].withUnsafeBytes { octets in
                    try framer.receive(octets) { messages.append(Array($0)) }
                }
            }
            #expect(messages == [stun, channel, [0x40, 2, 0, 0], stun], "pieces of \(piece)")
            #expect(framer.pendingBytes == 0)
        }
    }

    @Test(
        "what is no TURN breaks a stream at once",
        arguments: [[0x16, 3, 1, 2], [0x80, 0, 0, 0], [0, 1, 0xff, 0xfc], [0x40, 0, 0xff, 0xff], [0, 1, 0, 3]])
    func noise(_ head: [UInt8]) {
        var framer = TURNStreamFramer()
        #expect(throws: TURNStreamFramer.Broken.self) { try head.withUnsafeBytes { try framer.receive($0) { _ in } } }
    }
}
