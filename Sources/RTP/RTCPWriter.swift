/// Builds RTCP packets, RFC 3550 section 6.
extension RTCPPacket {
    /// Appends the packet to a compound. At most 31 report blocks, chunks or SSRCs fit a packet; the rest is left out,
    /// as are bytes of texts after the 255th. `.unknown` has no content and appends nothing.
    public func append(to bytes: inout [UInt8]) {
        let start = bytes.count
        switch self {
        case .senderReport(let ssrc, let ntp, let info, let reports):
            Self.appendHeader(RTCPType.senderReport, count: reports.count, to: &bytes)
            bytes.appendBigEndian(ssrc)
            bytes.appendBigEndian(ntp.rawValue)
            bytes.appendBigEndian(info.rtpTimestamp)
            bytes.appendBigEndian(info.packets)
            bytes.appendBigEndian(info.octets)
            for report in reports.prefix(31) { report.append(to: &bytes) }
        case .receiverReport(let ssrc, let reports):
            Self.appendHeader(RTCPType.receiverReport, count: reports.count, to: &bytes)
            bytes.appendBigEndian(ssrc)
            for report in reports.prefix(31) { report.append(to: &bytes) }
        case .sourceDescription(let chunks):
            Self.appendHeader(RTCPType.sourceDescription, count: chunks.count, to: &bytes)
            for chunk in chunks.prefix(31) { Self.append(chunk, to: &bytes, packetStart: start) }
        case .bye(let ssrcs, let reason):
            Self.appendHeader(RTCPType.bye, count: ssrcs.count, to: &bytes)
            for ssrc in ssrcs.prefix(31) { bytes.appendBigEndian(ssrc) }
            if let reason { Self.append(text: reason, to: &bytes) }
        case .application(let packet):
            Self.appendHeader(RTCPType.application, count: Int(packet.subtype), to: &bytes)
            bytes.appendBigEndian(packet.ssrc)
            let name = Array(packet.name.utf8.prefix(4))
            bytes += name + [UInt8](repeating: 0x20, count: 4 - name.count)
            bytes += packet.data.prefix(0x1_0000)
        case .extendedReport(let ssrc, let blocks):
            Self.appendHeader(RTCPType.extendedReport, count: 0, to: &bytes)
            bytes.appendBigEndian(ssrc)
            for block in blocks { block.append(to: &bytes) }
        case .unknown:
            return
        }
        while (bytes.count - start) % 4 != 0 { bytes.append(0) }
        bytes.replaceBigEndian16(UInt16(truncatingIfNeeded: (bytes.count - start) / 4 - 1), at: start + 2)
    }

    /// Version 2, no padding; the length comes when it is known.
    private static func appendHeader(_ type: UInt8, count: Int, to bytes: inout [UInt8]) {
        bytes += [0x80 | UInt8(min(31, count)), type, 0, 0]
    }

    private static func append(_ chunk: SourceDescription, to bytes: inout [UInt8], packetStart: Int) {
        bytes.appendBigEndian(chunk.ssrc)
        if let cname = chunk.cname {
            bytes.append(1)
            append(text: cname, to: &bytes)
        }
        // At least one null ends the list of items, more fill the word.
        repeat { bytes.append(0) } while (bytes.count - packetStart) % 4 != 0
    }

    private static func append(text: String, to bytes: inout [UInt8]) {
        let text = text.utf8.prefix(255)
        bytes.append(UInt8(text.count))
        bytes += text
    }
}
