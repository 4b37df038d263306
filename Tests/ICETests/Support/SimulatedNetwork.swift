import Link
import Realtime
import Testing

/// Who takes part in a network: a machine or a server.
protocol NetworkNode: AnyObject {
    /// Its addresses as it sees them.
    var addresses: [IPAddress] { get }
    /// nil: in the open network.
    var nat: NAT? { get }
    var nextDeadline: HostTime? { get }
    func take(_ datagram: [UInt8], from source: SocketAddress, to destination: SocketAddress, now: HostTime)
    func advance(to now: HostTime)
}

extension NetworkNode {
    var nat: NAT? { nil }
    var nextDeadline: HostTime? { nil }
    func advance(to now: HostTime) {}
}

/// Machines, servers and address translators in virtual time. All that is random follows from the seed.
final class SimulatedNetwork {
    private struct Event {
        let time: HostTime
        let action: () -> Void
    }

    private(set) var now = HostTime.zero
    /// Milliseconds that every datagram travels.
    var delay = 20.0
    /// Share of datagrams that are lost.
    var loss = 0.0
    /// Says which datagrams do not arrive.
    var isBlocked: (_ source: SocketAddress, _ destination: SocketAddress) -> Bool = { _, _ in false }
    /// Sees each datagram as it leaves, behind the sender's NAT.
    var tap: (_ datagram: [UInt8], _ source: SocketAddress, _ destination: SocketAddress) -> Void = { _, _, _ in }
    private var nodes: [any NetworkNode] = []
    private var events: [Event] = []
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    func add(_ node: any NetworkNode) { nodes.append(node) }
    func remove(_ node: any NetworkNode) { nodes.removeAll { $0 === node } }

    func send(_ datagram: [UInt8], from source: SocketAddress, of sender: any NetworkNode, to destination: SocketAddress) {
        guard random.unit() >= loss else { return }
        if let neighbour = nodes.first(where: { $0.nat === sender.nat && $0.addresses.contains(destination.address) }) {
            guard !isBlocked(source, destination) else { return }
            tap(datagram, source, destination)
            return deliver(datagram, from: source, to: destination, at: neighbour)
        }
        let isTranslated = source.address.family == .v4
        let outside = isTranslated ? sender.nat?.outbound(from: source, to: destination) ?? source : source
        guard !isBlocked(outside, destination) else { return }
        tap(datagram, outside, destination)
        after(delay) { [self] in arrive(datagram, from: outside, to: destination) }
    }

    private func arrive(_ datagram: [UInt8], from source: SocketAddress, to destination: SocketAddress) {
        for node in nodes {
            if let nat = node.nat, destination.address.family == .v4 {
                guard nat.outside == destination.address, let inside = nat.inbound(to: destination.port, from: source),
                    node.addresses.contains(inside.address)
                else { continue }
                return node.take(datagram, from: source, to: inside, now: now)
            }
            if node.addresses.contains(destination.address) {
                return node.take(datagram, from: source, to: destination, now: now)
            }
        }
    }

    private func deliver(
        _ datagram: [UInt8], from source: SocketAddress, to destination: SocketAddress, at node: any NetworkNode
    ) {
        after(delay) { [self] in node.take(datagram, from: source, to: destination, now: now) }
    }

    /// Does something `milliseconds` from now.
    func after(_ milliseconds: Double, _ action: @escaping () -> Void) {
        let event = Event(time: now.advanced(byMilliseconds: milliseconds), action: action)
        let place = events.firstIndex { $0.time > event.time } ?? events.count
        events.insert(event, at: place)
    }

    /// Lets so much time pass.
    func run(_ milliseconds: Double) {
        let end = now.advanced(byMilliseconds: milliseconds)
        _ = run(until: end) { false }
    }

    /// Lets time pass until `condition` holds, at most so long.
    /// - Returns: whether it holds.
    func run(_ milliseconds: Double, until condition: () -> Bool) -> Bool {
        run(until: now.advanced(byMilliseconds: milliseconds), condition)
    }

    private func run(until end: HostTime, _ condition: () -> Bool) -> Bool {
        var turnsAtOnce = 0
        while !condition() {
            let deadlines = nodes.compactMap(\.nextDeadline) + (events.first.map { [$0.time] } ?? [])
            guard let next = deadlines.min(), next <= end else {
                now = max(now, end)
                return condition()
            }
            turnsAtOnce = next > now ? 0 : turnsAtOnce + 1
            guard turnsAtOnce < 10_000 else {
                Issue.record("a deadline that never passes, at \(now.nanoseconds / 1_000_000) ms")
                return false
            }
            now = max(now, next)
            if let event = events.first, event.time <= now {
                events.removeFirst()
                event.action()
            } else {
                for node in nodes where node.nextDeadline.map({ $0 <= now }) ?? false { node.advance(to: now) }
            }
        }
        return true
    }
}
