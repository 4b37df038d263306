import Link
import Metrics

extension CallStatistics {
    /// What the call's link knows: whether and how it encrypts.
    public mutating func fillEncryption(from link: LinkStatistics) {
        guard let encryption = link.encryption else { return }
        var figures = SRTPFigures()
        figures.suite = encryption.suite
        figures.replayed = encryption.replayed
        figures.failed = encryption.failed
        srtp = figures
    }
}
