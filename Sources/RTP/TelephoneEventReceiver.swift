import Realtime

/// Finds digits in telephone-event packets, each exactly once whatever is lost, repeated or out of order:
/// RFC 4733 sections 2.5.2.2 and 2.5.2.3.
///
/// An event is known by its time stamp. It is complete at its first packet with the E bit, when another event
/// begins, or when nothing was heard of it for `silenceMilliseconds`.
public struct TelephoneEventReceiver {
    /// Four updates at the slowest allowed interval of 50 ms.
    public static let silenceMilliseconds = 200.0
    /// Nobody repeats an event so long after it: time stamps that go back by more have been set anew, in seconds.
    private static let repetitionSeconds: Int64 = 10
    /// Length of a whole segment of a long event, in clock units (RFC 4733 section 2.5.1.3).
    private static let wholeSegment: Int64 = 0xffff

    private struct Event {
        var code: UInt8
        var volume: UInt8
        /// Time stamp of the current segment; a long event is split at 65535 units (RFC 4733 section 2.5.1.3).
        var segmentStart: Int64
        var segmentDuration: Int64
        /// Clock units of the segments before.
        var earlier: Int64
        var lastHeard: HostTime
    }

    /// Clock of the payload type in Hz, at least 1; may change with the audio's.
    var clockRate: Int
    private var current: Event?
    /// Time stamp up to which every event was reported or given up.
    private var reportedUpTo: Int64?
    private var completed: [TelephoneEvent] = []

    /// - Parameter clockRate: clock of the payload type in Hz, that of the audio it goes with.
    public init(clockRate: Int) {
        self.clockRate = max(1, clockRate)
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
                let isNext = segment == event.segmentDuration || segment == Self.wholeSegment
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
        event.segmentDuration = max(event.segmentDuration, Int64(payload.duration))
        event.lastHeard = packet.arrival
        current = event
        if payload.isEnd { complete() }
        return true
    }

    /// The next completed digit, nil when there is none.
    public mutating func next(now: HostTime) -> TelephoneEvent? {
        if let event = current, now.milliseconds(since: event.lastHeard) >= Self.silenceMilliseconds { complete() }
        return completed.isEmpty ? nil : completed.removeFirst()
    }

    /// Time stamps start anew; what was being pressed is complete.
    mutating func sourceChanged() {
        complete()
        reportedUpTo = nil
    }

    private mutating func complete() {
        guard let event = current else { return }
        current = nil
        reportedUpTo = event.segmentStart
        guard completed.count < Self.backlog else { return }
        completed.append(
            TelephoneEvent(
                code: event.code,
                durationMilliseconds: 1000 * Double(event.earlier + event.segmentDuration) / Double(clockRate),
                level: -Int(event.volume)))
    }
}
