import Realtime

/// One direction of a network in virtual time: packets and the time go in, deliveries and their times come out.
///
///     send -> loss -> duplicate -> link rate -> delay, jitter, trace -> stall -> reorder -> nextDelivery
///
/// It reads no clock and opens no socket, and the same packets at the same times with the same seed give the same
/// deliveries. Each stream and each impairment draws from its own generator: switching one on leaves the others'
/// choices as they were, and RTCP does not disturb what happens to RTP.
public struct NetworkEmulator: Sendable {
    /// Which of a call's two flows a packet belongs to; both share the link's rate.
    public enum Stream: UInt8, Sendable, CaseIterable {
        case rtp
        case rtcp
    }

    /// A packet that has arrived.
    public struct Delivery: Sendable, Equatable {
        public let stream: Stream
        public let bytes: [UInt8]
        /// When it arrived; never later than the time asked about.
        public let time: HostTime
    }

    /// What happened so far.
    public struct Statistics: Sendable, Equatable {
        /// Packets handed in.
        public var sent = 0
        /// Packets dropped by random loss or by the trace.
        public var lost = 0
        /// Packets dropped because the link's queue was full.
        public var queueDropped = 0
        /// Second copies added.
        public var duplicated = 0
        /// Packets held back behind their successor.
        public var reordered = 0
        /// Packets handed out, second copies included.
        public var delivered = 0
    }

    /// Longest wait for the link in milliseconds before packets are dropped: about what a home router holds.
    public static let queueMilliseconds = 200.0
    /// A packet that is to be overtaken waits this long at most for one that overtakes it, in milliseconds.
    public static let reorderMilliseconds = 100.0
    /// What IPv4 and UDP add to a packet on the link.
    static let headerBytes = 28

    public let conditions: NetworkConditions
    public private(set) var statistics = Statistics()

    private var streams: [NetworkEmulatorStream]
    private var pending = NetworkEmulatorQueue()
    private var linkFree = HostTime.zero
    private var start: HostTime?

    public init(conditions: NetworkConditions, seed: UInt64) {
        self.conditions = conditions
        streams = Stream.allCases.map {
            NetworkEmulatorStream(conditions: conditions, seed: seed, stream: $0)
        }
    }

    /// Takes a packet that leaves the sender at `now`. Times must not run backwards.
    public mutating func send(_ bytes: [UInt8], stream: Stream, at now: HostTime) {
        statistics.sent += 1
        if start == nil { start = now }
        let fate = streams[Int(stream.rawValue)].nextFate()
        if fate.isLost {
            statistics.lost += 1
            return
        }
        // Its own second copy overtaking a packet would reorder nothing.
        let reorder = fate.isReordered && !fate.isDuplicated
        deliver(bytes, stream, at: now, delay: fate.traceDelay + fate.jitter, reorder: reorder)
        if fate.isDuplicated {
            statistics.duplicated += 1
            deliver(bytes, stream, at: now, delay: fate.traceDelay + fate.secondJitter, reorder: false)
        }
    }

    /// When the next packet arrives; nil while none is on its way.
    public var nextDeadline: HostTime? { pending.nextTime }

    /// The next packet that has arrived by `now`, in order of arrival.
    public mutating func nextDelivery(until now: HostTime) -> Delivery? {
        guard let entry = pending.removeFirst(until: now) else { return nil }
        statistics.delivered += 1
        return Delivery(stream: entry.stream, bytes: entry.bytes, time: entry.time)
    }

    private mutating func deliver(_ bytes: [UInt8], _ stream: Stream, at now: HostTime, delay: Double, reorder: Bool) {
        guard let left = transmit(bytes.count, at: now) else {
            statistics.queueDropped += 1
            return
        }
        let arrival = afterStall(left.advanced(byMilliseconds: conditions.delayMilliseconds + delay))
        let hold = reorder ? Self.reorderMilliseconds : nil
        if pending.insert(bytes, stream: stream, at: arrival, hold: hold) { statistics.reordered += 1 }
    }

    /// When a packet has left the link, or nil when the queue before it is full.
    private mutating func transmit(_ count: Int, at now: HostTime) -> HostTime? {
        guard let rate = conditions.rateKilobits else { return now }
        let begin = max(now, linkFree)
        guard begin.milliseconds(since: now) <= Self.queueMilliseconds else { return nil }
        linkFree = begin.advanced(byMilliseconds: Double((count + Self.headerBytes) * 8) / rate)
        return linkFree
    }

    /// An arrival inside a stall moves to its end.
    private func afterStall(_ arrival: HostTime) -> HostTime {
        guard let spike = conditions.spike, let start else { return arrival }
        let age = arrival.milliseconds(since: start)
        let periods = (age / spike.everyMilliseconds).rounded(.down)
        let phase = age - periods * spike.everyMilliseconds
        guard periods >= 1, phase < spike.milliseconds else { return arrival }
        return start.advanced(byMilliseconds: periods * spike.everyMilliseconds + spike.milliseconds)
    }
}
