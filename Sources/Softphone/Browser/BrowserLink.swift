import ICE
import Link
import LiveMedia
import Media
import Network
import Realtime
import SecureRTP
import Signalling

/// The links of a browser's call, and on top of them the layer that joins them to the call's owner: candidates that come late go
/// down, what ICE and DTLS tell goes up. It is confined to the media thread like the layers below.
///
/// ```
/// call -> BrowserLink -> SRTPLink -> DTLSLink -> ICELink -> UDPLink
/// ```
final class BrowserLink: LinkLayer {
    /// Without a pair for so long the browser is not reached, in milliseconds; and without keys.
    static let connectMilliseconds = 20_000.0
    static let handshakeMilliseconds = 30_000.0

    let lower: any PacketLink
    private let ice: ICELink
    private let dtls: DTLSLink
    private let mail: BrowserMail
    private var isOver = false

    /// Our candidates are found; the browser's are checked as soon as `connect` says who it is.
    /// - `addresses`: of this machine, where `socket` hears.
    init(over socket: UDPLink, identity: DTLSIdentity, addresses: [IPAddress], mail: BrowserMail, now: HostTime) {
        var configuration = ICEConfiguration()
        configuration.connectLimit = Self.connectMilliseconds
        // RFC 8445 section 6.1.1: who sent the offer controls.
        let agent = ICEAgent(.controlled, configuration: configuration)
        ice = ICELink(over: socket, agent: agent)
        dtls = DTLSLink(over: ice, identity: identity, isPathChecked: true)
        lower = SRTPLink(over: dtls)
        self.mail = mail
        ice.update(now: now) { $0.gather(addresses, port: socket.local.port, now: now) }
    }

    /// For the answer.
    var credentials: ICECredentials { ice.agent.localCredentials }
    var candidates: [Candidate] { ice.agent.localCandidates }

    /// Begins the checks; the handshake begins when the browser does.
    func connect(to offer: BrowserOffer, now: HostTime) throws(SoftphoneError) {
        guard case .dtls(let role, let peer) = offer.agreement.encryption else {
            throw .request("the offer has no fingerprint that can be used; offer sha-256 (RFC 8122)")
        }
        do throws(DTLSFailure) {
            try dtls.start(
                role, trust: .fingerprints(peer), patienceMilliseconds: Self.handshakeMilliseconds, now: now)
        } catch {
            throw .encryption("\(error)")
        }
        do throws(ICEError) {
            try ice.update(now: now) { (agent) throws(ICEError) in
                try agent.setRemote(offer.credentials, isLite: offer.isLite, now: now)
            }
        } catch {
            throw .defect("ICE: \(error)")
        }
        take(offer.candidates, now: now)
    }

    private func take(_ candidates: [TrickledCandidate], now: HostTime) {
        guard !candidates.isEmpty else { return }
        ice.update(now: now) { agent in
            for candidate in candidates {
                switch candidate {
                case .line(let text): agent.add(candidateLine: text, now: now)
                case .end: agent.endOfRemoteCandidates(now: now)
                }
            }
        }
    }

    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        take(mail.takeCandidates(), now: now)
        lower.receive(now: now, deliver)
        tell()
    }

    func advance(to now: HostTime) {
        lower.advance(to: now)
        tell()
    }

    private func tell() {
        while let event = ice.nextICEEvent() {
            switch event {
            case .selected(let pair): mail.news.post(.selected(pair))
            case .consentLost: mail.news.post(.consentLost)
            case .failed(let reason): mail.news.post(.failed(reason))
            case .candidate, .gatheringDone, .serverFailed, .roleChanged: break
            }
        }
        while let event = dtls.nextDTLSEvent() {
            if case .association(.closed) = event { mail.news.post(.closed) }
        }
    }

    /// Says goodbye to the browser; for whoever has the link alone.
    func close(now: HostTime) {
        guard !isOver else { return }
        isOver = true
        dtls.close(now: now)
        ice.update(now: now) { $0.close(now: now) }
    }
}
