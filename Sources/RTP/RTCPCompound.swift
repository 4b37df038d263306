/// Reads compound RTCP packets: RFC 3550 section 6.1, validation of appendix A.2.
public enum RTCPCompound {
    private static let headerLength = 4

    /// All packets of a compound, or an error when any of them is malformed: a damaged compound is not half believed.
    ///
    /// - `reducedSize`: accept a compound that does not begin with a report (RFC 5506), when negotiated.
    public static func parse(
        _ datagram: UnsafeRawBufferPointer, reducedSize: Bool = false
    ) throws(RTCPParseError) -> [RTCPPacket] {
        var packets: [RTCPPacket] = []
        var offset = 0
        repeat {
            let rest = datagram.slice(offset..<datagram.count)
            guard rest.count >= headerLength else { throw .truncated }
            guard rest[0] >> 6 == 2 else { throw .badVersion }
            let type = rest[1]
            let isFirst = offset == 0
            if isFirst, !reducedSize, type != RTCPType.senderReport, type != RTCPType.receiverReport {
                throw .noLeadingReport
            }
            let length = headerLength + 4 * Int(rest.bigEndian16(at: 2))
            guard length <= rest.count else { throw .badLength }
            let isLast = length == rest.count
            var end = length
            if rest[0] & 0x20 != 0 {
                // Only the last packet may be padded, and of several not the first (appendix A.2).
                let padding = Int(rest[length - 1])
                guard isLast, !isFirst || reducedSize, padding > 0, padding % 4 == 0, padding <= length - headerLength
                else { throw .badPadding }
                end -= padding
            }
            let body = rest.slice(headerLength..<end)
            packets.append(try parse(type: type, count: Int(rest[0] & 0x1f), body: body))
            offset += length
        } while offset < datagram.count
        return packets
    }

    /// One packet whose header is known; `body` is what follows the first four bytes, without padding.
    private static func parse(
        type: UInt8, count: Int, body: UnsafeRawBufferPointer
    ) throws(RTCPParseError) -> RTCPPacket {
        switch type {
        case RTCPType.senderReport:
            guard body.count >= 24 else { throw .truncated }
            let ntp = NTPTime(rawValue: UInt64(body.bigEndian32(at: 4)) << 32 | UInt64(body.bigEndian32(at: 8)))
            let info = SenderInfo(
                rtpTimestamp: body.bigEndian32(at: 12), packets: body.bigEndian32(at: 16),
                octets: body.bigEndian32(at: 20))
            let reports = try reportBlocks(body, at: 24, count: count)
            return .senderReport(ssrc: body.bigEndian32(at: 0), ntp: ntp, info: info, reports: reports)
        case RTCPType.receiverReport:
            guard body.count >= 4 else { throw .truncated }
            return .receiverReport(ssrc: body.bigEndian32(at: 0), reports: try reportBlocks(body, at: 4, count: count))
        case RTCPType.sourceDescription:
            return .sourceDescription(try sourceDescriptions(body, count: count))
        case RTCPType.bye:
            return try bye(body, count: count)
        case RTCPType.application:
            guard body.count >= 8 else { throw .truncated }
            return .application(
                ApplicationPacket(
                    ssrc: body.bigEndian32(at: 0), subtype: UInt8(count),
                    name: String(decoding: body.slice(4..<8), as: UTF8.self), data: Array(body.slice(8..<body.count))))
        case RTCPType.extendedReport:
            guard body.count >= 4 else { throw .truncated }
            return .extendedReport(
                ssrc: body.bigEndian32(at: 0), blocks: try ExtendedReportBlock.parse(body.slice(4..<body.count)))
        default:
            return .unknown(type: type)
        }
    }

    /// What follows the blocks is a profile's extension and is skipped (RFC 3550 section 6.4.3).
    private static func reportBlocks(
        _ body: UnsafeRawBufferPointer, at start: Int, count: Int
    ) throws(RTCPParseError) -> [ReportBlock] {
        guard body.count >= start + count * ReportBlock.length else { throw .truncated }
        return (0..<count).map { ReportBlock(body, at: start + $0 * ReportBlock.length) }
    }

    /// SDES chunks, RFC 3550 section 6.5: items end with a null, chunks at a 32-bit boundary.
    private static func sourceDescriptions(
        _ body: UnsafeRawBufferPointer, count: Int
    ) throws(RTCPParseError) -> [SourceDescription] {
        var chunks: [SourceDescription] = []
        var offset = 0
        for _ in 0..<count {
            guard body.count >= offset + 4 else { throw .truncated }
            var chunk = SourceDescription(ssrc: body.bigEndian32(at: offset), cname: nil)
            offset += 4
            while true {
                guard offset < body.count else { throw .badLength }
                let item = body[offset]
                if item == 0 { break }
                guard offset + 1 < body.count else { throw .badLength }
                let end = offset + 2 + Int(body[offset + 1])
                guard end <= body.count else { throw .badLength }
                if item == 1 { chunk.cname = String(decoding: body.slice(offset + 2..<end), as: UTF8.self) }
                offset = end
            }
            offset = offset / 4 * 4 + 4
            guard offset <= body.count else { throw .badLength }
            chunks.append(chunk)
        }
        return chunks
    }

    /// RFC 3550 section 6.6.
    private static func bye(_ body: UnsafeRawBufferPointer, count: Int) throws(RTCPParseError) -> RTCPPacket {
        guard body.count >= 4 * count else { throw .truncated }
        let ssrcs = (0..<count).map { body.bigEndian32(at: 4 * $0) }
        let start = 4 * count
        guard body.count > start else { return .bye(ssrcs: ssrcs, reason: nil) }
        let end = start + 1 + Int(body[start])
        guard end <= body.count else { throw .badLength }
        return .bye(ssrcs: ssrcs, reason: String(decoding: body.slice(start + 1..<end), as: UTF8.self))
    }
}
