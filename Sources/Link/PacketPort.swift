import Realtime

/// Where the packets of many calls come and go: one UDP port, or in virtual time whoever plays the callers.
public protocol PacketPort: AnyObject {
    /// Whether RTCP has a port of its own: the next one.
    var hasControlPort: Bool { get }

    /// Hands on what has come, in order of arrival. Never waits; bounded, so that a flood does not keep the caller.
    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void)

    /// Takes a packet for the next `flush`; a copy is kept.
    func send(_ bytes: UnsafeRawBufferPointer, on flow: PacketFlow, to address: SocketAddress)

    /// Sends what was taken. Never waits; what cannot be sent is lost and counted.
    func flush()

    /// Of all calls together.
    var statistics: LinkStatistics { get }
}
