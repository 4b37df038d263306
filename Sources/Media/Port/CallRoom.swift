import Link
import RTP
import Realtime

/// Who calls at a port that many share: which call a packet belongs to, who becomes a caller, and how many there may be.
///
/// Plain RTP, told apart by address and SSRC. A stream proves itself by packets in sequence, of a payload type that is expected
/// and with a payload, as with `SourceLatch`; until then it is held and nothing is sent to it. A stream that goes on in sequence
/// from another address, after a silence at the old one, is the same call; so is another SSRC from the address of a call that
/// has fallen silent.
///
/// Sans-I/O. Calls are known by the number of their seat, 0 and up; a seat that was left is given again.
public struct CallRoom {
    /// What there may be.
    public struct Limits: Sendable {
        /// Calls at a time.
        public var calls: Int
        /// Calls from one address and port: a gateway has few, an attacker as many SSRCs as it likes.
        public var callsOfOneSource = 64
        /// Streams that have yet to prove themselves.
        public var candidates = 2048
        /// Those of them that come from one address.
        public var candidatesOfOneAddress = 512

        public init(calls: Int) { self.calls = max(1, calls) }
    }

    /// Packets in sequence that prove a stream.
    public static let proofPackets = 2
    /// The same while strangers flood the port.
    public static let proofPacketsInFlood = 4
    /// Longest packet that is kept for a stream that has yet to prove itself, in bytes.
    static let longestHeld = 2048

    /// What became of a packet.
    public enum Verdict: Sendable, Equatable {
        /// It belongs to the call at this seat.
        case call(Int)
        /// It proves a new caller, who gets this seat. What came before it is in `held`, and goes first.
        case caller(Int)
        /// The stream of the call at this seat goes on with it, from another address or under another SSRC; as with `caller`.
        case continued(Int)
        /// Kept until its stream has proven itself.
        case waiting
        case dropped(PortRefusal)
        /// RTCP of a stream that was turned away: its sender is to be told so, where it came from.
        case turnedAway
    }

    /// Callers there are.
    public private(set) var count = 0
    /// Streams and packets that were not let in, by reason.
    public private(set) var refusals = RefusalCounts()
    /// The packets before the one that proved its stream, oldest first.
    public private(set) var held: [HeldDatagram] = []

    private let limits: Limits
    private let allow: [CIDR]
    private let payloadTypes: PayloadTypeSet
    private var seats: [CallerSeat] = []
    private var freeSeats: [Int] = []
    private var byStream: [StreamName: Int] = [:]
    /// The seats of streams by their SSRC alone, the newest last: for streams that move and for RTCP.
    private var bySSRC: [UInt32: [Int]] = [:]
    /// The seat that RTCP belongs to by where it was heard from, where that is a port of its own.
    private var byControl: [StreamName: Int] = [:]
    private var callsBySource: [SocketAddress: Int] = [:]
    private var candidates: CandidateTable

    /// - Parameters:
    ///   - limits: how many calls, and strangers, there may be.
    ///   - allow: who may call; empty: anyone.
    ///   - payloadTypes: those that prove a stream.
    public init(limits: Limits, allow: [CIDR] = [], payloadTypes: PayloadTypeSet) {
        self.limits = limits
        self.allow = allow
        self.payloadTypes = payloadTypes
        candidates = CandidateTable(capacity: limits.candidates, perAddress: limits.candidatesOfOneAddress)
    }

    /// Where the call at `seat` comes from.
    public func source(of seat: Int) -> SocketAddress { seats[seat].source }
    /// Where RTCP of the call at `seat` was heard from; `nil`: the convention holds.
    public func controlSource(of seat: Int) -> SocketAddress? { seats[seat].control }

    /// Whether there is a call at `seat`.
    public func isTaken(_ seat: Int) -> Bool { seats.indices.contains(seat) && seats[seat].isTaken }

    /// Whether the call at `seat` has sent nothing for a while.
    public func isSilent(_ seat: Int, at now: HostTime) -> Bool { seats[seat].isSilent(at: now) }

    /// Whether the call at `seat` fell silent at once: a few forged packets are to have nobody sent to for long.
    public func isLost(_ seat: Int, at now: HostTime) -> Bool { seats[seat].isLost(at: now) }

    // MARK: - RTP

    /// Takes one RTP packet.
    /// - Parameters:
    ///   - packet: with its source and arrival.
    ///   - refusal: why nobody new is let in now; `nil`: everybody may.
    ///   - isPutOff: whether who is let in has to wait for it, by some packets.
    public mutating func receive(
        rtp packet: ReceivedPacket, refusal: PortRefusal? = nil, isPutOff: Bool = false
    ) -> Verdict {
        guard let parsed = try? RTPPacket(parsing: UnsafeRawBufferPointer(packet.bytes)) else { return drop(.garbage) }
        let header = parsed.header
        let name = StreamName(source: packet.source, ssrc: header.ssrc)
        if let seat = byStream[name] {
            seats[seat].follow(header, at: packet.arrival)
            return .call(seat)
        }
        guard payloadTypes.contains(header.payloadType), !parsed.payload.isEmpty else { return drop(.garbage) }
        guard allow.isEmpty || allow.contains(where: { $0.contains(packet.source.address) }) else { return drop(.stranger) }
        let needed = candidates.isCrowded ? Self.proofPacketsInFlood : Self.proofPackets
        switch candidates.note(name, header, packet, needed: needed) {
        case .none: return drop(.flood)
        case .refused: return .dropped(.refusedBefore)
        case .waiting: return .waiting
        case .proven(let place): return prove(name, header, packet, candidate: place, refusal, isPutOff: isPutOff)
        }
    }

