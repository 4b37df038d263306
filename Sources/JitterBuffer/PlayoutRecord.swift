/// What the parts of the buffer report: counters, the ledger of samples, and the list of incidents.
///
/// One of a jitter buffer, which each of its pulls adds to: a copy each would cost more than the pull.
package final class PlayoutRecord {
    @exclusivity(unchecked) package internal(set) var statistics = JitterBufferStatistics()
    @exclusivity(unchecked) package internal(set) var ledger = PlayoutLedger()
    @exclusivity(unchecked) var log = IncidentLog()

    package init() {}

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
