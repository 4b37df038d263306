import ICE
import Link
import Realtime
import Testing

/// A machine with nothing but an allocation.
private final class RelayUser: NetworkNode {
    let addresses: [IPAddress]
    var client: TURNClient
    private(set) var events: [TURNClient.Event] = []
    private(set) var heard: [(peer: SocketAddress, payload: [UInt8])] = []
    private let network: SimulatedNetwork

    init(_ own: IPAddress, _ server: TURNServer, in network: SimulatedNetwork, seed: UInt64 = 1) {
        addresses = [own]
        client = TURNClient(server: server, random: SplitMix64(seed: seed))
        self.network = network
        network.add(self)
    }

    var nextDeadline: HostTime? { client.nextDeadline }

    func use(_ body: (inout TURNClient, HostTime) -> Void) {
        body(&client, network.now)
        flush()
    }

    func take(_ datagram: [UInt8], from source: SocketAddress, to destination: SocketAddress, now: HostTime) {
        if datagram[0] >= 64 {
            let number = UInt16(datagram[0]) << 8 | UInt16(datagram[1])
            if let peer = client.peer(ofChannel: number) { heard.append((peer, Array(datagram.dropFirst(4)))) }
        } else if let message = try? STUNMessage(datagram), !client.receive(message, from: source, now: now),
            let (peer, payload) = client.data(in: message)
        {
            heard.append((peer, Array(payload)))
        }
        flush()
    }

    func advance(to now: HostTime) {
        client.advance(to: now)
        flush()
    }

    func send(_ payload: [UInt8], to peer: SocketAddress) {
        transmit(client.packet(payload, to: peer))
    }

    private func flush() {
        for datagram in client.takeOutputs() { transmit(datagram) }
        events += client.takeEvents()
    }

    private func transmit(_ datagram: [UInt8]) {
        network.send(datagram, from: SocketAddress(addresses[0], port: 5004), of: self, to: client.server.address)
    }

    var relayed: SocketAddress? { client.relayed.first }
    var failure: ServerFailure? {
        events.compactMap { if case .failed(let reason) = $0 { reason } else { nil } }.first
    }
}

/// A machine that keeps what it gets.
private final class Listener: NetworkNode {
    let addresses: [IPAddress]
    private(set) var heard: [(payload: [UInt8], source: SocketAddress)] = []

    init(_ own: IPAddress, in network: SimulatedNetwork) {
        addresses = [own]
        network.add(self)
    }

    func take(_ datagram: [UInt8], from source: SocketAddress, to destination: SocketAddress, now: HostTime) {
        heard.append((datagram, source))
    }
}

@Suite("TURN client") struct TURNClientTests {
    private let network = SimulatedNetwork(seed: 1)
    private let server: SimulatedServer
    private let peer = address("203.0.113.9:7000")

    init() { server = SimulatedServer(address("198.51.100.1:3478"), in: network) }

    private func user(_ turn: TURNServer? = nil, seed: UInt64 = 1) -> RelayUser {
        let user = RelayUser(ip("203.0.113.1"), turn ?? server.turn, in: network, seed: seed)
        user.use { $0.allocate(now: $1) }
        return user
    }

    @Test("asks without credentials, answers the challenge, and has its address after two round trips")
    func allocates() {
        let user = user()
        network.run(80)
        #expect(user.events == [.allocated([address("198.51.100.1:50000")], mapped: address("203.0.113.1:5004"))])
        #expect(server.log.map(\.code) == [401, 0])
    }

