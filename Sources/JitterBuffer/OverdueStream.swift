/// Notices that the whole stream has become late for good: the sender stood still and goes on where it stopped, or the
/// route became much longer. Waiting for the history to learn it would cost seconds of speech.
struct OverdueStream {
    /// Contents arrive and none of them can be played for this long, in milliseconds. A burst after a stall of the network
    /// arrives in less.
    static let patience = 1000.0

    private var since: Double?

    /// Content was played.
    mutating func notePlayed() { since = nil }

    /// Content that arrived at `arrival` milliseconds came too late as a whole.
    mutating func noteLate(arrival: Double) { if since == nil { since = arrival } }

    /// Whether a packet that arrives at `arrival` had better start the stream anew.
    func isOverdue(at arrival: Double) -> Bool { since.map { arrival - $0 >= Self.patience } ?? false }
}
