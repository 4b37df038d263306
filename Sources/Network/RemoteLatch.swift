/// Who is heard and where packets go: symmetric RTP (RFC 4961) that learns the peer's address but does not let
/// strangers take over the call (RFC 7362 section 4 names the danger).
struct RemoteLatch {
    /// Packets in a row from a new address that move the destination.
    static let packetsToMove = 2

    private let allow: [CIDR]
    /// A remote that was given is not moved: some peers send from another port than they listen on.
    private let isFixed: Bool
    /// Where RTP goes; nil until the peer is known.
    private(set) var remote: SocketAddress?
    /// Moves of the destination after the first latch.
    private(set) var moves = 0
    private var candidate: SocketAddress?
    private var candidatePackets = 0

    init(remote: SocketAddress?, allow: [CIDR]) {
        self.remote = remote
        isFixed = remote != nil
        self.allow = allow
    }

    /// Whether a well-formed packet from `source` is accepted. RTP latches and moves the destination.
    mutating func admit(_ source: SocketAddress, kind: DatagramKind) -> Bool {
        if let remote, source == remote {
            candidatePackets = 0
            return true
        }
        let isAllowed = allow.contains { $0.contains(source.address) }
        guard let remote else {
            // Only RTP shows where RTP is wanted.
            guard kind == .rtp, isAllowed || allow.isEmpty else { return false }
            self.remote = source
            return true
        }
        if kind == .rtcp || isFixed { return isAllowed || source.address == remote.address }
        guard isAllowed else { return false }
        candidatePackets = candidate == source ? candidatePackets + 1 : 1
        candidate = source
        if candidatePackets >= Self.packetsToMove {
            self.remote = source
            moves += 1
            candidatePackets = 0
        }
        return true
    }

    /// Forgets a learnt remote; the next valid packet latches anew.
    mutating func forget() {
        guard !isFixed else { return }
        remote = nil
        candidate = nil
        candidatePackets = 0
    }
}
