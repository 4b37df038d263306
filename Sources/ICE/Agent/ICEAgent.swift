import Link
import Realtime

/// One end of ICE (RFC 8445) for one component over one socket: finds candidates, checks pairs, and says which pair carries media.
///
/// Sans-I/O: time, datagrams and randomness are parameters. After each call `takeOutputs` and carry the outputs out in order; call
/// `advance` at `nextDeadline`. Confined to one thread.
public final class ICEAgent {
    /// Credentials of both sides between two restarts.
    struct Generation {
        var number = 0
        var local: ICECredentials
        var remote: ICECredentials?
    }

    /// A check that came before the peer's credentials.
    struct EarlyCheck: Hashable {
        let source: SocketAddress
        let path: ICEPath
        let priority: UInt32
        let nominates: Bool
        let transaction: TransactionID
        /// Not sent again by somebody else.
        let isOriginal: Bool
    }

    private(set) var configuration: ICEConfiguration
    let random: RandomSource
    public internal(set) var role: ICERole
    var tieBreaker: UInt64
    var current: Generation
    var previous: Generation?
    var isRemoteLite = false

    /// Ours, as far as they are known.
    public internal(set) var localCandidates: [Candidate] = []
    /// The peer's, signalled and learnt.
    public internal(set) var remoteCandidates: [Candidate] = []
    var areRemoteCandidatesComplete = false
    var pairs: [CandidatePair] = []
    var nextPairID = 0
    var checks: [ConnectivityCheck] = []
    var early: [EarlyCheck] = []
    var seen = SeenChecks()
    var nextCheck = HostTime.zero

    var hosts: [SocketAddress] = []
    /// How often `move` was called.
    var moves = 0
    var probes: [ServerProbe] = []
    var relays: [TURNClient] = []
    /// The servers of `relays` as they were configured: one that sends elsewhere changes its client's.
    var askedRelays: [TURNServer] = []
    /// When allocations by UDP are kept open through a NAT next; nil: none has been told since it was last due.
    var relayKeepAlive: HostTime?
    /// When a relay that carried the call, or was to, was lost; nil: none was since candidates were last looked for.
    var relayLost: HostTime?
    var lastConnection = 0
    /// When it was last told that a relay is lost, though another pair had not been missed yet.
    var lastRelayLoss: HostTime?
    var foundations: [String] = []
    var gatheringBegan: HostTime?
    var gatheringDeadline: HostTime?
    /// Whether the candidates are all there are, but for those of slow servers.
    public internal(set) var isGatheringDone = false

    var nominatedPair: Int?
    var selectedPair: Int?
    /// Where media go.
    var route: (path: ICEPath, address: SocketAddress)?
    /// When the best pair came to work that has not been nominated.
    var bestPair: (id: Int, since: HostTime)?
    /// When it is to be nominated.
    var nominationDue: HostTime?
    var connectDeadline: HostTime?
    var began: HostTime?

    public internal(set) var selected: SelectedPair?
    public internal(set) var milestones = ICEMilestones()
    var counters = ICEStatistics()
    var outputs: [ICEOutput] = []
    var isClosed = false

    /// - Parameters:
    ///   - role: controlling for who sent the first offer.
    ///   - random: the system's in a program; a seeded one makes a run repeatable, and its passwords guessable.
    public init(
        _ role: ICERole, configuration: ICEConfiguration = ICEConfiguration(),
        random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.role = role
        self.configuration = configuration
        let source = RandomSource(random)
        self.random = source
        tieBreaker = source.next()
        current = Generation(local: ICECredentials(source))
    }

    /// Ours, for the offer or answer.
    public var localCredentials: ICECredentials { current.local }
    /// The peer's, of the present generation.
    public var remoteCredentials: ICECredentials? { current.remote }

    /// Whether there is something to hurry for: no pair carries media yet, or none is chosen for good.
    public var isChecking: Bool {
        !isClosed && (current.remote != nil || !isGatheringDone) && (selected == nil || selected?.isNominated == false)
    }

    public var statistics: ICEStatistics {
        var result = counters
        for relay in relays { result.forged += relay.forged }
        return result
    }

    /// Asks these servers from the next `gather` on.
    /// - Parameter unawaited: those of them that did not answer lately.
    public func setServers(stun: [SocketAddress], turn: [TURNServer], unawaited: Set<ServerID>) {
        (configuration.stunServers, configuration.turnServers) = (stun, turn)
        configuration.unawaitedServers = unawaited
    }

    /// What is to be done since the last call.
    public func takeOutputs() -> [ICEOutput] {
        defer { outputs.removeAll() }
        return outputs
    }

    func tell(_ event: ICEEvent) { outputs.append(.event(event)) }

    /// Sends STUN to the peer.
    func transmit(_ bytes: [UInt8], by path: ICEPath, to address: SocketAddress) {
        switch path {
        case .direct: outputs.append(.send(bytes, to: address))
        case .relay(let index):
            let relay = relays[index]
            guard relay.phase == .allocated else { return }
            send(relay.packet(bytes, to: address), toServerOf: relay)
        }
    }

    /// Ends it: allocations are given back, nothing is sent or answered any more.
    public func close(now: HostTime) {
        guard !isClosed else { return }
        isClosed = true
        for index in relays.indices {
            relays[index].close(now: now)
            flush(index)
        }
        checks.removeAll()
        pairs.removeAll()
        early.removeAll()
        probes.removeAll()
        selected = nil
        selectedPair = nil
        route = nil
    }
}
