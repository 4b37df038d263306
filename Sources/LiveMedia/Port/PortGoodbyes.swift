import Link
import Media
import RTP
import Realtime

/// Tells those who are turned away so, by RTCP BYE: each packet that they go on sending takes time that others lack.
struct PortGoodbyes {
    /// Told in one turn, at most.
    private static let mostOfTurn = 64

    private var places: [SocketAddress] = []
    private let bytes: [UInt8]

    /// - Parameter seed: of the port's calls, which are no other source than the port that says goodbye.
    init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let ssrc = UInt32(truncatingIfNeeded: random.next())
        var bytes: [UInt8] = []
        RTCPPacket.receiverReport(ssrc: ssrc, reports: []).append(to: &bytes)
        RTCPPacket.sourceDescription([SourceDescription(ssrc: ssrc, cname: "yodel")]).append(to: &bytes)
        RTCPPacket.bye(ssrcs: [ssrc], reason: "busy").append(to: &bytes)
        self.bytes = bytes
    }

    /// Somebody was turned away.
    /// - Parameter source: where his RTCP came from.
    mutating func add(_ source: SocketAddress) { if places.count < Self.mostOfTurn { places.append(source) } }

    /// Sends what is to be said. Not while the port reads.
    mutating func send(by port: any PacketPort) {
        for place in places { bytes.withUnsafeBytes { port.send($0, on: .control, to: place) } }
        places.removeAll(keepingCapacity: true)
    }
}
