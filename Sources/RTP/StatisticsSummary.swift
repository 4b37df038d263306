/// A statistics summary block, RFC 3611 section 4.6: an interval's losses, duplicates and jitter. TTL is never sent.
public struct StatisticsSummary: Hashable, Sendable {
    /// Bytes after the block's header.
    static let length = 36

    /// Jitter in clock units: differences of relative transit times.
    public struct Jitter: Hashable, Sendable {
        public var minimum: UInt32
        public var maximum: UInt32
        public var mean: UInt32
        public var deviation: UInt32

        public init(minimum: UInt32, maximum: UInt32, mean: UInt32, deviation: UInt32) {
            self.minimum = minimum
            self.maximum = maximum
            self.mean = mean
            self.deviation = deviation
        }
    }

    /// The source reported on.
    public var ssrc: UInt32
    public var beginSequence: UInt16
    /// One after the last.
    public var endSequence: UInt16
    /// nil when the reporter does not tell (L flag 0), and so below.
    public var lost: UInt32?
    public var duplicates: UInt32?
    public var jitter: Jitter?

    public init(
        ssrc: UInt32, beginSequence: UInt16, endSequence: UInt16, lost: UInt32?, duplicates: UInt32?, jitter: Jitter?
    ) {
        self.ssrc = ssrc
        self.beginSequence = beginSequence
        self.endSequence = endSequence
        self.lost = lost
        self.duplicates = duplicates
        self.jitter = jitter
    }

    init(_ bytes: UnsafeRawBufferPointer, flags: UInt8) {
        ssrc = bytes.bigEndian32(at: 0)
        beginSequence = bytes.bigEndian16(at: 4)
        endSequence = bytes.bigEndian16(at: 6)
        lost = flags & 0x80 != 0 ? bytes.bigEndian32(at: 8) : nil
        duplicates = flags & 0x40 != 0 ? bytes.bigEndian32(at: 12) : nil
        jitter =
            flags & 0x20 != 0
            ? Jitter(
                minimum: bytes.bigEndian32(at: 16), maximum: bytes.bigEndian32(at: 20), mean: bytes.bigEndian32(at: 24),
                deviation: bytes.bigEndian32(at: 28))
            : nil
    }

    /// L, D and J: which fields are filled.
    var flags: UInt8 { (lost == nil ? 0 : 0x80) | (duplicates == nil ? 0 : 0x40) | (jitter == nil ? 0 : 0x20) }

    func append(to bytes: inout [UInt8]) {
        bytes.appendBigEndian(ssrc)
        bytes.appendBigEndian(beginSequence)
        bytes.appendBigEndian(endSequence)
        bytes.appendBigEndian(lost ?? 0)
        bytes.appendBigEndian(duplicates ?? 0)
        bytes.appendBigEndian(jitter?.minimum ?? 0)
        bytes.appendBigEndian(jitter?.maximum ?? 0)
        bytes.appendBigEndian(jitter?.mean ?? 0)
        bytes.appendBigEndian(jitter?.deviation ?? 0)
        bytes.appendBigEndian(UInt32(0))
    }
}

/// What an extended report says of a source besides its report block.
public struct ReceptionReportExtension: Sendable {
    public let ssrc: UInt32
    public let interval: LossInterval
    public let duplicates: Int
    let jitter: JitterSummary?

    /// Loss RLE and statistics summary; none for an empty interval.
    public var blocks: [ExtendedReportBlock] {
        guard interval.count > 0 else { return [] }
        func units(_ value: Double) -> UInt32 { UInt32(max(0, min(value.rounded(), Double(UInt32.max)))) }
        let summary = StatisticsSummary(
            ssrc: ssrc, beginSequence: interval.beginSequence, endSequence: interval.endSequence,
            lost: UInt32(interval.lost), duplicates: UInt32(clamping: duplicates),
            jitter: jitter.map {
                StatisticsSummary.Jitter(
                    minimum: units($0.minimum), maximum: units($0.maximum), mean: units($0.mean),
                    deviation: units($0.deviation))
            })
        return [.lossRLE(ssrc: ssrc, thinning: 0, interval: interval), .statisticsSummary(summary)]
    }
}
