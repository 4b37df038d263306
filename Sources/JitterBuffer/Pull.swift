/// One pull in progress: what it asks for and works with, and what was done for it.
package struct Pull: ~Copyable {
    /// Samples asked for.
    package let wanted: Int
    /// Samples pulled before it, since the first pull.
    package let start: Int64
    /// The packets that wait.
    package let packets: PacketBuffer
    /// The most notable thing done.
    package private(set) var reason = PlayoutReason.waiting
    /// The counters that it adds to.
    package let record: PlayoutRecord

    package init(wanted: Int, start: Int64, packets: PacketBuffer, record: PlayoutRecord) {
        self.wanted = wanted
        self.start = start
        self.packets = packets
        self.record = record
    }

    /// Notes what was done; the pull keeps the most notable.
    package mutating func note(_ new: PlayoutReason) {
        if new.notability > reason.notability { reason = new }
    }

    /// Adds the finished pull to the counters.
    mutating func account(sampleRate: Int, isPlaying: Bool) {
        let duration = Double(wanted) * 1000 / Double(sampleRate)
        if isPlaying { record.statistics.playedMs += duration }
        record.statistics.byReason.add(duration, to: reason)
        record.log.add(reason, at: Double(start) * 1000 / Double(sampleRate), durationMs: duration)
    }
}
