/// What one side says about the reception of one source, RFC 3550 section 6.4.1.
public struct ReportBlock: Hashable, Sendable, BitwiseCopyable {
    static let length = 24

    /// The source reported on.
    public var ssrc: UInt32
    /// Share of packets lost since the previous report, in 1/256.
    public var fractionLost: UInt8
    /// Packets lost since the start, -2^23 to 2^23 - 1; negative when duplicates outnumber losses.
    public var cumulativeLost: Int32
    /// Cycles in the upper, highest sequence number received in the lower 16 bits.
    public var highestSequence: UInt32
    /// Interarrival jitter in clock units.
    public var jitter: UInt32
    /// Middle 32 bits of the last sender report's NTP time, 0 without one.
    public var lastSenderReport: UInt32
    /// Delay since that report arrived, in 1/65536 s.
    public var delaySinceLastSenderReport: UInt32

    public init(
        ssrc: UInt32, fractionLost: UInt8, cumulativeLost: Int32, highestSequence: UInt32, jitter: UInt32,
        lastSenderReport: UInt32 = 0, delaySinceLastSenderReport: UInt32 = 0
    ) {
        self.ssrc = ssrc
        self.fractionLost = fractionLost
        self.cumulativeLost = cumulativeLost
        self.highestSequence = highestSequence
        self.jitter = jitter
        self.lastSenderReport = lastSenderReport
        self.delaySinceLastSenderReport = delaySinceLastSenderReport
    }

    /// Reads the block at `offset`; the caller has checked that it is whole.
    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        ssrc = bytes.bigEndian32(at: offset)
        let loss = bytes.bigEndian32(at: offset + 4)
        fractionLost = UInt8(truncatingIfNeeded: loss >> 24)
        cumulativeLost = Int32(bitPattern: loss << 8) >> 8
        highestSequence = bytes.bigEndian32(at: offset + 8)
        jitter = bytes.bigEndian32(at: offset + 12)
        lastSenderReport = bytes.bigEndian32(at: offset + 16)
        delaySinceLastSenderReport = bytes.bigEndian32(at: offset + 20)
    }

    func append(to bytes: inout [UInt8]) {
        bytes.appendBigEndian(ssrc)
        bytes.appendBigEndian(UInt32(fractionLost) << 24 | UInt32(bitPattern: cumulativeLost) & 0xff_ffff)
        bytes.appendBigEndian(highestSequence)
        bytes.appendBigEndian(jitter)
        bytes.appendBigEndian(lastSenderReport)
        bytes.appendBigEndian(delaySinceLastSenderReport)
    }
}

/// The sender's part of a sender report without its NTP time, RFC 3550 section 6.4.1.
public struct SenderInfo: Hashable, Sendable, BitwiseCopyable {
    /// RTP time stamp of the same instant as the report's NTP time.
    public var rtpTimestamp: UInt32
    /// Packets sent since the start.
    public var packets: UInt32
    /// Payload octets sent since the start.
    public var octets: UInt32

    public init(rtpTimestamp: UInt32, packets: UInt32, octets: UInt32) {
        self.rtpTimestamp = rtpTimestamp
        self.packets = packets
        self.octets = octets
    }
}
