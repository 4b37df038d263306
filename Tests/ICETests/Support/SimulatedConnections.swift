import ICE
import Link
import Realtime

/// Connections to TURN servers of the simulated network: what they carry is cut into messages at the server's end, and comes back in
/// pieces of any length.
final class SimulatedConnections: TURNConnections {
    private let network: SimulatedNetwork
    private let own: IPAddress
    private var random: SplitMix64
    private var ends: [TURNConnectionID: ConnectionEnd] = [:]
    private var news: [(id: TURNConnectionID, octets: [UInt8]?)] = []
    /// Servers to which no connection comes about.
    var unreachable: Set<SocketAddress> = []
    /// Servers that refuse connections.
    var refusing: Set<SocketAddress> = []
    /// Where connections were opened to.
    private(set) var opened: [SocketAddress] = []
    var openCount: Int { ends.count }
    var wake: () -> Void = {}

    init(_ own: IPAddress, in network: SimulatedNetwork, seed: UInt64) {
        self.own = own
        self.network = network
        random = SplitMix64(seed: seed)
    }

    func open(_ id: TURNConnectionID, to server: TURNServer, now: HostTime) {
        opened.append(server.address)
        guard !unreachable.contains(server.address) else { return }
        guard !refusing.contains(server.address) else {
            news.append((id, nil))
            return network.after(1) { [weak self] in self?.wake() }
        }
        // An address of its own: the network knows no ports of machines.
        let end = ConnectionEnd(IPAddress(v4: UInt32(own.bits) ^ UInt32(opened.count) << 16), server.address, in: network)
        ends[id] = end
        end.deliver = { [unowned self] octets in
            // As a stream may bring it.
            var rest = octets[...]
            while !rest.isEmpty {
                let count = min(rest.count, 1 + Int(random.next() % 40))
                news.append((id, Array(rest.prefix(count))))
                rest = rest.dropFirst(count)
            }
            wake()
        }
    }

    func send(_ octets: UnsafeRawBufferPointer, on id: TURNConnectionID) -> Bool { ends[id]?.send(octets) ?? false }

    func close(_ id: TURNConnectionID) { ends.removeValue(forKey: id)?.close() }

    /// The servers, or the way to them, end all connections.
    func breakAll() {
        for (id, end) in ends {
            end.close()
            news.append((id, nil))
        }
        ends = [:]
        wake()
    }

    func receive(now: HostTime, _ deliver: (TURNConnectionID, TURNConnectionNews) -> Void) {
        let waiting = news
        news = []
        for item in waiting {
            guard let octets = item.octets else {
                deliver(item.id, .ended("broken"))
                continue
            }
            octets.withUnsafeBytes { deliver(item.id, .octets($0)) }
        }
    }
}

/// A connection, as the network sees it: messages between an address of its own and the server.
private final class ConnectionEnd: NetworkNode {
    let addresses: [IPAddress]
    private let server: SocketAddress
    private let network: SimulatedNetwork
    private var framer = TURNStreamFramer()
    var deliver: ([UInt8]) -> Void = { _ in }

    init(_ own: IPAddress, _ server: SocketAddress, in network: SimulatedNetwork) {
        addresses = [own]
        self.server = server
        self.network = network
        network.add(self)
    }

    func send(_ octets: UnsafeRawBufferPointer) -> Bool {
        let own = SocketAddress(addresses[0], port: 30_000)
        return (try? framer.receive(octets) { network.send(Array($0), from: own, of: self, to: server) }) != nil
    }

    func close() { network.remove(self) }

    func take(_ datagram: [UInt8], from source: SocketAddress, to destination: SocketAddress, now: HostTime) {
        // Channel data is padded on a stream.
        deliver(datagram + [UInt8](repeating: 0, count: -datagram.count & 3))
    }
}
