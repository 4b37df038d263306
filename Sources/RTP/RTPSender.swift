/// Numbers and stamps the packets of one synchronisation source, RFC 3550 section 5.1.
public struct RTPSender: Sendable {
    /// Our synchronisation source.
    public private(set) var ssrc: UInt32
    /// Payload type of packets that do not override it.
    public var payloadType: UInt8
    /// RTP clock in Hz (8000 for G.711, 48000 for Opus whatever its bandwidth, RFC 7587).
    public private(set) var clockRate: Int
    /// Sequence number of the next packet.
    public private(set) var sequence: UInt16
    /// Packets sent; counts on without wrapping, the sender report takes the low 32 bits.
    public private(set) var packetsSent = 0
    /// Payload octets sent, without headers and padding.
    public private(set) var octetsSent = 0

    /// The time stamp at offset 0.
    private var firstTimestamp: UInt32
    /// Sent under an SSRC given up: sender reports count each source's own.
    private var packetsBefore = 0
    private var octetsBefore = 0

    /// - Parameters:
    ///   - ssrc: of what is sent.
    ///   - payloadType: of packets that name none of their own.
    ///   - clockRate: of the time stamps, in Hz.
    ///   - sequence: of the first packet; should be random (RFC 3550 section 5.1).
    ///   - timestamp: at offset 0; should be random too.
    public init(ssrc: UInt32, payloadType: UInt8, clockRate: Int, sequence: UInt16, timestamp: UInt32) {
        self.ssrc = ssrc
        self.payloadType = payloadType
        self.clockRate = clockRate
        self.sequence = sequence
        firstTimestamp = timestamp
    }

    /// Writes one packet.
    ///
    /// - Parameters:
    ///   - payload: what the codec made.
    ///   - offset: sampling instant in clock units since the start of the stream; it grows in silence too.
    ///   - marker: whether speech begins with it.
    ///   - override: its payload type; nil takes the sender's.
    ///   - sources: who is heard in it, and the number that their levels have; nil: it is no mix.
    ///   - buffer: takes the packet.
    /// - Returns: length of the packet; 0 when `buffer` cannot hold it: nothing was numbered or counted.
    public mutating func packetize(
        _ payload: UnsafeRawBufferPointer,
        timestamp offset: UInt32,
        marker: Bool,
        payloadType override: UInt8? = nil,
        sources: (ContributingSources, levelsAs: UInt8)? = nil,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        let added = sources.map { $0.0.length(levelsAs: $0.levelsAs) } ?? 0
        guard buffer.count >= RTPHeader.fixedLength + added + payload.count else { return 0 }
        let header = RTPHeader(
            marker: marker, payloadType: override ?? payloadType, sequence: sequence,
            timestamp: rtpTimestamp(offset), ssrc: ssrc)
        let length = header.write(into: buffer) + added
        if let sources { sources.0.write(into: buffer, levelsAs: sources.levelsAs) }
        if payload.count > 0 {
            UnsafeMutableRawBufferPointer(rebasing: buffer[length...]).copyMemory(from: payload)
        }
        sequence &+= 1
        packetsSent &+= 1
        octetsSent &+= payload.count
        return length + payload.count
    }

    /// Goes on as another source (RFC 3550 section 8.2).
    public mutating func changeSource(to ssrc: UInt32) {
        self.ssrc = ssrc
        packetsBefore = packetsSent
        octetsBefore = octetsSent
    }

    /// Goes on with another codec. Time stamps go on where they are, in units of the new clock: offsets count anew from here.
    ///
    /// - `offset`: clock units of the old clock since the start, or since the last change.
    public mutating func change(payloadType: UInt8, clockRate: Int, at offset: UInt32) {
        firstTimestamp = rtpTimestamp(offset)
        self.payloadType = payloadType
        self.clockRate = clockRate
    }

    /// The RTP time stamp of the instant `offset` clock units after the start of the stream.
    public func rtpTimestamp(_ offset: UInt32) -> UInt32 { firstTimestamp &+ offset }

    /// What a sender report says, RFC 3550 section 6.4.1.
    ///
    /// - Parameter offset: clock units since the start at the instant of the report's NTP time.
    /// - Returns: nil before the first packet: then a receiver report is sent.
    public func senderInfo(timestamp offset: UInt32) -> SenderInfo? {
        guard packetsSent > packetsBefore else { return nil }
        return SenderInfo(
            rtpTimestamp: rtpTimestamp(offset),
            packets: UInt32(truncatingIfNeeded: packetsSent &- packetsBefore),
            octets: UInt32(truncatingIfNeeded: octetsSent &- octetsBefore))
    }
}
