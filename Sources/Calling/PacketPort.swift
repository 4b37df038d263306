import Realtime

/// Where a call's packets leave: a socket, or the network emulator of a simulated call.
///
/// Called on the thread that steps the call. Sending never blocks; what cannot be sent is lost and counted by the port,
/// as a network would lose it.
public protocol PacketPort: AnyObject {
    /// Sends one RTP packet.
    func send(rtp packet: UnsafeRawBufferPointer)
    /// Sends one compound RTCP packet.
    func send(rtcp packet: UnsafeRawBufferPointer)
    /// Time passes: packets that the port held back and that are due now leave.
    func advance(to now: HostTime)
    /// When a packet that is held back is due; `nil` when none is.
    var nextDeadline: HostTime? { get }
}

extension PacketPort {
    public func advance(to now: HostTime) {}
    public var nextDeadline: HostTime? { nil }
}
