import Glibc
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

    /// - `configuration`: with servers as `traversal` knows them.
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

    /// Finds candidates, and waits for servers: until each kind that is asked for has come from one, a second at most.
    /// - `addresses`: of this machine, where the socket hears.
    func gather(_ addresses: [IPAddress]) {
        let start = HostTime.monotonicNow()
        ice.update(now: start) { $0.gather(addresses, port: socket.local.port, now: start) }
        while !ice.agent.isGatheringDone {
            let now = HostTime.monotonicNow()
            let wait = min(max(ice.nextDeadline?.milliseconds(since: now) ?? 1, 0), 20)
            var entries = socket.fileDescriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) } + relays.pollEntries
            _ = poll(&entries, nfds_t(entries.count), Int32(wait.rounded(.up)))
            let later = HostTime.monotonicNow()
            ice.receive(now: later) { _ in }
            ice.advance(to: later)
        }
        tell()
        areCandidatesTold = true
        hasNotedServers = areCandidatesComplete
    }

    /// Readable when there is something to receive.
    var fileDescriptors: [Int32] { socket.fileDescriptors + relays.pollEntries.map(\.fd) }

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
        ice.advance(to: now)
        tell()
    }

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
                agent.gather(addresses, port: socket.local.port, now: now)
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
