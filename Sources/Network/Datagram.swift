import Realtime

/// A received datagram. The bytes are valid only during the call that hands it out.
public struct Datagram {
    /// `.rtp` or `.rtcp`.
    public let kind: DatagramKind
    public let bytes: UnsafeRawBufferPointer
    /// When the kernel received it, on the monotonic host clock.
    public let arrival: HostTime
    public let source: SocketAddress
    /// IP TOS or IPv6 traffic class as it arrived, 0xB8 for expedited forwarding; nil when the kernel did not tell.
    public let trafficClass: UInt8?
}
