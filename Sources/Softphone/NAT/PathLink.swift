import ICE
import Link
import Network
import Realtime

/// The way to the other side by ICE, and what joins it to the call's owner: candidates that come late go down, what ICE tells goes up.
/// It is confined to the thread that steps it, like the layers below.
///
/// ```
/// call -> [SRTPLink -> DTLSLink] -> PathLink -> ICELink -> UDPLink
/// ```
final class PathLink: LinkLayer {
    private let ice: ICELink
    private let socket: UDPLink
    private let mail: PathMail
    private let servers: ServerBook
    private let relays: RelayConnections
    /// Candidates told so far are in the offer or answer; later ones are late.
    private var areCandidatesTold = false
    private var hasNotedServers = false
    private var isOver = false
    /// Candidates are being found anew.
    private var isMoving = false
    /// The names of servers are being looked up: then candidates are found on these addresses, at the latest at `limit`.
    private var naming: (addresses: [IPAddress], limit: HostTime)?
    /// When names, or connections that nobody polls for, are looked at again while candidates are found; nil: there are none.
    private var nextLook: HostTime?
    private static let lookMilliseconds = 10.0

    /// - Parameter traversal: knows the servers.
    init(
        over socket: UDPLink, _ role: ICERole, configuration: ICEConfiguration, traversal: NATTraversal, mail: PathMail
    ) {
        self.socket = socket
        self.mail = mail
        servers = traversal.servers
        relays = RelayConnections(servers.trust)
        ice = ICELink(over: socket, agent: ICEAgent(role, configuration: configuration), connections: relays)
    }

    var lower: any PacketLink { ice }

    // MARK: - For whoever has the link alone

    /// For the offer or answer.
    var credentials: ICECredentials { ice.agent.localCredentials }
    var candidates: [Candidate] { ice.agent.localCandidates }
    /// Whether all servers have answered, so that no candidate comes late.
    var areCandidatesComplete: Bool { ice.agent.silentServers.isEmpty }

    /// Begins to find candidates, and waits for nothing: `isGathered` tells when there are enough for an offer or answer, each kind that
    /// is asked for from one server, or all that came in time. That is a second at most, and one more for the first look-up of names.
    /// - Parameter addresses: of this machine, where the socket hears.
    func gather(_ addresses: [IPAddress], now: HostTime) {
        servers.prepare()
        naming = (addresses, now.advanced(byMilliseconds: ServerBook.lookupMilliseconds))
        gatherWhenNamed(now)
    }

    var isGathered: Bool { naming == nil && ice.agent.isGatheringDone }

    /// The candidates that there are go into the offer or answer: those that come from now on are late.
    func tellCandidates() {
        tell()
        areCandidatesTold = true
        hasNotedServers = areCandidatesComplete
    }

    private func gatherWhenNamed(_ now: HostTime) {
        nextLook = nil
        if let (addresses, limit) = naming, !servers.isWaiting || now >= limit {
            naming = nil
            ice.update(now: now) { agent in
                servers.tell(agent)
                agent.gather(addresses, port: socket.local.port, now: now)
            }
        }
        guard naming != nil || (!ice.agent.isGatheringDone && !relays.pollEntries.isEmpty) else { return }
        nextLook = now.advanced(byMilliseconds: Self.lookMilliseconds)
    }

    /// Readable when there is something to receive.
    var fileDescriptors: [Int32] { [socket.mediaDescriptor] + relays.pollEntries.map(\.fd) }

    /// Begins the checks.
    func connect(to remote: RemoteEnd, now: HostTime) throws(ICEError) {
        try ice.update(now: now) { (agent) throws(ICEError) in
            try agent.setRemote(remote.credentials, isLite: remote.isLite, now: now)
        }
        take(remote.candidates, now: now)
    }

    /// Gives allocations back.
    func close(now: HostTime) {
        guard !isOver else { return }
        isOver = true
        ice.update(now: now) { $0.close(now: now) }
    }

    // MARK: - A link

    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        for order in mail.takeOrders() { obey(order, now: now) }
        take(mail.takeCandidates(), now: now)
        ice.receive(now: now, deliver)
        tell()
    }

    func advance(to now: HostTime) {
        gatherWhenNamed(now)
        ice.advance(to: now)
        tell()
    }

    var nextDeadline: HostTime? { [ice.nextDeadline, nextLook].compactMap(\.self).min() }

    private func obey(_ order: PathMail.Order, now: HostTime) {
        switch order {
        case .follow(let remote, let own):
            ice.update(now: now) { agent in
                if agent.remoteCredentials != nil, agent.remoteCredentials != remote.credentials {
                    agent.restart(as: own, now: now)
                }
                // There are none, or none any more: nothing stands against these.
                try? agent.setRemote(remote.credentials, isLite: remote.isLite, now: now)
            }
            take(remote.candidates, now: now)
        case .move(let addresses):
            isMoving = true
            ice.update(now: now) { agent in
                agent.restart(now: now)
                servers.tell(agent)
                agent.gather(addresses, port: socket.local.port, now: now)
            }
        case .show(let addresses):
            ice.update(now: now) { agent in
                servers.tell(agent)
                agent.move(to: addresses, port: socket.local.port, now: now)
            }
        }
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

    private func tell() {
        while let event = ice.nextICEEvent() {
            switch event {
            case .selected(let pair): mail.news.post(.selected(pair))
            case .consentLost: mail.news.post(.consentLost)
            case .failed(let reason): mail.news.post(.failed(reason))
            case .candidate(let candidate): if areCandidatesTold, !isMoving { mail.tellLate([.line(candidate.text)]) }
            case .serverFailed(let server, let failure):
                if failure != .noAnswer { logger.warning("the server \(server) is of no use: \(failure)") }
            case .gatheringDone, .roleChanged: break
            }
        }
        noteServers()
        if isMoving, ice.agent.isGatheringDone {
            isMoving = false
            mail.news.post(.moved(credentials, candidates))
        }
    }

    /// Who answers late is told of as soon as nobody is waited for.
    private func noteServers() {
        guard !hasNotedServers, ice.agent.isGatheringDone else { return }
        if !areCandidatesTold { servers.note(ice.agent) }
        guard areCandidatesTold, areCandidatesComplete else { return }
        hasNotedServers = true
        servers.note(ice.agent)
        mail.tellLate([.end])
    }
}
