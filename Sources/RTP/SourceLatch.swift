import Link
import Realtime

/// Which source of plain RTP is heard: symmetric RTP (RFC 4961) that learns where the other side sends from, and lets nobody
/// else take its place (RFC 7362 section 4 names the danger).
///
/// A source proves itself by two packets in sequence of one stream, of a payload type that is expected and with a payload: an
/// empty one is nothing that can be heard. The heard source changes only when its own stream goes on, in sequence, from another
/// address, and has been silent at the old one. Whoever is learnt and falls silent at once is let go again.
public struct SourceLatch {
    /// Silence at the old address before its stream may go on from another one, in milliseconds.
    public static let silenceMilliseconds = 500.0
    /// What is unproven, or hardly begun, is forgotten after this silence, in milliseconds.
    public static let proofMilliseconds = 1000.0
    /// Packets after which a source is believed to stay: half a second of 20 ms.
    public static let believedPackets = 25

    /// What became of a packet.
    public enum Verdict {
        /// From the heard source.
        case accepted
        /// Its source is heard from now on. Another packet, which came before it and is kept in `held`, goes first.
        case proven(LinkEvent?)
        /// Kept until the next one of its stream.
        case held
        case dropped(LinkDropReason)
    }

    /// A packet that waited for its source's proof.
    public struct Held {
        public var bytes: [UInt8] = []
        public var arrival = HostTime.zero
    }

    /// Where the heard stream comes from; nil before one was learnt.
    public private(set) var source: SocketAddress?
    /// The packet that goes before the one that proved its source; empty when there was none.
    public private(set) var held = Held()
    /// Where RTCP on a port of its own comes from, when that is not the convention's port.
    public private(set) var controlSource: SocketAddress?

    private var remote: SocketAddress?
    private let allow: [CIDR]
    private var payloadTypes = PayloadTypeSet()
    private var stream = HeardStream()
    private var unproven: [UnprovenSource]
    private let salt: UInt64

    /// - Parameters:
    ///   - remote: where the other side was said to be; only its address is listened to then, whatever the port.
    ///   - allow: who may be the other side besides `remote`; empty: anyone, if there is no `remote`.
    ///   - salt: makes it unpredictable which unproven sources share a place.
    public init(remote: SocketAddress?, allow: [CIDR], salt: UInt64) {
        self.remote = remote
        self.allow = allow
        self.salt = salt
        unproven = [UnprovenSource](repeating: UnprovenSource(), count: 64)
    }

    /// The other side is said to be elsewhere; before anything was heard.
    /// - Parameter remote: where.
    public mutating func call(at remote: SocketAddress) { self.remote = remote }

    /// The payload types that count as proof.
    public mutating func expect(_ payloadTypes: PayloadTypeSet) { self.payloadTypes = payloadTypes }

    // MARK: - RTP

    /// Takes one RTP packet.
    public mutating func receive(rtp packet: ReceivedPacket) -> Verdict {
        let isHeard = packet.source == source
        guard let parsed = try? RTPPacket(parsing: UnsafeRawBufferPointer(packet.bytes)),
            payloadTypes.contains(parsed.header.payloadType), isHeard || !parsed.payload.isEmpty
        else {
            // What is malformed or unknown in the heard stream is for the receiver to count.
            if isHeard { return .accepted }
            return .dropped(source == nil ? .garbage : .stranger)
        }
        let header = parsed.header
        if isHeard {
            stream.follow(header, at: packet.arrival)
            return .accepted
        }
        guard isAllowed(packet.source.address), mayMove(header, at: packet.arrival) else { return .dropped(.stranger) }
        let place = place(of: packet.source)
        guard unproven[place].isFollowed(by: header, from: packet.source, at: packet.arrival) else {
            unproven[place].begin(header, packet)
            return .held
        }
        return prove(header, packet, place: place)
    }

    private mutating func prove(_ header: RTPHeader, _ packet: ReceivedPacket, place: Int) -> Verdict {
        let former = source
        source = packet.source
        controlSource = nil
        stream = HeardStream(header, at: packet.arrival)
        held = unproven[place].held
        for index in unproven.indices { unproven[index] = UnprovenSource() }
        guard let former else { return .proven(.peerLearnt(packet.source)) }
        return .proven(.peerMoved(from: former, to: packet.source))
    }

    /// Whether a stream from elsewhere may become the heard one: there is none, or it is that one, going on.
    private func mayMove(_ header: RTPHeader, at time: HostTime) -> Bool {
        guard source != nil else { return true }
        return stream.isContinued(by: header) && time.milliseconds(since: stream.lastHeard) >= Self.silenceMilliseconds
    }

