import Link

/// The sockets of one session: RTP's, and RTCP's where it has a port of its own.
struct UDPSocketPair {
    let media: UDPSocket
    /// nil with rtcp-mux.
    let control: UDPSocket?

    /// Binds to `bind`, or to every interface: IPv4 and IPv6 unless `remote` decides.
    /// - Parameter sharesPort: whether other pairs of this program may be bound to the same ports.
    init(
        _ bind: IPAddress?, remote: SocketAddress?, port: UInt16, rtcp: RTCPTransport, sharesPort: Bool = false
    ) throws(NetworkError) {
        if let bind {
            let scope = try Self.scope(of: bind, remote: remote)
            try self.init(at: bind, scope: scope, port: port, rtcp: rtcp, sharesPort)
        } else if remote?.address.family == .v4 {
            try self.init(at: IPAddress(v4: 0), scope: 0, port: port, rtcp: rtcp, sharesPort)
        } else {
            do {
                try self.init(at: IPAddress(v6: 0), scope: 0, port: port, rtcp: rtcp, sharesPort)
            } catch .familyUnavailable where remote == nil {
                try self.init(at: IPAddress(v4: 0), scope: 0, port: port, rtcp: rtcp, sharesPort)
            }
        }
    }

    /// The interface of a link-local IPv6 address, which the kernel wants to know: that of `remote`, or the one that has the
    /// address.
    /// - Returns: 0 for other addresses, and where several interfaces have it.
    private static func scope(of bind: IPAddress, remote: SocketAddress?) throws(NetworkError) -> UInt32 {
        if let remote, remote.scope != 0 { return remote.scope }
        guard bind.family == .v6, bind.isLinkLocal else { return 0 }
        let scopes = scopedAddresses().filter { $0.address == bind }.map(\.scope)
        guard let first = scopes.first else { throw .addressNotHere(bind.description) }
        return scopes.count == 1 ? first : 0
    }

    /// RFC 3550 section 11: RTP on an even port, RTCP on the next. Only with port 0 there is a choice.
    private init(
        at address: IPAddress, scope: UInt32, port: UInt16, rtcp: RTCPTransport, _ sharesPort: Bool
    ) throws(NetworkError) {
        var attempts = port == 0 ? 100 : 1
        while true {
            let media = try UDPSocket(binding: SocketAddress(address, port: port, scope: scope), sharesPort: sharesPort)
            if case .mux = rtcp {
                self.media = media
                control = nil
                return
            }
            attempts -= 1
            let mediaPort = media.local.port
            if port == 0, mediaPort % 2 != 0, attempts > 0 { continue }
            guard mediaPort < .max else { throw .portTaken(mediaPort) }
            do {
                control = try UDPSocket(
                    binding: SocketAddress(address, port: mediaPort + 1, scope: scope), sharesPort: sharesPort)
                self.media = media
                return
            } catch {
                if case .portTaken = error, attempts > 0 { continue }
                throw error
            }
        }
    }
}
