import Network

/// A call's packets to its real socket.
public final class SocketPort: PacketPort {
    private let transport: MediaTransport

    public init(_ transport: MediaTransport) { self.transport = transport }

    public func send(rtp packet: UnsafeRawBufferPointer) { transport.send(rtp: packet) }
    public func send(rtcp packet: UnsafeRawBufferPointer) { transport.send(rtcp: packet) }
}
