import CNetwork
import Glibc
import Link
import Realtime

/// Reads one socket: all that has come, in batches, with the kernel's receive stamps.
final class UDPReader {
    /// Batches read in one turn at most: more than a second of 16 streams, and few milliseconds of work in a flood.
    static let batchesPerTurn = 32

    let socket: UDPSocket
    private let isControlPort: Bool
    private let batch: ReceiveBatch
    private var admitted = AdmittedSources.anyone
    private var clock = ReceiveClock()

    init(_ socket: UDPSocket, isControlPort: Bool) throws(NetworkError) {
        self.socket = socket
        self.isControlPort = isControlPort
        batch = try ReceiveBatch()
    }

    /// Has the kernel drop what comes from elsewhere. Where it cannot, the layers above drop it.
    func admit(_ sources: AdmittedSources, port: Bool) {
        guard sources != admitted else { return }
        admitted = sources
        switch sources {
        case .anyone: socket.hearAnyone()
        case .only(let source): socket.hear(only: source, port: port)
        }
    }

    /// Hands on what is there. Strangers that a flood left in the queue cost a turn little: they are read in batches until
    /// none is left.
    func receive(_ counters: inout LinkStatistics, _ deliver: (inout ReceivedPacket) -> Void) {
        for _ in 0..<Self.batchesPerTurn {
            var count = batch.receive(from: socket)
            if count < 0, count != -Int(EAGAIN) {
                // The error of an earlier packet, told by ICMP; its report wakes every poll until it is read.
                counters.icmpErrors += socket.drainErrors()
                count = batch.receive(from: socket)
            }
            guard count > 0 else {
                if count == -Int(EAGAIN) { clock.foundNothing() }
                return
            }
            clock.received()
            handOn(count, &counters, deliver)
            guard count == ReceiveBatch.capacity else { return clock.emptied() }
        }
    }

    private func handOn(_ count: Int, _ counters: inout LinkStatistics, _ deliver: (inout ReceivedPacket) -> Void) {
        for index in 0..<count {
            let raw = batch[index]
            guard !raw.truncated else {
                counters[.oversized] += 1
                continue
            }
            guard let address = raw.source.flatMap({ SocketAddress($0) }) else { continue }
            counters.received += 1
            counters.receivedOctets += Int(raw.length)
            var packet = ReceivedPacket(
                UnsafeMutableRawBufferPointer(start: raw.bytes, count: Int(raw.length)),
                arrival: clock.hostTime(realtimeNanoseconds: raw.realtime_ns), source: address,
                isOnControlPort: isControlPort, trafficClass: UInt8(exactly: raw.traffic_class))
            deliver(&packet)
        }
    }
}
