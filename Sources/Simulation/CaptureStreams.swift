import Codecs
import Media
import PacketCapture
import RTP
import Realtime

/// The RTP streams of a capture, found by reading it once.
public struct CaptureStreams: Sendable {
    /// Packets of one source.
    public struct Stream: Sendable {
        public let ssrc: UInt32
        public fileprivate(set) var packets = 0
        /// Packets by payload type.
        public fileprivate(set) var payloadTypes: [UInt8: Int] = [:]
        public fileprivate(set) var sourcePort: UInt16 = 0
        fileprivate var lastSequence: UInt16 = 0
        fileprivate var inSequence = 0
        /// Copies of the packet before: several interfaces of one machine saw it.
        fileprivate var repeated = 0

        /// A few datagrams that only happen to look like RTP are no stream: most packets follow their predecessors.
        fileprivate var isLikely: Bool { inSequence * 2 >= packets - repeated && packets - repeated > 2 }

        /// The payload type that most packets bear.
        public var payloadType: UInt8 { payloadTypes.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? 0 }

        /// Formats of the other payload types, as far as their numbers alone tell them (RFC 3551 section 6).
        public var otherFormats: [MediaFormat] {
            let others = payloadTypes.keys.filter { $0 != payloadType }.sorted()
            return others.compactMap { number in
                Codec.withStaticPayloadType(number).map { MediaFormat($0, payloadType: number) }
            }
        }
    }

    /// Those that look like speech, the longest first.
    public let streams: [Stream]
    /// Of captures of ours: what the call was made of.
    public let settings: [String: String]
    /// Whether it is one of ours.
    public let isOurs: Bool
    /// Why the file breaks off, if it does.
    public let end: CaptureError?
    /// What of the capture holds no whole packet.
    public let skipped: CaptureReader.Skipped
    /// Why a capture may hold no stream, for a person: its packets are not whole; `nil`: they are.
    public var noStreamReason: String? {
        let parts = ReplayOmission.parts(fragments: skipped.fragments, cut: skipped.cut)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// Reads the capture at `path`; in captures of ours only what was received.
    public init(path: String) throws(CaptureError) {
        let reader = try CaptureReader(path: path)
        var found: [UInt32: Stream] = [:]
        var failure: CaptureError?
        do throws(CaptureError) {
            while let event = try reader.next() {
                guard case .datagram(let datagram) = event, datagram.direction != .sent else { continue }
                if !datagram.isControl { Self.count(datagram, in: &found) }
            }
        } catch {
            failure = error
        }
        streams = found.values.filter(\.isLikely)
            .sorted { ($0.packets, $1.ssrc) > ($1.packets, $0.ssrc) }
        settings = reader.settings
        isOurs = reader.isOurs
        end = failure
        skipped = reader.skipped
    }

    private static func count(_ datagram: CapturedDatagram, in found: inout [UInt32: Stream]) {
        datagram.bytes.withUnsafeBytes { bytes in
            guard let packet = try? RTPPacket(parsing: bytes) else { return }
            var stream = found[packet.header.ssrc] ?? Stream(ssrc: packet.header.ssrc)
            let step = packet.header.sequence &- stream.lastSequence
            if stream.packets == 0 || (1...100).contains(step) {
                stream.inSequence += 1
            } else if step == 0 {
                stream.repeated += 1
            }
            stream.lastSequence = packet.header.sequence
            stream.packets += 1
            stream.payloadTypes[packet.header.payloadType, default: 0] += 1
            stream.sourcePort = datagram.source.port
            found[packet.header.ssrc] = stream
        }
    }
}

extension CapturedDatagram {
    /// RTCP beside RTP: RFC 5761 section 4.
    var isControl: Bool { bytes.count > 1 && (192...223).contains(bytes[1]) }
}
