import Codecs
import Link
import Network
import RTP
import Realtime

/// The way out: encoders at the program's defaults, RTP, and a datagram through the kernel.
enum SendStages {
    static let all: [Stage] =
        Codec.allCases.map { encoding($0) } + [encoding(.opus, complexity: 5), packetizing, udp]

    private static func encoding(_ kind: Codec, complexity: Int? = nil) -> Stage {
        Stage(name: "encode_\(kind.name)" + (complexity.map { "_complexity_\($0)" } ?? ""), blockMilliseconds: 20) {
            var settings = EncoderSettings()
            if let complexity { settings.complexity = complexity }
            let encoder = try makeEncoder(kind, settings: settings)
            let frame = UnsafeBufferPointer(
                start: UnsafePointer(Noise.block(encoder.frameLength)), count: encoder.frameLength)
            let payload = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_000, alignment: 8)
            return { _ = try? encoder.encode(frame, into: payload) }
        }
    }

    private static let packetizing = Stage(name: "rtp_sender", blockMilliseconds: 20) {
        var sender = RTPSender(ssrc: 1, payloadType: 111, clockRate: 48_000, sequence: 1, timestamp: 1)
        let payload = UnsafeMutableRawBufferPointer.allocate(byteCount: 80, alignment: 8)
        let packet = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_500, alignment: 8)
        var time: UInt32 = 0
        return {
            _ = sender.packetize(UnsafeRawBufferPointer(payload), timestamp: time, marker: false, into: packet)
            time &+= 960
        }
    }

    /// One datagram of 92 octets to ourselves: sendmsg, the kernel's loopback, recvmmsg with its time stamp.
    private static let udp = Stage(name: "media_transport_udp", blockMilliseconds: 20) {
        let home = IPAddress(v4: 0x7f00_0001)
        let callee = try UDPLink(bind: home)
        let caller = try UDPLink(bind: home, remote: callee.local)
        let packet = UnsafeMutableRawBufferPointer.allocate(byteCount: 92, alignment: 8)
        packet.initializeMemory(as: UInt8.self, repeating: 0)
        packet[0] = 0x80
        packet[1] = 111
        var octets = 0
        return {
            var outgoing = OutgoingPacket(.media, in: packet, count: packet.count)
            caller.send(&outgoing, now: .zero)
            callee.receive(now: .zero) { octets += $0.bytes.count }
        }
    }
}
