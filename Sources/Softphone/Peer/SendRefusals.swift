import Glibc
import Link
import Realtime

/// What the system says to a caller's datagrams: those that it refuses never leave, and nobody can answer them.
///
/// Most refusals may pass within a handshake's time: a network that comes back, a queue that empties. So they end nothing by
/// themselves.
package struct SendRefusals: Sendable {
    private var sent = 0
    private var failures = 0
    private var latest: Int32?
    private var barred: Set<SocketAddress> = []

    package init() {}

    /// Takes the counters of the link, which are the call's alone.
    /// - Parameters:
    ///   - statistics: as they are now.
    ///   - address: where it sent since the last time.
    /// - Returns: why the system refused what was sent since then; `nil`: nothing was sent, or some of it left.
    package mutating func take(_ statistics: LinkStatistics, to address: SocketAddress) -> Int32? {
        let isRefused = statistics.sent == sent && statistics.sendFailures > failures
        (sent, failures) = (statistics.sent, statistics.sendFailures)
        guard isRefused, let code = statistics.lastSendError else { return nil }
        if Self.isOfAddress(code) { latest = code }
        if Self.isForGood(code) { barred.insert(address) }
        return code
    }

    /// Why nothing has ever left; `nil`: something has, or it was not the address that was refused.
    package var reason: Int32? { sent == 0 ? latest : nil }

    /// Whether nothing can ever be sent to any of `addresses`.
    package func bars(_ addresses: [SocketAddress]) -> Bool { barred.isSuperset(of: addresses) }

    /// Whether a refusal is about where the datagram went, not about a full queue.
    package static func isOfAddress(_ code: Int32) -> Bool { ![EAGAIN, ENOBUFS, ENOMEM, EINTR].contains(code) }

    /// The local address that was asked for and the other side's do not go together: time changes nothing of that.
    private static func isForGood(_ code: Int32) -> Bool { code == EAFNOSUPPORT || code == EINVAL }

    /// In the words that a call by SIP has for it.
    package static func text(_ code: Int32) -> String { "the network does not lead there (\(systemMessage(code)))" }
}
