import CNetwork
import Glibc
import Link
import Realtime

/// Many sockets of one thread, each for a stream that must have an address of its own; one look tells which of them have something.
public final class UDPSocketPool {
    /// Sockets told of at one look.
    private static let lookLimit = 256

    private let poll: Int32
    private let batch: ReceiveBatch
    private var sockets: [Int: UDPSocket] = [:]
    private var clock = ReceiveClock()
    private var ready = [UInt64](repeating: 0, count: UDPSocketPool.lookLimit)
    /// What all sockets together counted.
    public private(set) var statistics = LinkStatistics()

    public init() throws(NetworkError) {
        let batch = try ReceiveBatch()
        self.batch = batch
        poll = cnetwork_poll_create()
        guard poll >= 0 else { throw .system(call: "epoll_create1", errno: -poll) }
    }

    deinit { if poll >= 0 { Glibc.close(poll) } }

    /// Opens a socket under the number `name`, at a port of the kernel's choice.
    /// - Parameters:
    ///   - name: not yet taken.
    ///   - bind: local address; nil: every interface.
    ///   - remote: whom it is to reach.
    /// - Returns: where it is.
    @discardableResult
    public func open(_ name: Int, towards remote: SocketAddress, bind: IPAddress? = nil) throws(NetworkError) -> SocketAddress {
        let any = IPAddress(v4: 0)
        let address = bind ?? (remote.address.family == .v4 ? any : IPAddress(v6: 0))
        let socket = try UDPSocket(binding: SocketAddress(address, port: 0, scope: remote.scope))
        let failure = cnetwork_poll_add(poll, socket.fileDescriptor, UInt64(name))
        guard failure == 0 else { throw .system(call: "epoll_ctl", errno: -failure) }
        sockets[name] = socket
        return socket.local
    }

    /// Closes the socket; what waits in it is lost.
    public func close(_ name: Int) { sockets[name] = nil }

    /// Sends a datagram from the socket `name`. Never waits.
    /// - Returns: whether it left.
    @discardableResult
    public func send(_ bytes: UnsafeRawBufferPointer, from name: Int, to address: SocketAddress) -> Bool {
        guard let socket = sockets[name] else { return false }
        return socket.send(bytes, to: address, counting: &statistics)
    }

    /// Hands on what has come, with the name of its socket; waits for `milliseconds` at most for the first.
    public func receive(waitMilliseconds milliseconds: Int, _ deliver: (Int, inout ReceivedPacket) -> Void) {
        var wait = Int32(milliseconds)
        while true {
            let count = ready.withUnsafeMutableBufferPointer {
                cnetwork_poll_wait(poll, $0.baseAddress, Int32($0.count), wait)
            }
            guard count > 0 else { return clock.foundNothing() }
            for index in 0..<Int(count) { read(Int(ready[index]), deliver) }
            guard count == Self.lookLimit else { return }
            wait = 0
        }
    }

    private func read(_ name: Int, _ deliver: (Int, inout ReceivedPacket) -> Void) {
        guard let socket = sockets[name] else { return }
        let count = batch.receive(from: socket)
        guard count > 0 else {
            if count < 0, count != -Int(EAGAIN) { statistics.icmpErrors += socket.drainErrors() }
            return
        }
        clock.received()
        for index in 0..<count {
            let raw = batch[index]
            guard !raw.truncated, let source = raw.source.flatMap({ SocketAddress($0) }) else {
                statistics[.oversized] += 1
                continue
            }
            statistics.received += 1
            statistics.receivedOctets += Int(raw.length)
            var packet = ReceivedPacket(
                UnsafeMutableRawBufferPointer(start: raw.bytes, count: Int(raw.length)),
                arrival: clock.hostTime(realtimeNanoseconds: raw.realtime_ns), source: source)
            deliver(name, &packet)
        }
    }
}
