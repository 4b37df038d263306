import Glibc
import ICE
import Link
import Network
import Realtime
import Testing

/// A TURN server to try against: `ICE_COTURN=127.0.0.1:3478`, user `u`, password `p`. docs/ice-room.md has the command line.
private let coturn: SocketAddress? = getenv("ICE_COTURN").map { address(String(cString: $0)) }

/// One end over a real socket.
private final class LiveEnd {
    let socket: UDPLink
    let link: ICELink
    private(set) var events: [ICEEvent] = []
    private(set) var heard: [[UInt8]] = []

    init(_ role: ICERole, _ configuration: ICEConfiguration) throws {
        socket = try UDPLink(bind: ip("127.0.0.1"))
        link = ICELink(over: socket, agent: ICEAgent(role, configuration: configuration))
    }

    /// One turn, as the media thread takes it.
    func step(_ now: HostTime) -> [Candidate] {
        link.receive(now: now) { heard.append(Array($0.bytes)) }
        link.advance(to: now)
        var found: [Candidate] = []
        while let event = link.nextICEEvent() {
            events.append(event)
            if case .candidate(let candidate) = event { found.append(candidate) }
        }
        return found
    }
}

@Suite("Over real sockets") struct LiveLinkTests {
    private let patience = 20_000.0

    /// Connects two ends that trickle, and has them speak.
    private func call(_ configuration: ICEConfiguration) throws -> (caller: LiveEnd, callee: LiveEnd, milliseconds: Double) {
        let ends = [try LiveEnd(.controlling, configuration), try LiveEnd(.controlled, configuration)]
        let start = HostTime.monotonicNow()
        for end in ends {
            end.link.update(now: start) { $0.gather([ip("127.0.0.1")], port: end.socket.local.port, now: start) }
        }
        for (one, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            try one.link.update(now: start) { agent throws(ICEError) in
                try agent.setRemote(other.link.agent.localCredentials, now: start)
            }
        }
        let isDone = { ends.allSatisfy { $0.link.agent.selected?.isNominated ?? false } }
        var now = start
        while !isDone(), now.milliseconds(since: start) < patience {
            for (one, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
                for candidate in one.step(now) {
                    other.link.update(now: now) { $0.add(candidateLine: candidate.text, now: now) }
                }
            }
            usleep(1000)
            now = .monotonicNow()
        }
        try #require(isDone())
        let took = now.milliseconds(since: start)
        // What the channels need to be bound.
        for _ in 0..<50 {
            for end in ends { _ = end.step(.monotonicNow()) }
            usleep(1000)
        }
        let packet = { (number: UInt8) in [0x80, 0, 0, number] + [UInt8](repeating: number, count: 168) }
        for number: UInt8 in 0..<50 {
            for end in ends { end.link.send(copying: packet(number), on: .media, now: .monotonicNow()) }
            usleep(1000)
            for end in ends { _ = end.step(.monotonicNow()) }
        }
        let sent = HostTime.monotonicNow()
        while ends.contains(where: { $0.heard.count < 50 }), HostTime.monotonicNow().milliseconds(since: sent) < patience {
            usleep(1000)
            for end in ends { _ = end.step(.monotonicNow()) }
        }
        for end in ends { #expect(end.heard == (0..<50).map(packet)) }
        return (ends[0], ends[1], took)
    }

    @Test("two agents connect over loopback by their host candidates")
    func loopback() throws {
        let (caller, callee, _) = try call(ICEConfiguration())
        #expect(caller.link.agent.selected?.kind == .host && callee.link.agent.selected?.kind == .host)
    }

    @Test("two agents that hide their addresses connect through coturn", .enabled(if: coturn != nil, "no ICE_COTURN"))
    func relayed() throws {
        var configuration = ICEConfiguration()
        let server = try #require(coturn)
        configuration.turnServers = [TURNServer(address: server, username: "u", password: "p")]
        configuration.relayOnly = true
        let (caller, callee, took) = try call(configuration)
        for end in [caller, callee] {
            #expect(end.link.agent.selected?.local.kind == .relayed && end.link.agent.selected?.remote.kind == .relayed)
            end.link.update(now: .monotonicNow()) { $0.close(now: .monotonicNow()) }
        }
        print("through coturn: nominated after \(took) ms")
    }

    @Test("coturn tells our address, and refuses a wrong password", .enabled(if: coturn != nil, "no ICE_COTURN"))
    func server() throws {
        let server = try #require(coturn)
        var configuration = ICEConfiguration()
        configuration.stunServers = [server]
        configuration.turnServers = [TURNServer(address: server, username: "u", password: "wrong")]
        let end = try LiveEnd(.controlling, configuration)
        let start = HostTime.monotonicNow()
        end.link.update(now: start) { $0.gather([ip("127.0.0.1")], port: end.socket.local.port, now: start) }
        var binding = STUNBindingClient(server: server)
        let socket = try UDPLink(bind: ip("127.0.0.1"))
        binding.request(now: start)
        for bytes in binding.takeOutputs() { send(bytes, by: socket, to: server) }
        var outcome: STUNBindingClient.Outcome?
        while !end.events.contains(.gatheringDone) || outcome == nil,
            HostTime.monotonicNow().milliseconds(since: start) < patience
        {
            _ = end.step(.monotonicNow())
            socket.receive(now: .monotonicNow()) { packet in
                outcome = outcome ?? binding.receive(UnsafeRawBufferPointer(packet.bytes), from: packet.source)
            }
            usleep(1000)
        }
        #expect(outcome == .mapped(socket.local, hasMoved: false))
        #expect(end.events.contains(.serverFailed(ServerID(server), .unauthorized)))
    }

    @Test("an allocation at coturn outlives its nonce", .enabled(if: coturn != nil, "no ICE_COTURN"))
    func staleNonce() throws {
        let server = try #require(coturn)
        let socket = try UDPLink(bind: ip("127.0.0.1"))
        let peer = try UDPLink(bind: ip("127.0.0.1"))
        var client = TURNClient(server: TURNServer(address: server, username: "u", password: "p"))
        var events: [TURNClient.Event] = []
        var heard: [[UInt8]] = []
        /// Lets time pass until `condition` holds.
        func wait(_ limit: Double, until condition: () -> Bool) {
            let start = HostTime.monotonicNow()
            while !condition(), HostTime.monotonicNow().milliseconds(since: start) < limit {
                let now = HostTime.monotonicNow()
                client.advance(to: now)
                for bytes in client.takeOutputs() { send(bytes, by: socket, to: server) }
                socket.receive(now: now) { packet in
                    if packet.kind == .turnChannel {
                        heard.append(Array(packet.bytes.dropFirst(4)))
                    } else if let message = try? STUNMessage(parsing: UnsafeRawBufferPointer(packet.bytes)) {
                        _ = client.receive(message, from: packet.source, now: now)
                    }
                }
                // The peer sends back what it gets.
                var back: [([UInt8], SocketAddress)] = []
                peer.receive(now: now) { back.append((Array($0.bytes), $0.source)) }
                for (bytes, source) in back { send(bytes, by: peer, to: source) }
                events += client.takeEvents()
                usleep(1000)
            }
        }
        client.allocate(now: .monotonicNow())
        wait(patience) { !client.relayed.isEmpty }
        // coturn runs with --stale-nonce=2 here, if 438 is to be seen.
        wait(4000) { false }
        client.permit(peer.local.address, now: .monotonicNow())
        client.bindChannel(to: peer.local, now: .monotonicNow())
        wait(patience) { client.channel(to: peer.local) != nil && client.isPermitted(peer.local.address) }
        let voice: [UInt8] = [0x80, 1, 2, 3]
        send(client.packet(voice, to: peer.local), by: socket, to: server)
        wait(patience) { !heard.isEmpty }
        #expect(heard == [voice])
        client.close(now: .monotonicNow())
        for bytes in client.takeOutputs() { send(bytes, by: socket, to: server) }
    }

    private func send(_ bytes: [UInt8], by link: UDPLink, to destination: SocketAddress) {
        var copy = bytes
        copy.withUnsafeMutableBytes {
            var packet = OutgoingPacket(.media, in: $0, count: $0.count, to: destination)
            link.send(&packet, now: .monotonicNow())
        }
    }
}
