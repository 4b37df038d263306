import Link
import Realtime

/// A socket without a network: an input puts in what comes, and looks at what was sent.
final class FuzzWire: LinkEnd {
    var waiting: [(bytes: [UInt8], source: SocketAddress)] = []
    private(set) var peer: LinkPeer?
    private var sent: [(bytes: [UInt8], destination: SocketAddress)] = []
    private var count = 0
    private var isReceiving = false

    func setPeer(_ peer: LinkPeer?) { self.peer = peer }

    func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool {
        precondition(!isReceiving, "sent while receiving")
        precondition(packet.count <= PacketLimits.datagramBytes, "a datagram of \(packet.count) bytes")
        guard let destination = packet.destination ?? peer?.media else { return false }
        count += 1
        sent.append((Array(packet.bytes), destination))
        if sent.count > 64 { sent.removeFirst() }
        return true
    }

    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        isReceiving = true
        defer { isReceiving = false }
        let items = waiting
        waiting = []
        for var item in items {
            item.bytes.withUnsafeMutableBytes {
                var packet = ReceivedPacket($0, arrival: now, source: item.source)
                deliver(&packet)
            }
        }
    }

    /// The datagram that was sent `age` before the last one; nil: nothing was.
    func recent(_ age: Int) -> (bytes: [UInt8], destination: SocketAddress)? {
        sent.isEmpty ? nil : sent[sent.count - 1 - age % sent.count]
    }

    /// What was sent since the last time, oldest first; at most 64.
    func takeSent() -> [[UInt8]] {
        defer { sent = [] }
        return sent.map(\.bytes)
    }

    /// How many datagrams were sent since the last time.
    func takeCount() -> Int {
        defer { count = 0 }
        return count
    }
}
