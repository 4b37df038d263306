import Realtime

/// The addresses of one other side, as its name has them, tried one after the other until something comes from there.
///
/// Sans-I/O. Whoever is called may begin to listen a little later: after the last address the first one is tried again, and kept
/// for a while.
public struct AddressTrial: Sendable {
    /// How long the first address is kept when all were tried, in milliseconds.
    public static let restMilliseconds = 5000.0

    /// In the order in which they are tried; never empty.
    public let addresses: [SocketAddress]
    private let patienceMilliseconds: Double?
    private var place = 0
    /// When the present address was taken.
    private var start: HostTime
    private var hasTriedAll = false
    private var isOver: Bool

    /// - Parameters:
    ///   - addresses: one or more; of one alone nothing ever comes.
    ///   - patienceMilliseconds: the next address is tried after so long without a word; `nil`: who is called need not answer.
    ///   - now: when the first one is tried.
    public init(_ addresses: [SocketAddress], patienceMilliseconds: Double? = nil, now: HostTime = .zero) {
        precondition(!addresses.isEmpty, "nobody to call")
        self.addresses = addresses
        self.patienceMilliseconds = patienceMilliseconds
        start = now
        isOver = addresses.count == 1
    }

    /// The address that is tried.
    public var current: SocketAddress { addresses[place] }

    /// Something came from there: no other address is tried any more.
    public mutating func heard() { isOver = true }

    /// The network says that nothing arrives at an address.
    /// - Parameters:
    ///   - address: which; of another than the present one it changes nothing.
    ///   - now: the time.
    /// - Returns: the address to try from now on; `nil`: the same.
    public mutating func unreachable(_ address: SocketAddress, now: HostTime) -> SocketAddress? {
        guard !isOver, address == current, now >= start.advanced(byMilliseconds: restMilliseconds) else { return nil }
        return goOn(now)
    }

    /// Time passes.
    /// - Parameter now: the time.
    /// - Returns: the address to try from now on; `nil`: the same.
    public mutating func advance(to now: HostTime) -> SocketAddress? {
        guard let nextDeadline, now >= nextDeadline else { return nil }
        return goOn(now)
    }

    /// When `advance` next has something to do; `nil` when it has not.
    public var nextDeadline: HostTime? {
        guard !isOver, let patienceMilliseconds else { return nil }
        return start.advanced(byMilliseconds: max(patienceMilliseconds, restMilliseconds))
    }

    private var restMilliseconds: Double { hasTriedAll && place == 0 ? Self.restMilliseconds : 0 }

    private mutating func goOn(_ now: HostTime) -> SocketAddress {
        place = (place + 1) % addresses.count
        hasTriedAll = hasTriedAll || place == 0
        start = now
        return current
    }
}
