import Link
import Realtime
import SecureRTP
import Testing

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
    /// A socket's link may not be entered twice: nothing is sent while it hands on what it received.
    private var isReceiving = false

    fileprivate init(_ network: VirtualNetwork, _ address: SocketAddress, peer: LinkPeer?) {
        self.network = network
        self.address = address
        self.peer = peer
    }

    func setPeer(_ peer: LinkPeer?) { self.peer = peer }

    func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool {
        #expect(!isReceiving, "sent while receiving")
        guard let destination = packet.destination ?? peer?.media else { return false }
        network.post(Array(packet.bytes), from: address, to: destination)
        return true
    }

    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        isReceiving = true
        defer { isReceiving = false }
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
        _ network: VirtualNetwork, _ address: SocketAddress, peer: SocketAddress?, identity: DTLSIdentity? = nil,
        suites: [SRTPSuite] = SRTPSuite.allCases,
        isPathChecked: Bool = false
    ) throws {
        self.identity = try identity ?? DTLSIdentity()
        wire = network.end(at: address, peer: peer)
        dtls = DTLSLink(over: wire, identity: self.identity, suites: suites, isPathChecked: isPathChecked)
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

extension Side {
    /// The failure that the link ended with.
    var failure: DTLSFailure? {
        guard case .failed(let reason) = dtls.state else { return nil }
        return reason
    }

    var session: DTLSSession? {
        for case .association(.connected(let session)) in events { return session }
        return nil
    }
}

/// Alice, who is active, and Bob, who is passive; each trusts the other unless a test says otherwise.
struct Pair {
    let network: VirtualNetwork
    let alice: Side
    let bob: Side

    init(
        seed: UInt64 = 1, weather: VirtualNetwork.Weather = .init(), aliceIs: DTLSIdentity? = nil, bobIs: DTLSIdentity? = nil,
        aliceHas: [SRTPSuite] = SRTPSuite.allCases, bobHas: [SRTPSuite] = SRTPSuite.allCases, isPathChecked: Bool = false
    ) throws {
        network = VirtualNetwork(seed: seed, weather: weather)
        alice = try Side(
            network, Place.alice, peer: Place.bob, identity: aliceIs, suites: aliceHas, isPathChecked: isPathChecked)
        bob = try Side(
            network, Place.bob, peer: isPathChecked ? Place.alice : nil, identity: bobIs, suites: bobHas,
            isPathChecked: isPathChecked)
    }

    func start(aliceTrusts: DTLSTrust? = nil, bobTrusts: DTLSTrust? = nil, patience: Double? = 20_000) throws {
        try alice.dtls.start(
            .active, trust: aliceTrusts ?? .fingerprints([bob.identity.fingerprint]), patienceMilliseconds: patience,
            now: network.now)
        try bob.dtls.start(
            .passive, trust: bobTrusts ?? .fingerprints([alice.identity.fingerprint]), patienceMilliseconds: patience,
            now: network.now)
    }

    @discardableResult
    func run(_ milliseconds: Double = 1000, until isDone: () -> Bool = { false }) -> Bool {
        network.run(
            milliseconds,
            turn: {
                alice.turn($0)
                bob.turn($0)
            }, until: isDone)
    }

    var isConnected: Bool { alice.dtls.state == .connected && bob.dtls.state == .connected }

    /// Sends a packet each way: whether both are heard.
    func talk(_ sequence: Int = 1) -> Bool {
        _ = alice.srtp.send(copying: rtp(sequence, ssrc: 1), on: .media, now: network.now)
        _ = bob.srtp.send(copying: rtp(sequence, ssrc: 2), on: .media, now: network.now)
        run(100)
        return alice.heard.last == rtp(sequence, ssrc: 2) && bob.heard.last == rtp(sequence, ssrc: 1)
    }
}
