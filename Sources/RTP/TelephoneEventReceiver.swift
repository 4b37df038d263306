import Realtime

/// Finds digits in telephone-event packets, each exactly once whatever is lost, repeated or out of order:
/// RFC 4733 sections 2.5.2.2 and 2.5.2.3.
///
/// An event is known by its time stamp. It is complete at its first packet with the E bit, when another event
/// begins, or when nothing was heard of it for `silenceMilliseconds`; what still comes of it then is not told again.
public struct TelephoneEventReceiver {
    /// Four updates at the slowest allowed interval of 50 ms.
    public static let silenceMilliseconds = 200.0
    /// Nobody repeats an event so long after it: time stamps that go back by more have been set anew, in seconds.
    private static let repetitionSeconds: Int64 = 10
    /// Length of a whole segment of a long event, in units of time stamps (RFC 4733 section 2.5.1.3).
    private var wholeSegment: Int64 { stampUnits(.max) }

    private struct Event {
        var code: UInt8
        var volume: UInt8
        /// Time stamp of the current segment; a long event is split at 65535 units (RFC 4733 section 2.5.1.3).
        var segmentStart: Int64
        var segmentDuration: Int64
        /// Clock units of the segments before.
        var earlier: Int64
        var lastHeard: HostTime
        /// It was told when nothing was heard of it. The key may be held all the same, and its packets be lost.
        var isReported = false
    }

    /// Clock of the time stamps in Hz, at least 1: the audio's, and may change with it.
    var clockRate: Int
    /// Clock of the payload type in Hz, at least 1, by which durations are counted.
    var durationClockRate: Int
    private var current: Event?
    /// Time stamp up to which every event was reported or given up.
    private var reportedUpTo: Int64?
    private var completed: [TelephoneEvent] = []

    /// - Parameters:
    ///   - clockRate: clock of the audio that the events go with in Hz, and so of their time stamps.
    ///   - durationClockRate: clock of the payload type in Hz; `nil`: that of the audio.
    public init(clockRate: Int, durationClockRate: Int? = nil) {
        self.clockRate = max(1, clockRate)
        self.durationClockRate = max(1, durationClockRate ?? clockRate)
        completed.reserveCapacity(Self.backlog)
    }

    /// Digits kept for a caller that does not ask; more are forgotten.
    private static let backlog = 64

    /// Takes one packet.
    ///
    /// - Returns: false when it is malformed or no digit (events above 15 are signals of lines, not keys).
    public mutating func receive(_ packet: MediaPacket) -> Bool {
        guard let payload = TelephoneEventPayload(parsing: packet.payload), payload.code < 16 else { return false }
        let start = packet.extendedTimestamp
        if let newest = current?.segmentStart ?? reportedUpTo, newest - start > Self.repetitionSeconds * Int64(clockRate) {
            sourceChanged()
        }
        if let reportedUpTo, start <= reportedUpTo { return true }
        if let event = current {
            if start < event.segmentStart { return true }
            if start > event.segmentStart {
                // The segment before it was whole, also where its last packets are lost or come later.
                let segment = start - event.segmentStart
                let isNext = segment == event.segmentDuration || segment.isMultiple(of: wholeSegment)
                if event.code == payload.code, isNext, !packet.marker {
                    current?.earlier += segment
                    current?.segmentStart = start
                    current?.segmentDuration = 0
                } else {
                    complete()
                }
            }
        }
        var event =
            current
            ?? Event(
                code: payload.code, volume: payload.volume, segmentStart: start, segmentDuration: 0, earlier: 0,
                lastHeard: packet.arrival)
        // Reordered updates are shorter than what is known already.
        event.segmentDuration = max(event.segmentDuration, stampUnits(payload.duration))
        event.lastHeard = packet.arrival
        current = event
        if payload.isEnd { complete() }
        return true
    }

    /// The next completed digit, nil when there is none.
    public mutating func next(now: HostTime) -> TelephoneEvent? {
        if let event = current, now.milliseconds(since: event.lastHeard) >= Self.silenceMilliseconds { report() }
        return completed.isEmpty ? nil : completed.removeFirst()
    }

    /// What a packet says of a duration, in units of time stamps.
    private func stampUnits(_ duration: UInt16) -> Int64 { Int64(duration) * Int64(clockRate) / Int64(durationClockRate) }

    /// Time stamps start anew; what was being pressed is complete.
    mutating func sourceChanged() {
        complete()
        reportedUpTo = nil
    }

    private mutating func complete() {
        guard let event = current else { return }
        report()
        current = nil
        reportedUpTo = event.segmentStart
    }

    /// Tells the current event, once.
    private mutating func report() {
        guard let event = current, !event.isReported else { return }
        current?.isReported = true
        guard completed.count < Self.backlog else { return }
        completed.append(
            TelephoneEvent(
                code: event.code,
                durationMilliseconds: 1000 * Double(event.earlier + event.segmentDuration) / Double(clockRate),
                level: -Int(event.volume)))
    }
}
