import ICE
import Link
import Realtime

/// A socket of a machine in the simulated network.
final class SimulatedSocket: LinkEnd {
    fileprivate var waiting: [(bytes: [UInt8], source: SocketAddress, arrival: HostTime)] = []
    fileprivate var output: ([UInt8], SocketAddress) -> Void = { _, _ in }
    private(set) var statistics = LinkStatistics()
    private(set) var peer: LinkPeer?

    func setPeer(_ peer: LinkPeer?) { self.peer = peer }

    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        let batch = waiting
        waiting = []
        for var item in batch {
            statistics.received += 1
            item.bytes.withUnsafeMutableBytes {
                var packet = ReceivedPacket($0, arrival: item.arrival, source: item.source)
                deliver(&packet)
            }
        }
    }

    func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool {
        guard let destination = packet.destination else { return false }
        output(Array(packet.bytes), destination)
        return true
    }
}

/// A machine with an `ICELink` on one socket, and its signalling.
final class Endpoint: NetworkNode {
    let name: String
    var addresses: [IPAddress]
    let nat: NAT?
    let agent: ICEAgent
    let link: ICELink
    let socket = SimulatedSocket()
    private let network: SimulatedNetwork
    let port: UInt16

    /// All that the agent told.
    private(set) var events: [ICEEvent] = []
    /// Media packets that came out of the link.
    private(set) var heard: [(bytes: [UInt8], source: SocketAddress, arrival: HostTime)] = []
    /// Sees each event as it happens.
    var onEvent: (ICEEvent) -> Void = { _ in }

    init(
        _ name: String, in network: SimulatedNetwork, _ addresses: [IPAddress], nat: NAT? = nil, role: ICERole,
        configuration: ICEConfiguration = ICEConfiguration(), seed: UInt64, port: UInt16 = 5004,
        connections: SimulatedConnections? = nil
    ) {
        self.name = name
        self.addresses = addresses
        self.nat = nat
        self.network = network
        self.port = port
        agent = ICEAgent(role, configuration: configuration, random: SplitMix64(seed: seed))
        link = ICELink(over: socket, agent: agent, connections: connections)
        socket.output = { [unowned self] bytes, destination in
            guard let own = self.addresses.first(where: { $0.family == destination.address.family }) else { return }
            network.send(bytes, from: SocketAddress(own, port: port), of: self, to: destination)
        }
        network.add(self)
        connections?.wake = { [unowned self] in receive(now: network.now) }
    }

    var nextDeadline: HostTime? { link.nextDeadline }

    func take(_ datagram: [UInt8], from source: SocketAddress, to destination: SocketAddress, now: HostTime) {
        guard destination.port == port else { return }
        socket.waiting.append((datagram, source, now))
        receive(now: now)
    }

    private func receive(now: HostTime) {
        link.receive(now: now) { heard.append((Array($0.bytes), $0.source, $0.arrival)) }
        drain()
    }

    func advance(to now: HostTime) {
        link.advance(to: now)
        drain()
    }

    /// Uses the agent as its owner does.
    func update<Failure: Error>(_ body: (ICEAgent) throws(Failure) -> Void) throws(Failure) {
        defer { drain() }
        try link.update(now: network.now, body)
    }

    private func drain() {
        while let event = link.nextICEEvent() {
            events.append(event)
            onEvent(event)
        }
    }

    func gather() { update { $0.gather(addresses, port: port, now: network.now) } }

    /// Sends a voice packet of PCMU.
    @discardableResult
    func speak(_ number: UInt8) -> Bool {
        let packet: [UInt8] = [0x80, 0, 0, number, 0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: number, count: 160)
        return link.send(copying: packet, on: .media, now: network.now)
    }

    /// Numbers of the voice packets that were heard.
    var heardNumbers: [UInt8] { heard.filter { $0.bytes.count == 172 }.map { $0.bytes[3] } }

    var isConnected: Bool { agent.selected != nil }
    var isNominated: Bool { agent.selected?.isNominated ?? false }
    var pairKind: CandidateKind? { agent.selected?.kind }
}

/// Joins two endpoints by signalling that takes `delay` ms: credentials with the first message, candidates as they are found, in the
/// form of `a=candidate` lines.
func trickle(_ caller: Endpoint, _ callee: Endpoint, in network: SimulatedNetwork, delay: Double = 30) {
    for (one, other) in [(caller, callee), (callee, caller)] {
        one.onEvent = { [weak other] event in
            switch event {
            case .candidate(let candidate):
                let line = candidate.text
                network.after(delay) { other?.update { $0.add(candidateLine: line, now: network.now) } }
            case .gatheringDone:
                network.after(delay) { other?.update { $0.endOfRemoteCandidates(now: network.now) } }
            default: break
            }
        }
    }
    shareCredentials(caller, callee, in: network, delay: delay)
    caller.gather()
    network.after(delay) { callee.gather() }
}

/// An offer and its answer, as far as credentials go.
func shareCredentials(_ caller: Endpoint, _ callee: Endpoint, in network: SimulatedNetwork, delay: Double = 30) {
    let offered = caller.agent.localCredentials
    network.after(delay) {
        try? callee.update { agent throws(ICEError) in try agent.setRemote(offered, now: network.now) }
        let answered = callee.agent.localCredentials
        network.after(delay) {
            try? caller.update { agent throws(ICEError) in try agent.setRemote(answered, now: network.now) }
        }
    }
}
