import Link
import Metrics

extension CallStatistics {
    /// What the call's link knows: how it found its way, and whether and how it encrypts.
    public mutating func fillLink(from link: LinkStatistics) {
        if link.path != nil || link.handshakeMilliseconds != nil {
            var figures = SetupFigures()
            figures.iceMilliseconds = link.path?.connectMilliseconds
            figures.dtlsMilliseconds = link.handshakeMilliseconds
            (figures.pair, figures.pairLocal, figures.pairRemote) = (link.path?.kind, link.path?.local, link.path?.remote)
            figures.pairRoundTripMilliseconds = link.path?.roundTripMilliseconds
            setup = figures
        }
        guard let encryption = link.encryption else { return }
        var figures = SRTPFigures()
        figures.suite = encryption.suite
        figures.replayed = encryption.replayed
        figures.failed = encryption.failed
        srtp = figures
    }
}
