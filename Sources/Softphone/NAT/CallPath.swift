import ICE
import Link
import Network
import Realtime
import Reporting
import SDP
import Signalling

/// ICE of one call by SIP, as its owner sees it: candidates before there is an offer or answer, the link under the media once there are
/// both, and what a change of either side's addresses brings.
///
/// Until media run, the owner steps `link`; from then on the media thread has it, and orders reach it by `mail`.
final class CallPath {
    let link: PathLink
    let mail: PathMail
    private let isOffered: Bool
    private let hidesAddresses: Bool
    /// Who we are, and what we told of it last.
    private(set) var local: LocalICE
    /// Whom the link looks for.
    private var remote: ICEIdentity?
    /// As they were last found; the link's own belong to whoever steps it.
    private var candidates: [Candidate] = []
    /// Candidates are found, for the first time.
    private var isGathered = false

    /// Begins to find candidates: `gathered` tells when there are enough.
    init(over socket: UDPLink, _ role: ICERole, _ traversal: NATTraversal, addresses: [IPAddress]) throws(RealtimeError) {
        mail = try PathMail()
        isOffered = traversal.isOffered
        hidesAddresses = traversal.mode == .relay
        link = PathLink(
            over: socket, role, configuration: traversal.agentConfiguration(), traversal: traversal, mail: mail)
        local = LocalICE(ICEDescription(link.credentials.identity, candidates: []), isOffered: isOffered)
        link.gather(addresses, now: .monotonicNow())
    }

    /// Steps what finds candidates; for whoever has the link alone.
    /// - Returns: whether there are enough to be told.
    func gathered(now: HostTime) -> Bool {
        guard !isGathered else { return true }
        link.receive(now: now) { _ in }
        link.advance(to: now)
        guard link.isGathered else { return false }
        link.tellCandidates()
        isGathered = true
        moved(link.credentials, link.candidates)
        return true
    }

    /// Where a server on the other side of the NAT sees us.
    var reflexive: SocketAddress? { candidates.first { $0.kind == .serverReflexive }?.address }
    /// Where a relay hears for us.
    var relayed: SocketAddress? { candidates.first { $0.kind == .relayed }?.address }

    private static func told(_ candidates: [Candidate], _ hidesAddresses: Bool) -> [ICECandidate] {
        candidates.filter { $0.kind == .relayed || !hidesAddresses }.map(\.described)
    }

    /// Begins the checks that were agreed on; for whoever has the link alone.
    func connect(_ agreed: ICEInForce, now: HostTime) throws(ICEError) {
        guard let end = agreed.theirs.end else { return }
        remote = agreed.theirs.identity
        try link.connect(to: end, now: now)
    }

    /// Takes a new agreement while the media thread has the link: the other side restarted, or answers our restart.
    func follow(_ agreed: ICEInForce) {
        guard agreed.theirs.identity != remote, let end = agreed.theirs.end, let own = agreed.own.identity.credentials else {
            return
        }
        remote = agreed.theirs.identity
        local = LocalICE(agreed.own, isOffered: isOffered)
        mail.order(.follow(end, own: own))
    }

    /// Has candidates found anew, from other addresses of this machine; `PathMail.News.moved` follows.
    func move(to addresses: [IPAddress]) {
        mail.order(.move(addresses))
    }

    /// What is told from now on.
    func moved(_ credentials: ICECredentials, _ candidates: [Candidate]) {
        self.candidates = candidates
        let told = Self.told(candidates, hidesAddresses)
        local = LocalICE(ICEDescription(credentials.identity, candidates: told), isOffered: isOffered)
    }
}

extension ICEDescription {
    /// As the agent takes it; nil: credentials that nobody may have.
    var end: RemoteEnd? {
        identity.credentials.map {
            RemoteEnd($0, isLite: isLite, candidates: candidates.map { .line($0.text) } + (isComplete ? [.end] : []))
        }
    }
}

extension ICEIdentity {
    var credentials: ICECredentials? { ICECredentials(userFragment: userFragment, password: password.value) }
}

extension ICECredentials {
    var identity: ICEIdentity { ICEIdentity(userFragment: userFragment, password: MediaSecret(password)) }
}

extension Candidate {
    /// As SDP has it.
    var described: ICECandidate {
        ICECandidate(
            foundation: foundation, priority: priority, address: "\(address.address)", port: address.port,
            type: kind.rawValue, relatedAddress: related.map { "\($0.address)" }, relatedPort: related?.port)
    }
}

extension EventBody {
    /// The pair that carries media now.
    init(_ pair: SelectedPair) {
        self = .ice(
            pair: pair.kind.rawValue, local: pair.local.kind.rawValue, remote: pair.remote.kind.rawValue,
            address: "\(pair.remote.address)", isNominated: pair.isNominated)
    }
}
