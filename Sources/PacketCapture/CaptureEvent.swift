public import Realtime

/// What a capture tells, in the order in which it happened: for captures of ours the order of the media thread's calls,
/// so that a replay that follows it does what the call did.
public enum CaptureEvent: Sendable, Equatable {
    /// A UDP datagram went by.
    case datagram(CapturedDatagram)
    /// The play-out pulled `samples` samples from the jitter buffer; only captures of ours know of it.
    case pull(time: HostTime, samples: Int)
    /// The machine had stood still, or was late, until `time`; only captures of ours know of it, as of the next one.
    case stop(time: HostTime, milliseconds: Double)
    /// From `time` on the play-out pulls so much later.
    case pullsMoved(time: HostTime, milliseconds: Double)
    /// What a replay must know is another from `time` on, as `key=value`; only captures of ours know of it.
    case change(time: HostTime, text: String)
}

/// A UDP datagram of a capture.
public struct CapturedDatagram: Sendable, Equatable {
    /// Which way it went, as far as the capture tells.
    public enum Direction: Sendable, Equatable {
        case received, sent, unknown
    }

    /// When it was captured: in captures of ours the arrival that the jitter buffer was given, in others since the first
    /// packet of the file.
    public var time: HostTime
    public var direction: Direction
    public var source: UDPEndpoint
    public var destination: UDPEndpoint
    /// The UDP payload: RTP, RTCP, or something else that used the network.
    public var bytes: [UInt8]

    public init(
        time: HostTime, direction: Direction, source: UDPEndpoint, destination: UDPEndpoint, bytes: [UInt8]
    ) {
        self.time = time
        self.direction = direction
        self.source = source
        self.destination = destination
        self.bytes = bytes
    }
}

/// Address and port of one end of a captured datagram.
public struct UDPEndpoint: Sendable, Hashable {
    /// 4 bytes (IPv4) or 16 (IPv6), in network order.
    public var address: [UInt8]
    public var port: UInt16

    public init(address: [UInt8], port: UInt16) {
        self.address = address
        self.port = port
    }
}
