import Link
import Realtime

/// Where the peer is, as its authenticated packets tell.
///
/// The first one chooses the peer's address. It moves when packets that are further on than all before come from elsewhere, three
/// in a row, and nothing has come from the former address for a while. Somebody on the way who is quicker with copies moves
/// nobody: the originals, which are replays then, still come from where they came from.
struct PeerMovement {
    /// Packets in a row from a new address.
    static let packetsToMove = 3
    /// Silence of the former address before the peer moves, and before everybody is listened to again, in milliseconds.
    static let silenceMilliseconds = 300.0

    /// Where authenticated packets come from; nil before there were any.
    private(set) var source: SocketAddress?
    private var candidate: SocketAddress?
    private var candidatePackets = 0
    private var heard = HostTime.zero

    /// Takes an authenticated RTP packet that was further on than all before, or an RTCP packet that did not come before.
    mutating func note(_ address: SocketAddress, at time: HostTime) -> LinkEvent? {
        guard let former = source else {
            source = address
            heard = time
            return .peerLearnt(address)
        }
        guard address != former else {
            candidatePackets = 0
            heard = time
            return nil
        }
        candidatePackets = candidate == address ? candidatePackets + 1 : 1
        candidate = address
        guard candidatePackets >= Self.packetsToMove, time.milliseconds(since: heard) >= Self.silenceMilliseconds else {
            return nil
        }
        source = address
        candidatePackets = 0
        heard = time
        return .peerMoved(from: former, to: address)
    }

    /// Takes a packet that came before, or seems to have: whoever sent the first one, its address is alive. Copies of reports, which
    /// are seconds apart, are not three in a row where the original comes behind each.
    mutating func noteReplay(_ address: SocketAddress, at time: HostTime) {
        guard address == source else { return }
        heard = max(heard, time)
        candidatePackets = 0
    }

    /// Who need be listened to: while the peer is heard, it alone.
    func admitted(at now: HostTime) -> AdmittedSources {
        guard let source, now.milliseconds(since: heard) < Self.silenceMilliseconds else { return .anyone }
        return .only(source)
    }
}
