import CNetwork
import Link

extension UDPSocket {
    /// Sends a datagram and counts it, or why it did not leave. Never waits.
    ///
    /// - Parameters:
    ///   - bytes: the datagram.
    ///   - address: where it goes.
    ///   - counters: where that is counted.
    /// - Returns: whether it left.
    func send(
        _ bytes: UnsafeRawBufferPointer, to address: SocketAddress, counting counters: inout LinkStatistics
    ) -> Bool {
        var error = send(bytes, to: address)
        if cnetwork_is_icmp(error) {
            // The error of an earlier packet: this one has not been sent yet. Its own error comes again.
            counters.icmpErrors += drainErrors()
            error = send(bytes, to: address)
        }
        guard error == 0 else {
            counters.sendFailures += 1
            counters.lastSendError = error
            return false
        }
        counters.sent += 1
        counters.sentOctets += bytes.count
        return true
    }
}
