import Realtime

/// One lower link, usually a socket, for several streams: packets are told apart by where they come from, and by their SSRC and
/// sequence numbers when a stream goes on from another address.
///
/// ```
/// stream -> LatchingLink -> SharedLink (a place) -\
/// stream -> LatchingLink -> SharedLink (a place) --> LinkDistributor -> UDPLink
/// ```
/// The first RTP packet of a source that nobody has takes the next free place; whether the source is a caller is for the layer
/// above the place to find out. A place whose source is not accepted within a second is free again. Nobody is shut out in the
/// kernel, since the next caller may come from anywhere.
public final class LinkDistributor {
    /// A source that has not been accepted for so long gives its place back, in milliseconds.
    static let acceptanceMilliseconds = 1000.0
    /// Datagrams that wait for one stream at most; more are not played in time anyway.
    static let longestQueue = 512

    fileprivate let lower: any PacketLink
    /// Whether RTCP has a port of its own at the lower link.
    fileprivate let hasControlPort: Bool
    private let places: [Place]
    /// Packets of sources for which there was no place.
    fileprivate private(set) var strangers = 0

    /// - `hasControlPort`: whether RTCP has a port of its own at `lower`.
    /// - `count`: streams there may be at a time, 1 or more.
    public init(over lower: any PacketLink, hasControlPort: Bool, places count: Int) {
        precondition(count > 0, "\(count) places")
        self.lower = lower
        self.hasControlPort = hasControlPort
        places = (0..<count).map { _ in Place() }
    }

    /// One link for each stream; all are used from one thread.
    public var links: [SharedLink] {
        places.enumerated().map { SharedLink(self, $0.element, isFirst: $0.offset == 0) }
    }

    /// Reads what has come, for all places.
    fileprivate func read(now: HostTime) {
        for place in places { place.release(at: now) }
        lower.receive(now: now) { packet in
            guard let place = place(for: packet, now: now) else {
                strangers += 1
                return
            }
            place.keep(packet)
        }
    }

    private func place(for packet: ReceivedPacket, now: HostTime) -> Place? {
        let source = packet.source
        if packet.isOnControlPort || packet.kind == .rtcp {
            return places.first { $0.source == source } ?? places.first { $0.isControl(source) }
        }
        let position = StreamPosition(of: packet)
        if let known = places.first(where: { $0.source == source }) {
            if let position { known.follow(position) }
            return known
        }
        guard let position else { return nil }
        // Whether it is silent at the old address is for the layer above to find out, as it is who a new source is.
        if let moved = places.first(where: { $0.isContinued(at: position) }) { return moved }
        guard let free = places.first(where: { $0.source == nil }) else { return nil }
        free.take(source, at: position, now: now)
        return free
    }
}

/// Where an RTP packet stands: its SSRC and sequence number.
private struct StreamPosition {
    let ssrc: UInt32
    let sequence: UInt16

    /// nil: it is no RTP packet.
    init?(of packet: ReceivedPacket) {
        guard packet.kind == .rtp, packet.bytes.count >= 12 else { return nil }
        let bytes = UnsafeRawBufferPointer(packet.bytes)
        sequence = bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self).bigEndian
        ssrc = bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self).bigEndian
    }

    /// Whether `next` is of the same stream, and goes on from here.
    func isContinued(at next: StreamPosition) -> Bool {
        next.ssrc == ssrc && SequenceGap.goesOn(from: sequence, to: next.sequence)
    }
}

/// Who has a place, and what waits for him.
private final class Place {
    /// Whose packets come here; nil: the place is free.
    var source: SocketAddress?
    /// Where the stream's packets go.
    var peer: LinkPeer?
    /// As far as the source's stream went.
    private var position: StreamPosition?
    var queue = PacketQueue()
    var counters = LinkStatistics()
    private var takenAt = HostTime.zero

    func take(_ source: SocketAddress, at position: StreamPosition, now: HostTime) {
        self.source = source
        self.position = position
        takenAt = now
    }

    /// A packet of the source came; an older one of the same stream changes nothing.
    func follow(_ next: StreamPosition) {
        if let position, position.ssrc == next.ssrc, Int16(bitPattern: next.sequence &- position.sequence) <= 0 { return }
        position = next
    }

    /// Whether the place's stream goes on there.
    func isContinued(at next: StreamPosition) -> Bool { position?.isContinued(at: next) ?? false }

    /// Gives the place back when nobody above has accepted its source in time.
    func release(at now: HostTime) {
        guard source != nil, peer == nil,
            now.milliseconds(since: takenAt) >= LinkDistributor.acceptanceMilliseconds
        else { return }
        vacate()
    }

