/// What the parts of the buffer report: counters, the ledger of samples, and the list of incidents.
///
/// One of a jitter buffer, which each of its pulls adds to: a copy each would cost more than the pull.
package final class PlayoutRecord {
    @exclusivity(unchecked) package internal(set) var statistics = JitterBufferStatistics()
    @exclusivity(unchecked) package internal(set) var ledger = PlayoutLedger()
    @exclusivity(unchecked) var log = IncidentLog()
    /// Numbers of packets that came and were not played, and that nobody has taken yet.
    @exclusivity(unchecked) private var discarded: [Int64] = []
    /// More are not kept: whoever asks does so with each pull.
    private static let mostDiscarded = 128

    package init() { discarded.reserveCapacity(Self.mostDiscarded) }

    /// A packet is given up.
    func noteDiscarded(_ packet: StoredPacket) {
        guard packet.kind != .redundant, discarded.count < Self.mostDiscarded else { return }
        discarded.append(packet.sequence)
    }

    func takeDiscarded(_ body: (Int64) -> Void) {
        guard !discarded.isEmpty else { return }
        for sequence in discarded { body(sequence) }
        discarded.removeAll(keepingCapacity: true)
    }

    /// The stream is another one.
    func forgetDiscarded() { discarded.removeAll(keepingCapacity: true) }

    /// Samples that were made as silence are found to be concealment: those within a short gap, and those beyond it.
    func noteMissing(short: Int64, long: Int64, sampleRate: Int) {
        func milliseconds(_ samples: Int64) -> Double { Double(samples) * 1000 / Double(sampleRate) }
        statistics.concealShortMs += milliseconds(short)
        statistics.concealLongMs += milliseconds(long)
        statistics.concealedPauseMs += milliseconds(short + long)
        statistics.comfortNoiseMs = max(0, statistics.comfortNoiseMs - milliseconds(short + long))
        ledger.concealed += short + long
        ledger.comfortNoise -= short + long
    }

    /// Samples were left out to join two sounds.
    func noteJoin(_ left: Int, sampleRate: Int) {
        ledger.removed += Int64(left)
        statistics.acceleratedMs += Double(left) * 1000 / Double(sampleRate)
    }

    /// A frame was shortened by `shift` samples (negative: lengthened).
    func noteStretch(_ shift: Int, sampleRate: Int) {
        let milliseconds = Double(abs(shift)) * 1000 / Double(sampleRate)
        if shift > 0 {
            statistics.acceleratedMs += milliseconds
            ledger.removed += Int64(shift)
        } else {
            statistics.deceleratedMs += milliseconds
            ledger.inserted -= Int64(shift)
        }
    }
}
