import Link
import Realtime
import SecureRTP

/// A network in virtual time between links, with loss, doubles and reordering from a seed.
final class VirtualNetwork {
    /// What becomes of datagrams.
    struct Weather {
        var loss = 0.0
        var duplication = 0.0
        /// Delay of each, in milliseconds; one that is longer than the next one's reorders.
        var delay = 10.0...10.0
    }

    let seed: UInt64
    var weather: Weather
    private(set) var now = HostTime.zero
    private var random: SplitMix64
    private var ends: [SocketAddress: NetworkEnd] = [:]
    private var underWay: [(due: HostTime, from: SocketAddress, to: SocketAddress, bytes: [UInt8])] = []
    /// Everything that was sent, lost or not.
    private(set) var log: [(from: SocketAddress, to: SocketAddress, bytes: [UInt8])] = []
    /// Asked of each datagram before it travels: nil has it vanish.
    var tamper: ((SocketAddress, [UInt8]) -> [UInt8]?)?

    init(seed: UInt64, weather: Weather = Weather()) {
        self.seed = seed
        self.weather = weather
        random = SplitMix64(seed: seed)
    }

    func end(at address: SocketAddress, peer: SocketAddress? = nil) -> NetworkEnd {
        let end = NetworkEnd(self, address, peer: peer.map { LinkPeer(media: $0) })
        ends[address] = end
        return end
    }

    func post(_ bytes: [UInt8], from: SocketAddress, to: SocketAddress) {
        log.append((from, to, bytes))
        guard let bytes = tamper.map({ $0(from, bytes) }) ?? bytes, random.unit() >= weather.loss else { return }
        for _ in 0..<(random.unit() < weather.duplication ? 2 : 1) {
            let delay = weather.delay.lowerBound + random.unit() * (weather.delay.upperBound - weather.delay.lowerBound)
            underWay.append((now.advanced(byMilliseconds: delay), from, to, bytes))
        }
    }

    fileprivate func take(for address: SocketAddress) -> [(bytes: [UInt8], source: SocketAddress)] {
        let arrived = underWay.filter { $0.to == address && $0.due <= now }.sorted { $0.due < $1.due }
        underWay.removeAll { $0.to == address && $0.due <= now }
        return arrived.map { ($0.bytes, $0.from) }
    }

    /// Lets time pass until `isDone`, or for `milliseconds`; each step of 5 ms runs `turn`.
    /// - Returns: whether it was done.
    @discardableResult
    func run(_ milliseconds: Double, turn: (HostTime) -> Void, until isDone: () -> Bool = { false }) -> Bool {
        let end = now.advanced(byMilliseconds: milliseconds)
        while now < end {
            now = now.advanced(byMilliseconds: 5)
            turn(now)
            if isDone() { return true }
        }
        return isDone()
    }
}

/// A socket of a `VirtualNetwork`.
final class NetworkEnd: LinkEnd {
    let address: SocketAddress
    private(set) var peer: LinkPeer?
    private unowned let network: VirtualNetwork

    fileprivate init(_ network: VirtualNetwork, _ address: SocketAddress, peer: LinkPeer?) {
        self.network = network
        self.address = address
        self.peer = peer
    }

    func setPeer(_ peer: LinkPeer?) { self.peer = peer }

    func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool {
        guard let destination = packet.destination ?? peer?.media else { return false }
        network.post(Array(packet.bytes), from: address, to: destination)
        return true
    }

    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        for var item in network.take(for: address) {
            item.bytes.withUnsafeMutableBytes {
                var packet = ReceivedPacket($0, arrival: now, source: item.source)
                deliver(&packet)
            }
        }
    }
}

/// One side of an encrypted call: the whole stack of links over a virtual network.
final class Side {
    let wire: NetworkEnd
    let dtls: DTLSLink
    let srtp: SRTPLink
    let identity: DTLSIdentity
    private(set) var heard: [[UInt8]] = []
    private(set) var events: [DTLSLinkEvent] = []

    init(
        _ network: VirtualNetwork, _ address: SocketAddress, peer: SocketAddress?, suites: [SRTPSuite] = SRTPSuite.allCases,
        isPathChecked: Bool = false
    ) throws {
        identity = try DTLSIdentity()
        wire = network.end(at: address, peer: peer)
        dtls = DTLSLink(over: wire, identity: identity, suites: suites, isPathChecked: isPathChecked)
        srtp = SRTPLink(over: dtls)
    }

    func turn(_ now: HostTime) {
        srtp.receive(now: now) { heard.append(Array($0.bytes)) }
        srtp.advance(to: now)
        while let event = dtls.nextDTLSEvent() { events.append(event) }
    }

    var messages: [[UInt8]] {
        events.compactMap { event -> [UInt8]? in
            guard case .association(.message(let bytes)) = event else { return nil }
            return bytes
        }
    }
}
