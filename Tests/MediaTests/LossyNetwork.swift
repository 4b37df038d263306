import Link
import LiveMedia
import Realtime

/// The way from a talker to a listener, who captures what comes: packets are lost, and come up to 60 ms late and out of order.
struct LossyNetwork {
    /// Where packets come from, and go to.
    static let remote = SocketAddress(IPAddress(v4: 0x7f00_0001), port: 6004)
    private static let local = SocketAddress(IPAddress(v4: 0x7f00_0001), port: 5004)

    let capture: CallCapture
    private let isLost: (inout SplitMix64, Int) -> Bool
    private var random = SplitMix64(seed: 5)
    private var sent = 0
    private var underWay: [(due: HostTime, bytes: [UInt8], isControl: Bool)] = []

    /// - Parameters:
    ///   - listener: who captures.
    ///   - path: of the capture.
    ///   - isLost: whether a packet with sound is lost, by chance or by its number, from 1.
    init(
        to listener: Endpoint, capturedAt path: String, losing isLost: @escaping (inout SplitMix64, Int) -> Bool
    ) throws {
        capture = try CallCapture(
            path: path, configuration: listener.call.configuration, local: Self.local, controlPort: 5005,
            epochNanoseconds: 1_763_000_000_000_000_123)
        listener.loop.taps = [capture]
        self.isLost = isLost
    }

    /// Takes what the talker has sent, and brings what is due.
    mutating func carry(from talker: Endpoint, to listener: Endpoint, now: HostTime) {
        for packet in talker.links[0].rtp {
            sent += 1
            if isLost(&random, sent) { continue }
            let delay = Double(random.next() % 60_000) / 1000
            underWay.append((now.advanced(byMilliseconds: delay), packet, false))
        }
        for packet in talker.links[0].rtcp { underWay.append((now.advanced(byMilliseconds: 1), packet, true)) }
        talker.links[0].carry(to: nil, now: now)
        for packet in underWay.filter({ $0.due <= now }).sorted(by: { $0.due < $1.due }) {
            packet.bytes.withUnsafeBytes { bytes in
                capture.add(received: bytes, isControl: packet.isControl, from: Self.remote, time: packet.due)
                if packet.isControl {
                    listener.call.receive(rtcp: bytes, arrival: packet.due)
                } else {
                    listener.call.receive(rtp: bytes, arrival: packet.due)
                }
            }
        }
        underWay.removeAll { $0.due <= now }
    }
}