    private func isAllowed(_ address: IPAddress) -> Bool {
        if let remote { return address == remote.address || allow.contains { $0.contains(address) } }
        return allow.isEmpty || allow.contains { $0.contains(address) }
    }

    private func place(of source: SocketAddress) -> Int {
        let bits = source.address.bits
        let folded = UInt64(truncatingIfNeeded: bits >> 64) ^ UInt64(truncatingIfNeeded: bits) ^ UInt64(source.port) << 40
        // Fibonacci hashing: the upper bits of the product depend on all bits of the number.
        return Int(((folded ^ salt) &* 0x9e37_79b9_7f4a_7c15) >> 58)
    }

    // MARK: - RTCP

    /// Whether an RTCP packet comes from the other side: from where its RTP comes, or from where it was said to be; on a port
    /// of its own from the same address, and from one port of it only.
    public mutating func admits(control packet: ReceivedPacket) -> Bool {
        guard let place = source ?? remote else { return false }
        guard packet.isOnControlPort else { return packet.source == source || packet.source == remote }
        guard packet.source.address == place.address else { return false }
        if packet.source.port == place.port &+ 1 || packet.source == controlSource { return true }
        // Behind an address translator the port is any; the stream's own report tells which.
        guard controlSource == nil, source != nil, Self.sender(of: packet.bytes) == stream.ssrc else { return source == nil }
        controlSource = packet.source
        return true
    }

    /// The SSRC of a compound's first packet (RFC 3550 section 6.4).
    private static func sender(of bytes: UnsafeMutableRawBufferPointer) -> UInt32? {
        bytes.count >= 8 ? UnsafeRawBufferPointer(bytes).bigEndian32(at: 4) : nil
    }

    // MARK: - Time

    /// Lets a source go that was learnt and fell silent before it was believed.
    public mutating func advance(to now: HostTime) -> LinkEvent? {
        guard let source, remote == nil, stream.packets < Self.believedPackets,
            now.milliseconds(since: stream.lastHeard) >= Self.proofMilliseconds
        else { return nil }
        self.source = nil
        controlSource = nil
        return .peerLost(source)
    }

    /// Who need be listened to at `now`: everybody while the source is unknown, young or silent.
    public func admitted(at now: HostTime) -> AdmittedSources {
        guard let source, stream.packets >= Self.believedPackets,
            now.milliseconds(since: stream.lastHeard) < Self.silenceMilliseconds
        else { return .anyone }
        return .only(source)
    }
}

/// The heard stream, as far as it went.
private struct HeardStream {
    var ssrc: UInt32 = 0
    var sequence: UInt16 = 0
    var lastHeard = HostTime.zero
    /// The two of the proof included.
    var packets = 0
    private var other: (ssrc: UInt32, next: UInt16)?

    init() {}

    init(_ header: RTPHeader, at time: HostTime) {
        (ssrc, sequence, lastHeard, packets) = (header.ssrc, header.sequence, time, 2)
    }

    func isContinued(by header: RTPHeader) -> Bool {
        header.ssrc == ssrc && SequenceGap.goesOn(from: sequence, to: header.sequence)
    }

    /// A packet from the heard address. Another SSRC there is the stream from its second packet in sequence on.
    mutating func follow(_ header: RTPHeader, at time: HostTime) {
        guard header.ssrc == ssrc else {
            if let other, other.ssrc == header.ssrc, other.next == header.sequence {
                (ssrc, sequence) = (header.ssrc, header.sequence)
                self.other = nil
                lastHeard = max(lastHeard, time)
            } else {
                other = (header.ssrc, header.sequence &+ 1)
            }
            return
        }
        packets += 1
        lastHeard = max(lastHeard, time)
        if Int16(bitPattern: header.sequence &- sequence) > 0 { sequence = header.sequence }
    }
}

/// A source that showed one packet.
private struct UnprovenSource {
    private var source: SocketAddress?
    private var ssrc: UInt32 = 0
    private var next: UInt16 = 0
    private(set) var held = SourceLatch.Held()

    func isFollowed(by header: RTPHeader, from source: SocketAddress, at time: HostTime) -> Bool {
        self.source == source && ssrc == header.ssrc && next == header.sequence
            && time.milliseconds(since: held.arrival) < SourceLatch.proofMilliseconds
    }

    mutating func begin(_ header: RTPHeader, _ packet: ReceivedPacket) {
        source = packet.source
        ssrc = header.ssrc
        next = header.sequence &+ 1
        held.arrival = packet.arrival
        held.bytes.removeAll(keepingCapacity: true)
        held.bytes.append(contentsOf: packet.bytes)
    }
}
