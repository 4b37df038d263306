import Link

/// A TURN server and who we are to it. The password never prints.
public struct TURNServer: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public var address: SocketAddress
    public var username: String
    let password: String
    /// Asks for an IPv6 address too, besides the one of IPv4 (RFC 8656 section 7.1). A server that knows nothing of it gives
    /// the one only.
    public var wantsIPv6: Bool

    public init(address: SocketAddress, username: String, password: String, wantsIPv6: Bool = true) {
        self.address = address
        self.username = username
        self.password = password
        self.wantsIPv6 = wantsIPv6
    }

    public var description: String { "turn:\(address)" }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
