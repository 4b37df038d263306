import Glibc
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
        if Self.isICMP(error) {
            // The error of an earlier packet: this one has not been sent yet.
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

    /// Errors that an ICMP message about an earlier packet leaves for the next call.
    private static func isICMP(_ error: Int32) -> Bool {
        switch error {
        case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENOPROTOOPT, EPROTO: true
        default: false
        }
    }
}
