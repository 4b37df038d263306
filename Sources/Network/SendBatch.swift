import CNetwork
import Link

/// Buffers for sendmmsg(2), allocated once.
final class SendBatch {
    static let capacity = 64

    private let outbox: OpaquePointer
    private let socket: UDPSocket
    private var waiting = 0

    init(_ socket: UDPSocket) throws(NetworkError) {
        guard let outbox = cnetwork_outbox_create(UInt32(Self.capacity), UInt32(PacketLimits.datagramBytes)) else {
            throw .system(call: "calloc", errno: 12)
        }
        self.outbox = outbox
        self.socket = socket
    }

    deinit { cnetwork_outbox_destroy(outbox) }

    /// Puts a copy of a packet behind the others; a full batch leaves first.
    func add(_ bytes: UnsafeRawBufferPointer, to address: SocketAddress, _ counters: inout LinkStatistics) {
        if waiting == Self.capacity { flush(&counters) }
        guard socket.reaches(address) else {
            counters.sendFailures += 1
            return
        }
        let isAdded = address.withSockaddr(for: socket.local.address.family) { pointer, length in
            cnetwork_outbox_add(outbox, bytes.baseAddress, UInt32(bytes.count), pointer, length)
        }
        if isAdded { waiting += 1 } else { counters.sendFailures += 1 }
        counters.sentOctets += isAdded ? bytes.count : 0
    }

    /// Sends what waits.
    func flush(_ counters: inout LinkStatistics) {
        guard waiting > 0 else { return }
        var (error, icmp): (Int32, UInt32) = (0, 0)
        let sent = Int(cnetwork_outbox_flush(outbox, socket.fileDescriptor, &error, &icmp))
        counters.sent += sent
        counters.sendFailures += waiting - sent
        counters.icmpErrors += Int(icmp)
        if error != 0 { counters.lastSendError = error }
        waiting = 0
    }
}
