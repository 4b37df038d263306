/// Finds the UDP datagram in a captured frame: link layer, IPv4 or IPv6, UDP. Any bytes are accepted.
struct DatagramFinder {
    /// Link layers that are understood, by their DLT number in libpcap.
    enum Link: Int32 {
        case null = 0
        case ethernet = 1
        case raw = 12
        case loop = 108
        case cooked = 113
        case ipv4 = 228
        case ipv6 = 229
        case cooked2 = 276
    }

    /// Why a frame holds no datagram that can be used.
    enum Miss: Error, Equatable {
        /// ARP, TCP, ...
        case other
        /// A part of a datagram that IP cut: they are not put together.
        case fragment
        /// The capture kept only its beginning, or its lengths contradict each other.
        case cut
    }

    struct Found {
        let source: UDPEndpoint
        let destination: UDPEndpoint
        let payload: UnsafeRawBufferPointer
    }

    let link: Link
    private static let udp: UInt8 = 17

    func find(_ frame: UnsafeRawBufferPointer) throws(Miss) -> Found { try ip(afterLink(frame)) }

    private func afterLink(_ frame: UnsafeRawBufferPointer) throws(Miss) -> UnsafeRawBufferPointer {
        switch link {
        case .raw, .ipv4, .ipv6:
            return frame
        case .null, .loop:
            // The address family in front: the packet's version says the same.
            return try rest(of: frame, from: 4)
        case .cooked:
            return try payload(frame, type: try number(frame, 14), from: 16)
        case .cooked2:
            return try payload(frame, type: try number(frame, 0), from: 20)
        case .ethernet:
            return try payload(frame, type: try number(frame, 12), from: 14)
        }
    }

    /// Behind an EtherType, through VLAN tags (802.1Q, 802.1ad).
    private func payload(
        _ frame: UnsafeRawBufferPointer, type: UInt16, from start: Int
    ) throws(Miss) -> UnsafeRawBufferPointer {
        var type = type
        var start = start
        while type == 0x8100 || type == 0x88a8 || type == 0x9100 {
            type = try number(frame, start + 2)
            start += 4
        }
        guard type == 0x0800 || type == 0x86dd else { throw .other }
        return try rest(of: frame, from: start)
    }

    private func ip(_ packet: UnsafeRawBufferPointer) throws(Miss) -> Found {
        guard packet.count > 0 else { throw .cut }
        switch packet[0] >> 4 {
        case 4: return try ipv4(packet)
        case 6: return try ipv6(packet)
        default: throw .other
        }
    }

    private func ipv4(_ packet: UnsafeRawBufferPointer) throws(Miss) -> Found {
        let header = 4 * Int(packet[0] & 0xf)
        guard packet.count >= 20, header >= 20 else { throw .cut }
        guard packet[9] == Self.udp else { throw .other }
        // More fragments, or an offset: not whole.
        guard try number(packet, 6) & 0x3fff == 0 else { throw .fragment }
        let total = Int(try number(packet, 2))
        // Segmentation offload leaves 0.
        let end = total == 0 ? packet.count : total
        guard end >= header, end <= packet.count else { throw .cut }
        return try datagram(packet, from: header, to: end, source: 12..<16, destination: 16..<20)
    }

    private func ipv6(_ packet: UnsafeRawBufferPointer) throws(Miss) -> Found {
        guard packet.count >= 40 else { throw .cut }
        let length = Int(try number(packet, 4))
        let end = length == 0 ? packet.count : 40 + length
        guard end <= packet.count else { throw .cut }
        var next = packet[6]
        var start = 40
        while next != Self.udp {
            guard start + 8 <= end else { throw next == 59 ? .other : .cut }
            switch next {
            case 0, 43, 60:  // hop-by-hop, routing, destination options (RFC 8200 section 4)
                next = packet[start]
                start += 8 + 8 * Int(packet[start + 1])
            case 44:
                guard try number(packet, start + 2) & 0xfff9 == 0 else { throw .fragment }
                next = packet[start]
                start += 8
            default:
                throw .other
            }
        }
        return try datagram(packet, from: start, to: end, source: 8..<24, destination: 24..<40)
    }

    private func datagram(
        _ packet: UnsafeRawBufferPointer, from start: Int, to end: Int, source: Range<Int>, destination: Range<Int>
    ) throws(Miss) -> Found {
        guard end - start >= 8 else { throw .cut }
        let length = Int(try number(packet, start + 4))
        guard length >= 8, start + length <= end else { throw .cut }
        return Found(
            source: UDPEndpoint(address: Array(packet[source]), port: try number(packet, start)),
            destination: UDPEndpoint(address: Array(packet[destination]), port: try number(packet, start + 2)),
            payload: UnsafeRawBufferPointer(rebasing: packet[start + 8..<start + length]))
    }

    private func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) throws(Miss) -> UInt16 {
        guard offset + 2 <= bytes.count else { throw .cut }
        return UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
    }

    private func rest(of bytes: UnsafeRawBufferPointer, from start: Int) throws(Miss) -> UnsafeRawBufferPointer {
        guard start <= bytes.count else { throw .cut }
        return UnsafeRawBufferPointer(rebasing: bytes[start...])
    }
}
