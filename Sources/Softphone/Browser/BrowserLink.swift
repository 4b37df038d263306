import ICE
import Link
import LiveMedia
import Media
import Network
import Realtime
import SecureRTP
import Signalling

/// The links of a browser's call, and on top of them the layer that tells its owner of a goodbye. It is confined to the media thread
/// like the layers below.
///
/// ```
/// call -> BrowserLink -> SRTPLink -> DTLSLink -> PathLink -> ICELink -> UDPLink
/// ```
final class BrowserLink: LinkLayer {
    /// Without a pair for so long the browser is not reached, in milliseconds; and without keys.
    static let connectMilliseconds = 20_000.0
    static let handshakeMilliseconds = 30_000.0

    let lower: any PacketLink
    private let path: PathLink
    private let dtls: DTLSLink
    private let mail: PathMail
    private var isOver = false

    /// Begins to find our candidates: `gathered` tells when there are enough; the browser's are checked as soon as `connect` says who it is.
    /// - Parameter addresses: of this machine, where `socket` hears; `isLocal`: the browser may be here too.
    init(
        over socket: UDPLink, identity: DTLSIdentity, addresses: [IPAddress], traversal: NATTraversal, isLocal: Bool,
        mail: PathMail
    ) {
        var configuration = traversal.agentConfiguration()
        configuration.connectLimit = Self.connectMilliseconds
        configuration.usesLoopback = isLocal
        // Half of the preferences is for addresses that come later, which no signalling tells the browser of.
        configuration.hostPreference = 0x7fff
        // RFC 8445 section 6.1.1: who sent the offer controls.
        path = PathLink(over: socket, .controlled, configuration: configuration, traversal: traversal, mail: mail)
        dtls = DTLSLink(over: path, identity: identity, isPathChecked: true)
        lower = SRTPLink(over: dtls)
        self.mail = mail
        path.gather(addresses, now: .monotonicNow())
    }

    /// Steps what finds candidates.
    /// - Returns: whether there are enough for the answer.
    func gathered(now: HostTime) -> Bool {
        guard !path.isGathered else { return true }
        path.receive(now: now) { _ in }
        path.advance(to: now)
        return path.isGathered
    }

    /// The candidates that there are go into the answer.
    func tellCandidates() { path.tellCandidates() }

    /// For the answer.
    var credentials: ICECredentials { path.credentials }
    var candidates: [Candidate] { path.candidates }
    var areCandidatesComplete: Bool { path.areCandidatesComplete }

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
            try path.connect(
                to: RemoteEnd(offer.credentials, isLite: offer.isLite, candidates: offer.candidates), now: now)
        } catch {
            throw .defect("ICE: \(error)")
        }
    }

    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        lower.receive(now: now, deliver)
        tell()
    }

    func advance(to now: HostTime) {
        lower.advance(to: now)
        tell()
    }

    private func tell() {
        while let event = dtls.nextDTLSEvent() {
            if case .association(.closed) = event { mail.news.post(.closed) }
        }
    }

    /// Says goodbye to the browser; for whoever has the link alone.
    func close(now: HostTime) {
        guard !isOver else { return }
        isOver = true
        dtls.close(now: now)
        path.close(now: now)
    }
}
