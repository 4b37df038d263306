/// A block of an RTCP extended report, RFC 3611 section 4.
public enum ExtendedReportBlock: Hashable, Sendable {
    /// Which packets of an interval came (section 4.1); `thinning` T: only each 2^T th packet is told of.
    case lossRLE(ssrc: UInt32, thinning: UInt8, interval: LossInterval)
    /// The reporter's clock, for those who send it no sender reports to answer (section 4.4).
    case receiverReferenceTime(NTPTime)
    /// Answers to receiver reference times (section 4.5).
    case delaySinceLastReceiverReport([ReceiverReferenceAnswer])
    /// Section 4.6.
    case statisticsSummary(StatisticsSummary)
    /// Section 4.7.
    case voipMetrics(VoIPMetrics)

    /// Block types, section 6.2.
    enum Kind {
        static let lossRLE: UInt8 = 1
        static let receiverReferenceTime: UInt8 = 4
        static let delaySinceLastReceiverReport: UInt8 = 5
        static let statisticsSummary: UInt8 = 6
        static let voipMetrics: UInt8 = 7
    }

    /// Header of a block: type, type-specific, length in words less one.
    private static let headerLength = 4

    /// The blocks of an extended report; unknown ones, and known ones of another length than they must have, are left out.
    static func parse(_ bytes: UnsafeRawBufferPointer) throws(RTCPParseError) -> [ExtendedReportBlock] {
        var blocks: [ExtendedReportBlock] = []
        var offset = 0
        while offset < bytes.count {
            guard bytes.count - offset >= headerLength else { throw .truncated }
            let end = offset + headerLength + 4 * Int(bytes.bigEndian16(at: offset + 2))
            guard end <= bytes.count else { throw .badLength }
            let content = bytes.slice(offset + headerLength..<end)
            if let block = block(type: bytes[offset], specific: bytes[offset + 1], content) { blocks.append(block) }
            offset = end
        }
        return blocks
    }

    private static func block(
        type: UInt8, specific: UInt8, _ content: UnsafeRawBufferPointer
    ) -> ExtendedReportBlock? {
        switch type {
        case Kind.lossRLE:
            guard content.count >= 8 else { return nil }
            var interval = LossInterval(
                beginSequence: content.bigEndian16(at: 4), endSequence: content.bigEndian16(at: 6))
            interval.chunks = stride(from: 8, to: content.count, by: 2).map { content.bigEndian16(at: $0) }
            // A null chunk pads the block to a whole word (section 4.1.3).
            if interval.chunks.last == 0 { interval.chunks.removeLast() }
            return .lossRLE(ssrc: content.bigEndian32(at: 0), thinning: specific & 0xf, interval: interval)
        case Kind.receiverReferenceTime:
            guard content.count == 8 else { return nil }
            return .receiverReferenceTime(
                NTPTime(rawValue: UInt64(content.bigEndian32(at: 0)) << 32 | UInt64(content.bigEndian32(at: 4))))
        case Kind.delaySinceLastReceiverReport:
            guard content.count % 12 == 0 else { return nil }
            return .delaySinceLastReceiverReport(
                stride(from: 0, to: content.count, by: 12).map { ReceiverReferenceAnswer(content, at: $0) })
        case Kind.statisticsSummary:
            guard content.count == StatisticsSummary.length else { return nil }
            return .statisticsSummary(StatisticsSummary(content, flags: specific))
        case Kind.voipMetrics:
            guard content.count == VoIPMetrics.length else { return nil }
            return .voipMetrics(VoIPMetrics(content))
        default:
            return nil
        }
    }

    func append(to bytes: inout [UInt8]) {
        let start = bytes.count
        switch self {
        case .lossRLE(let ssrc, let thinning, let interval):
            bytes += [Kind.lossRLE, thinning & 0xf, 0, 0]
            bytes.appendBigEndian(ssrc)
            bytes.appendBigEndian(interval.beginSequence)
            bytes.appendBigEndian(interval.endSequence)
            for chunk in interval.chunks { bytes.appendBigEndian(chunk) }
            if interval.chunks.count % 2 != 0 { bytes.appendBigEndian(UInt16(0)) }
        case .receiverReferenceTime(let time):
            bytes += [Kind.receiverReferenceTime, 0, 0, 0]
            bytes.appendBigEndian(time.rawValue)
        case .delaySinceLastReceiverReport(let answers):
            bytes += [Kind.delaySinceLastReceiverReport, 0, 0, 0]
            for answer in answers { answer.append(to: &bytes) }
        case .statisticsSummary(let summary):
            bytes += [Kind.statisticsSummary, summary.flags, 0, 0]
            summary.append(to: &bytes)
        case .voipMetrics(let metrics):
            bytes += [Kind.voipMetrics, 0, 0, 0]
            metrics.append(to: &bytes)
        }
        let words = (bytes.count - start) / 4 - 1
        bytes.replaceBigEndian16(UInt16(truncatingIfNeeded: words), at: start + 2)
    }
}

/// Answer to a receiver reference time, RFC 3611 section 4.5.
public struct ReceiverReferenceAnswer: Hashable, Sendable {
    /// Who sent the reference time.
    public var ssrc: UInt32
    /// Middle 32 bits of that time.
    public var lastReceiverReference: UInt32
    /// Delay since it arrived, in 1/65536 s.
    public var delay: UInt32

    public init(ssrc: UInt32, lastReceiverReference: UInt32, delay: UInt32) {
        self.ssrc = ssrc
        self.lastReceiverReference = lastReceiverReference
        self.delay = delay
    }

    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        self.init(
            ssrc: bytes.bigEndian32(at: offset), lastReceiverReference: bytes.bigEndian32(at: offset + 4),
            delay: bytes.bigEndian32(at: offset + 8))
    }

    func append(to bytes: inout [UInt8]) {
        bytes.appendBigEndian(ssrc)
        bytes.appendBigEndian(lastReceiverReference)
        bytes.appendBigEndian(delay)
    }
}
