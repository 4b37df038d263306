import Link
import Network
import Reporting

/// Where somebody is called: the addresses of a name that this machine can send to, and a socket that reaches all of them.
package struct CalledPlace {
    /// Its peer is the first address.
    package let socket: UDPLink
    /// In the order in which they are tried; never empty.
    package let addresses: [SocketAddress]

    /// Blocks while the host name is looked up.
    /// - Parameters:
    ///   - host: a name or an address.
    ///   - port: where RTP goes.
    ///   - bind: local address; `nil`: any.
    ///   - localPort: port for RTP; 0: a free one.
    ///   - rtcp: how RTCP travels.
    /// - Throws: a name without an address; what keeps the socket from being opened.
    init(
        host: String, port: UInt16, bind: IPAddress?, localPort: UInt16 = 0, rtcp: RTCPTransport
    ) throws(NetworkError) {
        try self.init(try resolve(host: host, port: port), bind: bind, localPort: localPort, rtcp: rtcp)
    }

    /// The same of known addresses.
    /// - Parameters:
    ///   - known: one or more.
    ///   - bind: local address; `nil`: any.
    ///   - localPort: port for RTP; 0: a free one.
    ///   - rtcp: how RTCP travels.
    /// - Throws: what keeps the socket from being opened.
    package init(
        _ known: [SocketAddress], bind: IPAddress? = nil, localPort: UInt16 = 0, rtcp: RTCPTransport
    ) throws(NetworkError) {
        let found = reachable(known, from: bind)
        // Where none can be reached the first one's error says why.
        addresses = found.isEmpty ? [known[0]] : found
        let isMixed = Set(addresses.map(\.address.family)).count > 1
        socket = try UDPLink(bind: bind, localPort: localPort, remote: isMixed ? nil : addresses[0], rtcp: rtcp)
        socket.setPeer(LinkPeer(media: addresses[0]))
    }
}

extension EventBody {
    /// Nothing arrives at an address, and the name's next one is tried.
    /// - Parameters:
    ///   - next: where that is.
    ///   - former: which address it was.
    ///   - refusal: why the system sent nothing there; `nil`: nobody answered.
    static func tried(_ next: SocketAddress, after former: SocketAddress, refusal: String? = nil) -> EventBody {
        .warning("nobody answers at \(former)\(refusal.map { ": \($0)" } ?? ""); \(next) is tried")
    }
}

extension [SocketAddress] {
    /// All of them, for a person.
    var text: String { map { "\($0)" }.joined(separator: " or ") }
}
