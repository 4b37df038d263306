import CNetwork
import Link

/// Buffers for recvmmsg(2), allocated once.
final class ReceiveBatch {
    static let capacity = 32

    private let batch: OpaquePointer

    init() throws(NetworkError) {
        guard let batch = cnetwork_batch_create(UInt32(Self.capacity), UInt32(PacketLimits.datagramBytes)) else {
            throw .system(call: "calloc", errno: 12)
        }
        self.batch = batch
    }

    deinit { cnetwork_batch_destroy(batch) }

    /// Number of datagrams received, or the negative error number.
    func receive(from socket: UDPSocket) -> Int { Int(cnetwork_batch_receive(batch, socket.fileDescriptor)) }

    subscript(index: Int) -> cnetwork_datagram { cnetwork_batch_get(batch, UInt32(index)) }
}
