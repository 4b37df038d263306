import Link
import Media
import RTP
import Realtime

/// The network of a replay: RTP of one side through a trace, RTCP both ways without loss.
final class TraceWire {
    /// When what is sent leaves.
    var now = HostTime.zero
    /// Line of the trace that the next packet takes.
    var packetIndex = 0
    /// RTP packets handed in, those of them that the trace lost, and their bytes after the RTP header.
    private(set) var packets = 0
    private(set) var lost = 0
    private(set) var payloadBytes = 0

    private let trace: NetworkTrace
    private let controlDelay: Double
    private var pending: [Packet] = []

    private struct Packet {
        var arrival: HostTime
        var bytes: [UInt8]
        var isMedia: Bool
        var isBackward: Bool
    }

    init(trace: NetworkTrace) {
        self.trace = trace
        controlDelay = trace.delays.compactMap { $0 }.min() ?? 0
    }

    /// The end that the speaking side sends into.
    var outbound: any PacketLink { TraceEnd(wire: self, isBackward: false) }
    /// The end that the listening side sends into.
    var backward: any PacketLink { TraceEnd(wire: self, isBackward: true) }

    /// Arrival of whichever packet comes first, in milliseconds.
    func firstArrival(frameMilliseconds: Double) -> Double {
        // By the trace's order, as the measuring tools take it: the first line that was not lost.
        guard let index = trace.delays.firstIndex(where: { $0 != nil }), let delay = trace.delays[index] else { return 0 }
        return Double(index) * frameMilliseconds + delay
    }

    /// When the first packet that arrives was sent, in milliseconds.
    func firstMediaTime(frameMilliseconds: Double) -> Double {
        let first = trace.delays.indices.prefix(100).compactMap { index in
            trace.delays[index].map { (index: index, arrival: Double(index) * frameMilliseconds + $0) }
        }.min { $0.arrival < $1.arrival }
        return Double(first?.index ?? 0) * frameMilliseconds
    }

    /// Milliseconds that packet `index` takes; `nil` when it is lost. A trace that is too short begins anew.
    func delay(of index: Int) -> Double? { trace.delays[index % trace.delays.count] }

    /// Whether sound is under way.
    var carriesMedia: Bool { pending.contains { $0.isMedia } }

    /// Hands over what has arrived.
    func deliver(until now: HostTime, to receiver: Call, and sender: Call) {
        while let first = pending.first, first.arrival <= now {
            pending.removeFirst()
            self.now = first.arrival
            let target = first.isBackward ? sender : receiver
            first.bytes.withUnsafeBytes {
                first.isMedia
                    ? target.receive(rtp: $0, arrival: first.arrival) : target.receive(rtcp: $0, arrival: first.arrival)
            }
        }
    }

    fileprivate func take(rtp packet: UnsafeRawBufferPointer, isBackward: Bool) {
        guard !isBackward else { return }
        packets += 1
        payloadBytes += max(0, packet.count - RTPHeader.fixedLength)
        guard let delay = delay(of: packetIndex) else {
            lost += 1
            return
        }
        add(packet, after: delay, isMedia: true, isBackward: false)
    }

    fileprivate func take(rtcp packet: UnsafeRawBufferPointer, isBackward: Bool) {
        add(packet, after: controlDelay, isMedia: false, isBackward: isBackward)
    }

    private func add(_ packet: UnsafeRawBufferPointer, after delay: Double, isMedia: Bool, isBackward: Bool) {
        let arrival = now.advanced(byMilliseconds: delay)
        var index = pending.endIndex
        while index > 0, pending[index - 1].arrival > arrival { index -= 1 }
        pending.insert(
            Packet(arrival: arrival, bytes: Array(packet), isMedia: isMedia, isBackward: isBackward), at: index)
    }
}

private final class TraceEnd: LinkEnd {
    private unowned let wire: TraceWire
    private let isBackward: Bool

    init(wire: TraceWire, isBackward: Bool) {
        self.wire = wire
        self.isBackward = isBackward
    }

    func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool {
        switch packet.flow {
        case .media: wire.take(rtp: packet.bytes, isBackward: isBackward)
        case .control: wire.take(rtcp: packet.bytes, isBackward: isBackward)
        }
        return true
    }
}