    private mutating func prove(
        _ name: StreamName, _ header: RTPHeader, _ packet: ReceivedPacket, candidate: Int, _ refusal: PortRefusal?,
        isPutOff: Bool
    ) -> Verdict {
        let time = packet.arrival
        if let seat = bySSRC[name.ssrc]?.last, seats[seat].isContinued(by: header) {
            // The same stream from elsewhere: when the old place is silent, and not before.
            guard seats[seat].isSilent(at: time) else {
                candidates.keepWaiting(candidate, header)
                return .waiting
            }
            return carryOn(seat, as: name, header, at: time, candidate)
        }
        if callsBySource[name.source] == 1, let seat = onlySeat(of: name.source), seats[seat].isSilent(at: time) {
            return carryOn(seat, as: name, header, at: time, candidate)
        }
        let reason: PortRefusal? =
            if count >= limits.calls { .full } else if callsBySource[name.source, default: 0] >= limits.callsOfOneSource {
                .tooManyOfOneSource
            } else { refusal }
        if let reason {
            candidates.refuse(candidate, at: time)
            return drop(reason)
        }
        if isPutOff {
            candidates.putOff(candidate, header, packet)
            return .waiting
        }
        held = candidates.take(candidate)
        let seat = freeSeats.popLast() ?? seats.count
        let caller = CallerSeat(name, header, at: time)
        if seat == seats.count { seats.append(caller) } else { seats[seat] = caller }
        count += 1
        register(seat)
        return .caller(seat)
    }

    private mutating func carryOn(
        _ seat: Int, as name: StreamName, _ header: RTPHeader, at time: HostTime, _ candidate: Int
    ) -> Verdict {
        held = candidates.take(candidate)
        unregister(seat)
        seats[seat] = CallerSeat(name, header, at: time)
        register(seat)
        return .continued(seat)
    }

    private func onlySeat(of source: SocketAddress) -> Int? {
        seats.firstIndex { $0.isTaken && $0.source == source }
    }

    private mutating func register(_ seat: Int) {
        let name = seats[seat].name
        byStream[name] = seat
        bySSRC[name.ssrc, default: []].append(seat)
        callsBySource[name.source, default: 0] += 1
    }

    private mutating func unregister(_ seat: Int) {
        let name = seats[seat].name
        byStream[name] = nil
        let others = bySSRC[name.ssrc, default: []].filter { $0 != seat }
        bySSRC[name.ssrc] = others.isEmpty ? nil : others
        if let control = seats[seat].control { forgetControl(control, of: seat) }
        let left = callsBySource[name.source, default: 1] - 1
        callsBySource[name.source] = left > 0 ? left : nil
    }

    // MARK: - RTCP

    /// The call that an RTCP packet belongs to: by its sender's SSRC, and by where RTP comes from, its port or the next one. From
    /// another port it is the call whose RTCP came from there before, else by the address alone the only call of that SSRC.
    public mutating func receive(rtcp packet: ReceivedPacket) -> Verdict {
        let bytes = UnsafeRawBufferPointer(packet.bytes)
        guard bytes.count >= 8 else { return drop(.garbage) }
        let ssrc = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        let name = StreamName(source: packet.source, ssrc: ssrc)
        if let seat = byStream[name] ?? byStream[Self.portBefore(name)] {
            noteControl(packet.source, of: seat)
            return .call(seat)
        }
        let only = bySSRC[ssrc].flatMap { $0.count == 1 ? $0[0] : nil }
        guard let seat = byControl[name] ?? only, seats[seat].source.address == packet.source.address else {
            return tellsRefusal(of: name) ? .turnedAway : drop(.stranger)
        }
        noteControl(packet.source, of: seat)
        byControl[name] = seat
        return .call(seat)
    }

    private mutating func noteControl(_ source: SocketAddress, of seat: Int) {
        if let former = seats[seat].control, former != source { forgetControl(former, of: seat) }
        seats[seat].control = source
    }

    private mutating func forgetControl(_ source: SocketAddress, of seat: Int) {
        let name = StreamName(source: source, ssrc: seats[seat].name.ssrc)
        if byControl[name] == seat { byControl[name] = nil }
    }

    /// RTCP comes from the port of RTP, or from the next one.
    private static func portBefore(_ name: StreamName) -> StreamName {
        let source = name.source
        return StreamName(source: SocketAddress(source.address, port: source.port &- 1, scope: source.scope), ssrc: name.ssrc)
    }

    private mutating func tellsRefusal(of name: StreamName) -> Bool {
        candidates.tellsRefusal(of: name) || candidates.tellsRefusal(of: Self.portBefore(name))
    }

    // MARK: - Time

    /// The call at `seat` is over: its seat is free.
    public mutating func leave(_ seat: Int) {
        guard seats.indices.contains(seat), seats[seat].isTaken else { return }
        unregister(seat)
        seats[seat].isTaken = false
        freeSeats.append(seat)
        count -= 1
        guard count == 0 else { return }
        // Nobody is there: what a crowd needed is given back.
        (seats, freeSeats, byStream, bySSRC, byControl, callsBySource) = ([], [], [:], [:], [:], [:])
    }

    /// Time passes: what is unproven for too long is forgotten.
    public mutating func advance(to now: HostTime) { candidates.forget(at: now) }

    /// The call at `seat` could not begin after all, for that reason.
    public mutating func turnAway(_ seat: Int, _ reason: PortRefusal) {
        leave(seat)
        refusals[reason] += 1
    }

    /// A datagram came that is neither RTP nor RTCP.
    public mutating func noteGarbage() { refusals[.garbage] += 1 }

    private mutating func drop(_ reason: PortRefusal) -> Verdict {
        refusals[reason] += 1
        return .dropped(reason)
    }
}
