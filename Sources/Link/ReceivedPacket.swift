import Realtime

/// A datagram on its way up a link. The bytes are valid only during the call that hands it out.
public struct ReceivedPacket {
    /// What it is by its first bytes.
    public let kind: DatagramKind
    /// The datagram. A layer that decrypts does so in place and shortens the view.
    public var bytes: UnsafeMutableRawBufferPointer
    /// When the kernel received it, on the monotonic host clock.
    public let arrival: HostTime
    /// Where it came from.
    public let source: SocketAddress
    /// Whether it came to the port that RTCP has for itself (RFC 3550 section 11).
    public let isOnControlPort: Bool
    /// IP TOS or IPv6 traffic class as it arrived, 0xB8 for expedited forwarding; nil when the kernel did not tell.
    public let trafficClass: UInt8?

    public init(
        _ bytes: UnsafeMutableRawBufferPointer, arrival: HostTime, source: SocketAddress, isOnControlPort: Bool = false,
        trafficClass: UInt8? = nil
    ) {
        kind = DatagramKind(UnsafeRawBufferPointer(bytes))
        self.bytes = bytes
        self.arrival = arrival
        self.source = source
        self.isOnControlPort = isOnControlPort
        self.trafficClass = trafficClass
    }
}
