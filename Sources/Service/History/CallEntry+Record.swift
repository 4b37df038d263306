import History
import Reporting

extension CallEntry {
    /// A call as it is now.
    package init(_ record: CallRecord) {
        self.init(
            id: record.id, direction: record.direction.rawValue, kind: record.kind.rawValue, started: record.started)
        account = record.account
        peer = record.direction == .incoming ? record.from : record.to
        name = record.name
        (answered, ended) = (record.answered?.text, record.ended?.text)
        durationSeconds = record.durationSeconds
        // A call that was closed without a word is over too.
        endReason = record.endReason ?? record.report.map { $0.reason ?? "local_hangup" }
        (sipCode, explanation) = (record.sipCode, record.explanation)
        (codec, remote) = (record.codec, record.remote)
        guard let report = record.report else { return }
        mouthToEarMilliseconds = report.statistics.mouthToEarMilliseconds
        let gaps = [report.statistics.concealedShort, report.statistics.concealedLong, report.statistics.playoutGaps]
        self.gaps = gaps.compactMap { $0 }.isEmpty ? nil : gaps.compactMap { $0 }.reduce(0, +)
        concealedRatio = report.statistics.concealedRatio
        self.report = record.reportMembers.map { JSONValue.object($0).text }
    }
}
