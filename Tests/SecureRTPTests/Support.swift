import Link
import RTP
import Realtime
import SecureRTP

/// Addresses of the two ends, and of somebody else.
enum Place {
    static let alice = SocketAddress(IPAddress(v4: 0xc000_0201), port: 5004)
    static let aliceElsewhere = SocketAddress(IPAddress(v4: 0xc633_6408), port: 5004)
    static let aliceOnAnotherPort = SocketAddress(IPAddress(v4: 0xc000_0201), port: 5005)
    static let bob = SocketAddress(IPAddress(v4: 0xc000_0202), port: 6004)
    static let bobElsewhere = SocketAddress(IPAddress(v4: 0xc633_6407), port: 6004)
    static let mallory = SocketAddress(IPAddress(v4: 0xcb00_7101), port: 7004)
}

/// What a socket would bring, put in by hand, and what is sent by it.
final class HandLink: LinkEnd {
    var waiting: [(bytes: [UInt8], source: SocketAddress)] = []
    private(set) var sent: [[UInt8]] = []
    private(set) var peer: LinkPeer?
    private(set) var admitted = AdmittedSources.anyone

    func setPeer(_ peer: LinkPeer?) { self.peer = peer }
    func admit(_ sources: AdmittedSources) { admitted = sources }

    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        let items = waiting
        waiting = []
        for var item in items {
            item.bytes.withUnsafeMutableBytes {
                var packet = ReceivedPacket($0, arrival: now, source: item.source)
                deliver(&packet)
            }
        }
    }

    func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool {
        sent.append(Array(packet.bytes))
        return true
    }
}

/// One end of SRTP: protects by hand, and takes what is put in.
final class SRTPEnd {
    let wire = HandLink()
    let link: SRTPLink

    init(_ keys: SRTPKeys) throws {
        link = SRTPLink(over: wire)
        try link.setKeys(keys)
    }

    /// - Returns: the packet as it would be on the wire; nil when it was not sent.
    func protect(_ plain: [UInt8], _ flow: PacketFlow = .media, at now: HostTime = .zero) -> [UInt8]? {
        link.send(copying: plain, on: flow, now: now) ? wire.sent.last : nil
    }

    /// - Returns: what is handed up of packets that come from `source`.
    func take(_ packets: [[UInt8]], from source: SocketAddress = Place.bob, at milliseconds: Double = 0) -> [[UInt8]] {
        wire.waiting += packets.map { ($0, source) }
        var result: [[UInt8]] = []
        let now = HostTime(milliseconds: milliseconds)
        link.receive(now: now) { result.append(Array($0.bytes)) }
        link.advance(to: now)
        return result
    }
}

/// Keys of both ends, from a seed.
func keys(_ suite: SRTPSuite, seed: UInt64) -> (alice: SRTPKeys, bob: SRTPKeys) {
    var random = SplitMix64(seed: seed)
    let first = SRTPMasterKey(suite: suite, random: &random)
    let second = SRTPMasterKey(suite: suite, random: &random)
    return (SRTPKeys(outbound: first, inbound: second), SRTPKeys(outbound: second, inbound: first))
}

func ends(_ suite: SRTPSuite = .aes128CM80, seed: UInt64 = 1) throws -> (alice: SRTPEnd, bob: SRTPEnd) {
    let both = keys(suite, seed: seed)
    return (try SRTPEnd(both.alice), try SRTPEnd(both.bob))
}

/// An RTP packet whose payload tells it from others.
func rtp(_ sequence: Int, ssrc: UInt32 = 0xcafe_babe, length: Int = 20) -> [UInt8] {
    let header = RTPHeader(
        marker: false, payloadType: 0, sequence: UInt16(truncatingIfNeeded: sequence),
        timestamp: UInt32(truncatingIfNeeded: sequence &* 160), ssrc: ssrc)
    var bytes = [UInt8](repeating: 0, count: 12)
    _ = bytes.withUnsafeMutableBytes { header.write(into: $0) }
    return bytes + (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ sequence) }
}

/// A receiver report without blocks, and an item of text.
func rtcp(_ mark: UInt8 = 1, ssrc: UInt32 = 0xcafe_babe) -> [UInt8] {
    let source = (0..<4).map { UInt8(truncatingIfNeeded: ssrc >> UInt32(24 - 8 * $0)) }
    return [0x80, 201, 0, 1] + source + [0x81, 202, 0, 2] + source + [1, 1, mark, 0]
}

/// Bytes from hexadecimal text; spaces and line ends do not count.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
