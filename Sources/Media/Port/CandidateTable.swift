import Link
import RTP
import Realtime

/// A datagram that waited for its stream's proof.
public struct HeldDatagram: Sendable {
    /// The datagram, as it came.
    public var bytes: [UInt8] = []
    /// When it came.
    public var arrival = HostTime.zero
}

/// Streams that have yet to prove themselves: a fixed number, each with the few packets that it has shown.
///
/// Whoever has not proven itself within a second gives its place up; a flood of one address fills its own share only.
struct CandidateTable {
    enum Outcome {
        case none, waiting, refused
        case proven(Int)
    }

    private struct Candidate {
        var name: StreamName?
        var next: UInt16 = 0
        var since = HostTime.zero
        var refusedAt: HostTime?
        /// Whether its sender was told that since.
        var isTold = false
        var held: [HeldDatagram] = []
    }

    /// Packets kept of one that is put off.
    private static let mostHeld = 8

    private let capacity: Int
    private let perAddress: Int
    private var places: [Candidate] = []
    private var free: [Int] = []
    private var byName: [StreamName: Int] = [:]
    private var byAddress: [IPAddress: Int] = [:]
    private var nextSweep = HostTime.zero

    init(capacity: Int, perAddress: Int) { (self.capacity, self.perAddress) = (capacity, perAddress) }

    /// Whether so many wait that more is asked of each.
    var isCrowded: Bool { byName.count > capacity / 4 }

    mutating func note(_ name: StreamName, _ header: RTPHeader, _ packet: ReceivedPacket, needed: Int) -> Outcome {
        guard let place = byName[name] else { return begin(name, header, packet) }
        if let refusedAt = places[place].refusedAt {
            guard packet.arrival.milliseconds(since: refusedAt) >= SourceLatch.proofMilliseconds else { return .refused }
            places[place].refusedAt = nil
            return restart(place, header, packet)
        }
        let isFresh = packet.arrival.milliseconds(since: places[place].since) < SourceLatch.proofMilliseconds
        guard isFresh, header.sequence == places[place].next else { return restart(place, header, packet) }
        guard places[place].held.count + 1 < needed else { return .proven(place) }
        places[place].next = header.sequence &+ 1
        hold(packet, at: place)
        return .waiting
    }

    private mutating func begin(_ name: StreamName, _ header: RTPHeader, _ packet: ReceivedPacket) -> Outcome {
        guard byName.count < capacity, byAddress[name.source.address, default: 0] < perAddress else { return .none }
        let place = free.popLast() ?? places.count
        if place == places.count { places.append(Candidate()) }
        places[place].name = name
        byName[name] = place
        byAddress[name.source.address, default: 0] += 1
        return restart(place, header, packet)
    }

    private mutating func restart(_ place: Int, _ header: RTPHeader, _ packet: ReceivedPacket) -> Outcome {
        places[place].next = header.sequence &+ 1
        places[place].since = packet.arrival
        places[place].held.removeAll(keepingCapacity: true)
        hold(packet, at: place)
        return .waiting
    }

    private mutating func hold(_ packet: ReceivedPacket, at place: Int) {
        // One that is too long counts, and is not kept.
        let isKept = packet.bytes.count <= CallRoom.longestHeld
        places[place].held.append(HeldDatagram(bytes: isKept ? Array(packet.bytes) : [], arrival: packet.arrival))
    }

    /// The stream is proven, and may not be heard yet: it need not begin anew.
    mutating func keepWaiting(_ place: Int, _ header: RTPHeader) { places[place].next = header.sequence &+ 1 }

    /// The stream is proven, and is let in a little later: it need not begin anew, and nothing that it says till then is lost.
    mutating func putOff(_ place: Int, _ header: RTPHeader, _ packet: ReceivedPacket) {
        keepWaiting(place, header)
        places[place].since = packet.arrival
        if places[place].held.count < Self.mostHeld { hold(packet, at: place) }
    }

    /// The stream is proven, and was turned away.
    mutating func refuse(_ place: Int, at time: HostTime) {
        places[place].refusedAt = time
        places[place].isTold = false
        places[place].since = time
        places[place].held = []
    }

    /// Whether the stream was turned away within the last second, and its sender is to be told: once for each time, so that a forged
    /// source address brings its owner less than the forger sends.
    mutating func tellsRefusal(of name: StreamName) -> Bool {
        guard let place = byName[name], places[place].refusedAt != nil, !places[place].isTold else { return false }
        places[place].isTold = true
        return true
    }

    /// The stream was let in: what it had shown.
    mutating func take(_ place: Int) -> [HeldDatagram] {
        defer { vacate(place) }
        return places[place].held.filter { !$0.bytes.isEmpty }
    }

    private mutating func vacate(_ place: Int) {
        guard let name = places[place].name else { return }
        byName[name] = nil
        let left = byAddress[name.source.address, default: 1] - 1
        byAddress[name.source.address] = left > 0 ? left : nil
        places[place] = Candidate()
        free.append(place)
    }

    /// Forgets whoever has shown nothing for a second.
    mutating func forget(at now: HostTime) {
        guard now >= nextSweep, !byName.isEmpty else { return }
        nextSweep = now.advanced(byMilliseconds: SourceLatch.proofMilliseconds / 4)
        for place in places.indices where places[place].name != nil {
            if now.milliseconds(since: places[place].since) >= SourceLatch.proofMilliseconds { vacate(place) }
        }
        if byName.isEmpty { (places, free) = ([], []) }
    }
}
