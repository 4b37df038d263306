import Glibc
import Link
import Realtime

/// One UDP port for the media of many calls, and the next one for their RTCP: what comes is read in batches, what leaves is sent in
/// batches, so that a turn costs few system calls however many calls it serves. Confined to one thread.
public final class MediaPort: PacketPort {
    /// Where RTP is heard; the port is the kernel's choice when 0 was asked.
    public var local: SocketAddress { media.socket.local }
    /// What to poll for RTP.
    public var fileDescriptor: Int32 { media.socket.fileDescriptor }
    /// Whether RTCP has a port of its own: the next one.
    public var hasControlPort: Bool { control != nil }

    private var counters = LinkStatistics()
    private let media: UDPReader
    private let mediaOut: SendBatch
    /// nil with rtcp-mux.
    private let control: UDPReader?
    private let controlOut: SendBatch?
    private var nextControl = HostTime.zero

    /// - Parameters:
    ///   - bind: local address; nil: every interface.
    ///   - localPort: port for RTP, and with separate RTCP the next one; 0: a free pair.
    ///   - rtcp: where RTCP comes and goes.
    public convenience init(bind: IPAddress?, localPort: UInt16, rtcp: RTCPTransport) throws(NetworkError) {
        try self.init(try UDPSocketPair(bind, remote: nil, port: localPort, rtcp: rtcp))
    }

    /// The same port `count` times, for as many threads: the kernel gives each source to one of them.
    public static func group(
        _ count: Int, bind: IPAddress?, localPort: UInt16, rtcp: RTCPTransport
    ) throws(NetworkError) -> [MediaPort] {
        guard count > 1 else { return [try MediaPort(bind: bind, localPort: localPort, rtcp: rtcp)] }
        // Alone first: another program's port is not to be shared, and a free one has to be found once.
        let port: UInt16
        do { port = try UDPSocketPair(bind, remote: nil, port: localPort, rtcp: rtcp).media.local.port }
        var ports: [MediaPort] = []
        for _ in 0..<count {
            ports.append(try MediaPort(try UDPSocketPair(bind, remote: nil, port: port, rtcp: rtcp, sharesPort: true)))
        }
        try ports[0].media.socket.spread(over: count)
        try ports[0].control?.socket.spread(over: count)
        return ports
    }

    private init(_ sockets: UDPSocketPair) throws(NetworkError) {
        media = try UDPReader(sockets.media, isControlPort: false)
        mediaOut = try SendBatch(sockets.media)
        if let socket = sockets.control {
            control = try UDPReader(socket, isControlPort: true)
            controlOut = try SendBatch(socket)
        } else {
            (control, controlOut) = (nil, nil)
        }
    }

    /// Hands on what has come, in order of arrival. Never waits; bounded, so that a flood does not keep the caller.
    public func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        media.receive(&counters, deliver)
        guard let control, now >= nextControl else { return }
        nextControl = now.advanced(byMilliseconds: UDPLink.controlMilliseconds)
        control.receive(&counters, deliver)
    }

    /// Takes a packet for the next `flush`; a copy is kept.
    /// - Parameters:
    ///   - bytes: the packet.
    ///   - flow: RTCP leaves from the port that it has for itself.
    ///   - address: whom it is to reach.
    public func send(_ bytes: UnsafeRawBufferPointer, on flow: PacketFlow, to address: SocketAddress) {
        (flow == .control ? controlOut ?? mediaOut : mediaOut).add(bytes, to: address, &counters)
    }

    /// Sends what was taken. Never waits; what cannot be sent is lost and counted.
    public func flush() {
        mediaOut.flush(&counters)
        controlOut?.flush(&counters)
    }

    /// Of all calls together.
    public var statistics: LinkStatistics {
        var result = counters
        result[.kernel] = media.socket.droppedByKernel + (control?.socket.droppedByKernel ?? 0)
        return result
    }
}
