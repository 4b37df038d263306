import Link
import PeerSignalling
import Reporting
import SecureRTP

/// Judges who is at the other end by what is known, and by what the person wants; remembers whom he accepts.
struct PeerJudge {
    enum Decision: Equatable {
        case accept
        /// Somebody is to be asked.
        case ask
        case refuse(String)
    }

    private let phone: PeerPhone
    private let request: PeerRequest
    /// As whom he was called; nil: he calls.
    private let called: String?
    /// Who was judged.
    private(set) var peer: DTLSFingerprint?
    private var name = ""

    init(_ phone: PeerPhone, _ request: PeerRequest, called: String?) {
        (self.phone, self.request, self.called) = (phone, request, called)
    }

    /// Who passes the handshake. Where nobody is asked only known callers do, so that strangers keep nobody out.
    func trust(_ known: KnownPeers) -> DTLSTrust {
        called == nil && !request.asks && !request.acceptsNew ? .fingerprints(known.fingerprints) : .ask
    }

    mutating func forgetPeer() { peer = nil }

    /// - Throws: the file of known peers cannot be read or written.
    mutating func judge(
        _ fingerprint: DTLSFingerprint, _ address: SocketAddress?
    ) throws(SoftphoneError) -> (decision: Decision, report: PeerReport) {
        let known = try phone.folder.known()
        peer = fingerprint
        let others = known.names(of: fingerprint)
        name = called ?? others.first ?? "@" + (address.map { "\($0.address)" } ?? "")
        var report = makeReport(.known, fingerprint, address)
        report.words = SpokenWords.words(phone.identity.fingerprint, fingerprint) ?? []
        switch called.map({ known.judge(called: $0, fingerprint) }) ?? known.judge(caller: fingerprint) {
        case .known: return (.accept, report)
        case .changed(let expected):
            (report.state, report.expectedFingerprint) = (.changed, "\(expected)")
            let why =
                "its key is not the one that was remembered: \(expected) before, \(fingerprint) now; somebody may be between: ask "
                + "there, then `yodel peers forget \(name)`"
            return (.refuse(why), report)
        case .unknown(let others):
            report.otherNames = others
            if request.acceptsNew {
                try remember()
                report.state = .new
                return (.accept, report)
            }
            report.state = request.asks ? .unknown : .refused
            let why =
                "it is not known, and nobody can be asked here: run it on a terminal once, or with --accept-new, or "
                + "`yodel peers pin '\(fingerprint)' --name \(name)`"
            return (request.asks ? .ask : .refuse(why), report)
        }
    }

    /// The one who was judged is known from now on.
    func remember() throws(SoftphoneError) {
        guard let peer else { return }
        let entry = KnownPeers.Entry(name: name, fingerprint: peer, isPinned: false)
        try phone.folder.change { $0.remember(entry) }
    }

    /// One whom the handshake did not take. No words: they cost time, which strangers shall not.
    func turnedAway(_ fingerprint: DTLSFingerprint, _ source: SocketAddress) -> PeerReport {
        var report = makeReport(.refused, fingerprint, source)
        report.name = "@\(source.address)"
        return report
    }

    private func makeReport(
        _ state: PeerReport.State, _ fingerprint: DTLSFingerprint, _ address: SocketAddress?
    ) -> PeerReport {
        PeerReport(
            state, name: name, address: address.map { "\($0)" }, fingerprint: "\(fingerprint)",
            ownFingerprint: phone.fingerprint, words: [])
    }
}
