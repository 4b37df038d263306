/// Notices that the whole stream has become late for good: the sender stood still and goes on where it stopped, or the
/// route became much longer. Waiting for the history to learn it would cost seconds of speech.
package struct OverdueStream {
    private let patience: Double
    private var since: Double?

    package init(tuning: StreamTuning = StreamTuning()) { patience = tuning.overduePatience }

    /// A packet was played.
    package mutating func notePlayed() { since = nil }

    /// A packet that arrived at `arrival` milliseconds came too late as a whole.
    package mutating func noteLate(arrival: Double) { if since == nil { since = arrival } }

    /// Nothing has been late.
    mutating func reset() { since = nil }

    /// Whether a packet that arrives at `arrival` had better start the stream anew.
    package func isOverdue(at arrival: Double) -> Bool { since.map { arrival - $0 >= patience } ?? false }
}
