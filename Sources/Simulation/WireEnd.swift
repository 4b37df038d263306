import Link
import Realtime

/// One end of a wire in virtual time: what is sent here, the other end receives, at the time it was sent.
final class WireEnd: LinkEnd {
    /// The far end; `nil` when the plug is pulled.
    weak var other: WireEnd?
    /// When this end's machine stands still: its kernel notes a packet when it is back.
    var machine: MachineStops?
    private var waiting: [(bytes: [UInt8], flow: PacketFlow, arrival: HostTime)] = []
    private static let address = SocketAddress(IPAddress(v4: 0x7f00_0001), port: 0)

    @discardableResult
    func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool {
        guard let other else { return false }
        other.waiting.append((Array(packet.bytes), packet.flow, other.machine?.resumption(of: now) ?? now))
        return true
    }

    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        let arrived = waiting
        waiting.removeAll()
        for var entry in arrived {
            entry.bytes.withUnsafeMutableBytes { bytes in
                var packet = ReceivedPacket(bytes, arrival: entry.arrival, source: Self.address)
                deliver(&packet)
            }
        }
    }
}
