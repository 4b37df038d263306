import NIOCore
import SIP

extension SignallingAddress {
    /// nil: not an internet address.
    init?(_ address: SocketAddress?) {
        guard let address, let text = address.ipAddress, let port = address.port else { return nil }
        self.init(host: text, port: UInt16(clamping: port))
    }

    /// Whether a datagram to it may reach somebody: it has a port, and is neither everybody on the link nor an address of a link that is
    /// not named.
    var takesDatagrams: Bool { port != 0 && host != "255.255.255.255" && !host.lowercased().hasPrefix("fe80:") }

    func socketAddress() throws(SignallingFailure) -> SocketAddress {
        do { return try SocketAddress(ipAddress: host, port: Int(port)) } catch { throw .notNumeric(host) }
    }
}
