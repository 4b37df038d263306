import Realtime

/// Our last eight wall-clock stamps that a peer may answer, and when they were made by the monotonic clock, which measures
/// the round trip: a step of the wall clock cannot reach it.
struct SentStamps: Sendable {
    private static let kept = 8
    private var stamps: [(compact: UInt32, time: HostTime)] = []

    mutating func add(_ compact: UInt32, at time: HostTime) {
        if stamps.count == Self.kept { stamps.removeFirst() }
        stamps.append((compact, time))
    }

    /// A - LSR - DLSR, RFC 3550 section 6.4.1; nil when the stamp is none of ours, old or forged.
    ///
    /// - Parameter held: in 1/65536 s.
    func roundTrip(to compact: UInt32, held: UInt32, arrival: HostTime) -> Double? {
        guard compact != 0, let sent = stamps.last(where: { $0.compact == compact }) else { return nil }
        let roundTrip = arrival.milliseconds(since: sent.time) - Double(held) / 65.536
        // The delay is cut to 1/65536 s and the peer's clock may run a little fast; more below 0 than that is nonsense.
        return roundTrip > -1 ? max(0, roundTrip) : nil
    }
}
