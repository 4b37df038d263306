import Link
import RTP
import Realtime

/// What tells a stream of plain RTP from all others at a port.
struct StreamName: Hashable {
    var source: SocketAddress
    var ssrc: UInt32
}

/// A caller's place, and his stream as far as it went.
struct CallerSeat {
    /// Silence of a stream before another one may be its continuation, in milliseconds; as with `SourceLatch`.
    static let silenceMilliseconds = SourceLatch.silenceMilliseconds

    let name: StreamName
    var isTaken = true
    /// Where RTCP was last heard from.
    var control: SocketAddress?
    private var sequence: UInt16
    private var lastHeard: HostTime
    /// Those of the proof count as two.
    private var packets = CallRoom.proofPackets

    init(_ name: StreamName, _ header: RTPHeader, at time: HostTime) {
        self.name = name
        sequence = header.sequence
        lastHeard = time
    }

    var source: SocketAddress { name.source }

    mutating func follow(_ header: RTPHeader, at time: HostTime) {
        packets += 1
        lastHeard = max(lastHeard, time)
        if Int16(bitPattern: header.sequence &- sequence) > 0 { sequence = header.sequence }
    }

    /// Whether a packet under the same SSRC goes on where this stream stands.
    func isContinued(by header: RTPHeader) -> Bool {
        header.ssrc == name.ssrc && SequenceGap.goesOn(from: sequence, to: header.sequence)
    }

    /// Whether it was proven and fell silent before it was believed; as with `SourceLatch`.
    func isLost(at time: HostTime) -> Bool {
        packets < SourceLatch.believedPackets && time.milliseconds(since: lastHeard) >= SourceLatch.proofMilliseconds
    }

    func isSilent(at time: HostTime) -> Bool { time.milliseconds(since: lastHeard) >= Self.silenceMilliseconds }
}