    func vacate() {
        (peer, source, position) = (nil, nil, nil)
        queue.removeAll()
    }

    /// Whether RTCP of this address belongs to the place's source: by the peer's control address, or RTP's port + 1.
    func isControl(_ address: SocketAddress) -> Bool {
        if let control = peer?.control { return control == address }
        guard let source else { return false }
        return source.address == address.address && source.port &+ 1 == address.port
    }

    func keep(_ packet: ReceivedPacket) {
        guard queue.count < LinkDistributor.longestQueue else {
            counters[.kernel] += 1
            return
        }
        counters.received += 1
        counters.receivedOctets += packet.bytes.count
        queue.append(packet)
    }
}

/// A place at a `LinkDistributor`: to the stream above it looks like a socket of its own.
public final class SharedLink: PacketLink {
    private let distributor: LinkDistributor
    private let place: Place
    private let isFirst: Bool

    fileprivate init(_ distributor: LinkDistributor, _ place: Place, isFirst: Bool) {
        self.distributor = distributor
        self.place = place
        self.isFirst = isFirst
    }

    /// Frees the place for the next source: the call is over. Counters begin anew.
    public func reset() {
        place.vacate()
        place.counters = LinkStatistics()
    }

    public var peer: LinkPeer? { place.peer }

    /// Nobody (`nil`) frees the place.
    public func setPeer(_ peer: LinkPeer?) {
        guard let peer else { return place.vacate() }
        place.peer = peer
        place.source = peer.media
    }

    /// Strangers take other places: nobody need be shut out.
    public func admit(_ sources: AdmittedSources) {}
    public func expect(_ payloadTypes: PayloadTypeSet) {}

    @discardableResult
    public func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool {
        if packet.destination == nil {
            guard let peer = place.peer else {
                place.counters.sentToNobody += 1
                return false
            }
            packet.destination = packet.flow == .control ? controlAddress(of: peer) : peer.media
        }
        guard distributor.lower.send(&packet, now: now) else {
            place.counters.sendFailures += 1
            return false
        }
        place.counters.sent += 1
        place.counters.sentOctets += packet.count
        return true
    }

    /// RTCP goes where it was heard from, else to RTP's port, or to the next one where it has its own (RFC 3550 section 11).
    private func controlAddress(of peer: LinkPeer) -> SocketAddress {
        if let control = peer.control { return control }
        guard distributor.hasControlPort else { return peer.media }
        return SocketAddress(peer.media.address, port: peer.media.port &+ 1, scope: peer.media.scope)
    }

    public func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        if isFirst { distributor.read(now: now) }
        place.queue.drain(deliver)
    }

    public func advance(to now: HostTime) { if isFirst { distributor.lower.advance(to: now) } }
    public var nextDeadline: HostTime? { isFirst ? distributor.lower.nextDeadline : nil }
    public var wantsWakeup: Bool { false }
    public func nextEvent() -> LinkEvent? { nil }

    /// Packets for which there was no place are told with the first one.
    public var statistics: LinkStatistics {
        var result = place.counters
        if isFirst { result[.stranger] += distributor.strangers }
        return result
    }
}

/// Packets that wait for their stream, their bytes in one row.
private struct PacketQueue {
    private struct Entry {
        let range: Range<Int>
        let arrival: HostTime
        let source: SocketAddress
        let isOnControlPort: Bool
        let trafficClass: UInt8?
    }

    private var entries: [Entry] = []
    private var bytes: [UInt8] = []

    var count: Int { entries.count }

    mutating func append(_ packet: ReceivedPacket) {
        let start = bytes.count
        bytes.append(contentsOf: packet.bytes)
        entries.append(
            Entry(
                range: start..<bytes.count, arrival: packet.arrival, source: packet.source,
                isOnControlPort: packet.isOnControlPort, trafficClass: packet.trafficClass))
    }

    mutating func drain(_ deliver: (inout ReceivedPacket) -> Void) {
        guard !entries.isEmpty else { return }
        bytes.withUnsafeMutableBytes { all in
            for entry in entries {
                var packet = ReceivedPacket(
                    UnsafeMutableRawBufferPointer(rebasing: all[entry.range]), arrival: entry.arrival, source: entry.source,
                    isOnControlPort: entry.isOnControlPort, trafficClass: entry.trafficClass)
                deliver(&packet)
            }
        }
        removeAll()
    }

    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }
}