    @Test("packets pass both ways: by indications, then by a channel; the peer sees the relayed address")
    func data() throws {
        let listener = Listener(peer.address, in: network)
        let user = user()
        network.run(100)
        user.use { $0.permit(peer.address, now: $1) }
        network.run(100)
        #expect(user.client.isPermitted(peer.address))
        user.send([0x80, 1], to: peer)
        network.run(100)
        user.use { $0.bindChannel(to: peer, now: $1) }
        network.run(100)
        user.send([0x80, 2], to: peer)
        network.run(100)
        #expect(server.relayedByIndication == 1 && server.relayedByChannel == 1)
        #expect(listener.heard.map(\.payload) == [[0x80, 1], [0x80, 2]])
        let relayed = try #require(user.relayed)
        #expect(listener.heard.map(\.source) == [relayed, relayed])
        network.send([0x80, 3], from: peer, of: listener, to: relayed)
        network.run(100)
        #expect(user.heard.map(\.payload) == [[0x80, 3]] && user.heard.first?.peer == peer)
    }

    @Test("an indication of a peer that was not permitted is not handed on")
    func unpermitted() throws {
        let user = user()
        network.run(100)
        var forged = STUNBuilder(.indication, .data, TransactionID(bits: 1))
        forged.add(.xorPeerAddress, peer)
        forged.add(.data, [0x80, 1])
        user.take(forged.finished(), from: server.address, to: address("203.0.113.1:5004"), now: network.now)
        #expect(user.heard.isEmpty)
    }

    @Test("allocation, permission and channel are renewed for two hours, with nonces that go stale")
    func renewal() {
        let listener = Listener(peer.address, in: network)
        let user = user()
        network.run(100)
        user.use {
            $0.permit(peer.address, now: $1)
            $0.bindChannel(to: peer, now: $1)
        }
        for minute: UInt8 in 1...120 {
            network.run(60_000)
            if minute % 7 == 0 { server.changeNonce() }
            user.send([minute], to: peer)
        }
        network.run(100)
        #expect(listener.heard.map(\.payload) == (1...120).map { [$0] })
        #expect(server.count(.refresh, 438) + server.count(.createPermission, 438) > 3)
        #expect(server.relayedByIndication == 0)
        #expect(user.failure == nil)
    }

    @Test("a server that asks for SHA-256 gets it, also behind a stale nonce")
    func sha256() {
        server.offersAlgorithms = true
        let user = user()
        network.run(100)
        #expect(user.relayed != nil && server.log.map(\.code) == [401, 0])
        server.changeNonce()
        user.use { $0.permit(peer.address, now: $1) }
        network.run(100)
        #expect(user.client.isPermitted(peer.address) && server.count(.createPermission, 438) == 1)
    }

    @Test("one whose algorithms were taken out on the way, or are unknown, gets no answer", arguments: [[], [0, 9, 0, 0]])
    func bidDown(algorithms: [UInt8]) {
        server.offersAlgorithms = true
        server.algorithms = algorithms
        let user = user()
        network.run(60_000)
        #expect(user.failure == .unauthorized && server.log.count == 1)
    }

    @Test("a wrong password is not tried twice")
    func wrongPassword() {
        let user = user(TURNServer(address: server.address, username: "user", password: "wrong"))
        network.run(60_000)
        #expect(user.failure == .unauthorized)
        #expect(server.log.map(\.code) == [401, 401])
    }

    @Test(
        "a refusal is told with its reason",
        arguments: [
            (441, ServerFailure.unauthorized), (486, .quotaReached), (403, .refused(403)), (508, .refused(508)),
            (400, .refused(400)),
        ])
    func refused(code: Int, reason: ServerFailure) {
        server.refusals = [code]
        let user = user()
        network.run(60_000)
        #expect(user.failure == reason)
    }

    @Test("a server that finds every nonce stale is given up")
    func alwaysStale() {
        server.refusals = [Int](repeating: 438, count: 100)
        let user = user()
        network.run(60_000)
        #expect(user.failure == .unauthorized)
        #expect(server.count(.allocate, 438) == 4)
    }

    @Test("an allocation of an earlier run is given back, and a new one made (437)")
    func mismatch() {
        let first = user()
        network.run(100)
        network.remove(first)
        let second = user(seed: 2)
        network.run(1000)
        #expect(second.relayed == address("198.51.100.1:50001"))
        #expect(server.count(.allocate, 437) == 1 && server.count(.refresh) == 1)
        #expect(server.allocationCount == 1)
    }

