import NIOCore
import NIOPosix
import Realtime
import SIP

/// An answer by UDP leaves from the address that was asked (RFC 3581 section 4), also where the route would take another one:
/// then by a socket of that address beside the one that hears at all of them. What comes there later it hears, and hands on
/// just so.
extension TransportCore {
    /// Such sockets at most; whoever asks at yet another address is answered from the route's.
    static let mostAnswering = 16
    private static let routeMilliseconds = 1000.0
    private static let mostRoutes = 256

    /// - Parameter socket: the family's, which sends whatever is no answer.
    func sendDatagram(
        _ bytes: [UInt8], to address: SocketAddress, _ destination: SignallingDestination, beside socket: any Channel
    ) {
        guard let local = destination.local, let place = SignallingAddress(socket.localAddress), local != place else {
            return write(bytes, to: address, destination, by: socket)
        }
        if let other = datagramPlaces.first(where: { $0.address == local }) {
            return write(bytes, to: address, destination, by: other.channel)
        }
        guard place.host == (place.isV6 ? "::" : "0.0.0.0"), local.port == place.port, local.isV6 == place.isV6,
            let route = routeHost(towards: destination.address), route != local.host
        else { return write(bytes, to: address, destination, by: socket) }
        if let known = answering[local] { return write(bytes, to: address, destination, by: known ?? socket) }
        guard answering.count < Self.mostAnswering, local.takesDatagrams, let own = try? local.socketAddress() else {
            return write(bytes, to: address, destination, by: socket)
        }
        answering[local] = .some(nil)
        let core = NIOLoopBound(self, eventLoop: loop)
        // For this moment alone: no other program is to take the port.
        Self.setShared(true, socket)
        datagramBootstrap(core, isV6: local.isV6).channelOption(.socketOption(.so_reuseaddr), value: 1).bind(to: own)
            .whenComplete { result in
                Self.setShared(false, socket)
                let answerer = core.value.keep(try? result.get(), answeringFrom: local)
                core.value.write(bytes, to: address, destination, by: answerer ?? socket)
            }
    }

    private static func setShared(_ isShared: Bool, _ socket: any Channel) {
        _ = try? socket.syncOptions?.setOption(.socketOption(.so_reuseaddr), value: isShared ? 1 : 0)
    }

    /// - Returns: nil: there is none, or it came too late.
    private func keep(_ channel: (any Channel)?, answeringFrom local: SignallingAddress) -> (any Channel)? {
        guard let channel else { return nil }
        guard !isStopped, answering.keys.contains(local) else {
            channel.close(promise: nil)
            return nil
        }
        Self.setShared(false, channel)
        answering[local] = .some(channel)
        return channel
    }

    func closeAnswering() {
        let sockets = answering.values
        answering = [:]
        for socket in sockets { socket?.close(promise: nil) }
    }

    /// The address of this machine that the route takes, as it was a second ago at most; nil: no way leads there.
    private func routeHost(towards remote: SignallingAddress) -> String? {
        let now = HostTime.monotonicNow()
        if now >= routes.until || routes.hosts.count >= Self.mostRoutes {
            routes = ([:], now.advanced(byMilliseconds: Self.routeMilliseconds))
        }
        if let known = routes.hosts[remote.host] { return known }
        let host = (try? SignallingAddress.local(towards: remote))?.host
        routes.hosts[remote.host] = host
        return host
    }
}
