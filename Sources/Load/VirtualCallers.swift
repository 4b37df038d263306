import Link
import RTP
import Realtime

/// Plays those who call a port, in virtual time: each says the same speech from another place of it on, a packet when it is due,
/// and counts what comes back. It keeps nothing and allocates nothing for a packet, so that what a run costs is the port's.
final class VirtualCallers: PacketPort {
    /// What the line does to a caller's packets.
    struct Line {
        /// Greatest time on the way, in milliseconds; each packet has its own, in order.
        var jitterMilliseconds = 0.0
        /// Share of packets that never come, 0...1.
        var loss = 0.0
    }

    private struct Caller {
        var sender: RTPSender
        let source: SocketAddress
        var next: HostTime
        var arrival: HostTime
        var packets = 0
        var heard = 0
    }

    let hasControlPort = true
    private(set) var statistics = LinkStatistics()
    /// RTCP packets of the port.
    private(set) var reports = 0
    /// Whether callers still speak.
    var isSpeaking = true
    private let speech: LoadSpeech
    private let line: Line
    private var callers: [Caller] = []
    private var packet = [UInt8](repeating: 0, count: PacketLimits.datagramBytes)
    private var random: SplitMix64

    /// - Parameters:
    ///   - count: how many call, from an address each.
    ///   - speech: what they say.
    ///   - payloadType: of it.
    ///   - start: when the first one begins; the others follow within a packet's time.
    init(
        _ count: Int, _ speech: LoadSpeech, payloadType: UInt8, clockRate: Int, line: Line, start: HostTime, seed: UInt64
    ) {
        (self.speech, self.line) = (speech, line)
        random = SplitMix64(seed: seed)
        for index in 0..<count {
            let sender = RTPSender(
                ssrc: UInt32(truncatingIfNeeded: random.next()), payloadType: payloadType, clockRate: clockRate,
                sequence: UInt16(truncatingIfNeeded: random.next()) & 0x7fff,
                timestamp: UInt32(truncatingIfNeeded: random.next()))
            let begin = start.advanced(byMilliseconds: Double(index * speech.packetMilliseconds) / Double(count))
            let address = SocketAddress(IPAddress(v4: 0x0a00_0000 | UInt32(index)), port: 40_000)
            callers.append(
                Caller(sender: sender, source: address, next: begin, arrival: begin, packets: index * 37 % speech.packets))
        }
    }

    /// The caller who heard least: so many packets.
    var fewestHeard: Int { callers.map(\.heard).min() ?? 0 }

    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        guard isSpeaking else { return }
        for index in callers.indices {
            while callers[index].arrival <= now { speak(index, deliver) }
        }
    }

    private func speak(_ index: Int, _ deliver: (inout ReceivedPacket) -> Void) {
        let (arrival, source) = (callers[index].arrival, callers[index].source)
        let number = callers[index].packets
        callers[index].packets += 1
        let timestamp = UInt32(truncatingIfNeeded: number * callers[index].sender.clockRate * speech.packetMilliseconds / 1000)
        let isLost = line.loss > 0 && Double.random(in: 0..<1, using: &random) < line.loss
        packet.withUnsafeMutableBytes { buffer in
            let length = speech.withPayload(number) {
                callers[index].sender.packetize($0, timestamp: timestamp, marker: false, into: buffer)
            }
            guard !isLost else { return }
            statistics.received += 1
            var received = ReceivedPacket(
                UnsafeMutableRawBufferPointer(rebasing: buffer[..<length]), arrival: arrival, source: source)
            deliver(&received)
        }
        callers[index].next = callers[index].next.advanced(byMilliseconds: Double(speech.packetMilliseconds))
        let late = line.jitterMilliseconds > 0 ? Double.random(in: 0...line.jitterMilliseconds, using: &random) : 0
        callers[index].arrival = max(callers[index].arrival, callers[index].next.advanced(byMilliseconds: late))
    }

    func send(_ bytes: UnsafeRawBufferPointer, on flow: PacketFlow, to address: SocketAddress) {
        guard flow == .media else {
            reports += 1
            return
        }
        statistics.sent += 1
        statistics.sentOctets += bytes.count
        let index = Int(address.address.bits & 0xffff)
        if index < callers.count { callers[index].heard += 1 }
    }

    func flush() {}
}