    @Test("a server that refuses with 437 for ever is given up")
    func endlessMismatch() {
        server.refusals = [Int](repeating: 437, count: 100)
        let user = user()
        network.run(60_000)
        #expect(user.failure == .refused(437))
        #expect(server.log.count < 12)
    }

    @Test("another server is asked when this one names it (300)")
    func alternate() {
        let other = SimulatedServer(address("198.51.100.2:3478"), in: network)
        server.refusals = [300]
        server.alternate = other.address
        let user = user()
        network.run(1000)
        #expect(user.relayed?.address == ip("198.51.100.2"))
    }

    @Test(
        "one that names itself, or nonsense, is given up", arguments: ["198.51.100.1:3478", "224.0.0.1:3478", "127.0.0.1:3478"])
    func alternateLoop(text: String) {
        server.refusals = [300]
        server.alternate = address(text)
        let user = user()
        network.run(60_000)
        #expect(user.failure == (text.hasPrefix("198") ? .redirectedTooOften : .nonsense))
    }

    @Test("answers with a wrong signature are dropped and counted; in the end the server counts as silent")
    func forged() {
        server.isForging = true
        let user = user()
        network.run(60_000)
        #expect(user.client.forged > 0 && user.failure == .noAnswer && user.relayed == nil)
    }

    @Test("a permission that is refused is told, and the allocation stays")
    func refusedPermission() {
        let user = user()
        network.run(100)
        server.refusals = [403]
        user.use { $0.permit(peer.address, now: $1) }
        network.run(100)
        #expect(user.events.last == .refused(peer.address))
        #expect(user.failure == nil && !user.client.isPermitted(peer.address))
    }

    @Test(
        "a server away for 40 s costs nothing; one away for longer than the allocation lasts is told as lost",
        arguments: [40.0, 700])
    func outage(seconds: Double) {
        let listener = Listener(peer.address, in: network)
        let user = user()
        network.run(100)
        user.use {
            $0.permit(peer.address, now: $1)
            $0.bindChannel(to: peer, now: $1)
        }
        network.run(225_000)
        server.isDead = true
        network.run(seconds * 1000)
        server.isDead = false
        network.run(60_000)
        user.send([1], to: peer)
        network.run(100)
        #expect(user.failure == (seconds < 100 ? nil : .lost))
        #expect(listener.heard.count == (seconds < 100 ? 1 : 0))
    }

    @Test("trouble of the server's own at a renewal costs nothing: it is asked again")
    func trouble() {
        let listener = Listener(peer.address, in: network)
        let user = user()
        network.run(100)
        user.use { $0.permit(peer.address, now: $1) }
        network.run(225_000)
        server.refusals = [500, 508, 500, 500]
        network.run(700_000)
        user.send([1], to: peer)
        network.run(100)
        #expect(user.failure == nil && user.client.isPermitted(peer.address))
        #expect(listener.heard.count == 1 && server.refusals.isEmpty)
    }

    @Test("closing gives the allocation back")
    func close() {
        let user = user()
        network.run(100)
        #expect(server.allocationCount == 1)
        user.use { $0.close(now: $1) }
        network.run(100)
        #expect(server.allocationCount == 0)
        #expect(user.nextDeadline == nil)
    }

    @Test("closing gives an allocation back that was only asked for")
    func closeWhileAsking() {
        let user = user()
        // The challenge was answered 10 ms ago, and the answer to that is not there.
        network.run(50)
        #expect(user.relayed == nil)
        user.use { $0.close(now: $1) }
        network.run(200)
        #expect(server.count(.allocate) == 1 && server.count(.refresh) == 1)
        #expect(server.allocationCount == 0 && user.relayed == nil)
    }
}
