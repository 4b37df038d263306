import Link
import Realtime

extension ICEAgent {
    /// Takes the peer's credentials; checks begin with its candidates. The same ones again change nothing.
    /// - Parameter isLite: it does no checks (`a=ice-lite`), so we control.
    public func setRemote(_ credentials: ICECredentials, isLite: Bool = false, now: HostTime) throws(ICEError) {
        guard !isClosed, current.remote != credentials else { return }
        guard current.remote == nil else { throw .restartNeeded }
        current.remote = credentials
        isRemoteLite = isLite
        if isLite, role == .controlled { changeRole() }
        began = now
        connectDeadline = now.advanced(byMilliseconds: configuration.connectLimit)
        nextCheck = now
        pairAll(now: now)
        let waiting = early
        early.removeAll()
        for check in waiting { heard(check, now: now) }
        runChecks(now: now)
    }

    /// Takes a candidate of the peer; one that is refused is counted.
    /// Call `gather` first: until then no address is known as our own.
    public func add(_ candidate: Candidate, now: HostTime) {
        guard !isClosed else { return }
        if let refusal = refusal(of: candidate) {
            counters.refusedCandidates[refusal, default: 0] += 1
            return
        }
        if let index = remoteCandidates.firstIndex(where: { $0.address == candidate.address }) {
            // What a check had shown already has its true kind now.
            guard remoteCandidates[index].kind == .peerReflexive else { return }
            remoteCandidates[index] = candidate
            for index in pairs.indices where pairs[index].generation == current.number {
                if pairs[index].remote.address == candidate.address { pairs[index].remote = candidate }
            }
        } else {
            remoteCandidates.append(candidate)
        }
        pair(candidate, now: now)
        reselect(now: now)
        runChecks(now: now)
    }

    /// Takes the value of an `a=candidate` line.
    public func add(candidateLine text: String, now: HostTime) {
        do {
            add(try Candidate(parsing: text), now: now)
        } catch {
            counters.refusedCandidates[error, default: 0] += 1
        }
    }

    /// The peer has no more (`a=end-of-candidates`): a relay need not wait for better ones before it is nominated.
    public func endOfRemoteCandidates(now: HostTime) {
        guard !isClosed else { return }
        areRemoteCandidatesComplete = true
        considerNomination(now: now)
    }

    private func refusal(of candidate: Candidate) -> CandidateRefusal? {
        if let fragment = candidate.userFragment {
            let isStale =
                current.remote.map { $0.userFragment != fragment } ?? (previous?.remote?.userFragment == fragment)
            guard !isStale else { return .stale }
        }
        let address = candidate.address
        guard !address.address.isNowhere, !address.address.isLinkLocal, address.port != 0 else { return .address }
        let isOwn =
            address.address.isLoopback || localCandidates.contains { $0.address.address == address.address && $0.kind == .host }
        if isOwn, configuration.protectedPorts.contains(address.port) { return .ourOwn }
        if hosts.contains(address) { return .ourOwn }
        if address.address.isLoopback, !hosts.contains(where: \.address.isLoopback) { return .address }
        return remoteCandidates.count < ICEConfiguration.maximumRemoteCandidates ? nil : .tooMany
    }

    /// Begins anew with other credentials (RFC 8445 section 9); pairs that work go on until a new one is nominated. Ours are to be told
    /// to the peer, and `setRemote` takes its new ones.
    /// - Parameter own: credentials that the peer has been told already; nil: new ones.
    public func restart(as own: ICECredentials? = nil, now: HostTime) {
        guard !isClosed else { return }
        // A second restart before the first one came to anything: what still works is older than that.
        let worked = pairs.contains { $0.isUsable && $0.generation == current.number } || previous == nil
        let kept = worked ? current : previous
        previous = kept
        current = Generation(number: current.number + 1, local: own ?? ICECredentials(random))
        pairs.removeAll { !$0.isUsable || $0.generation != kept?.number }
        let ids = Set(pairs.map(\.id))
        checks.removeAll { !ids.contains($0.pair) }
        remoteCandidates.removeAll()
        areRemoteCandidatesComplete = false
        early.removeAll()
        bestPair = nil
        nominationDue = nil
        connectDeadline = nil
        milestones = ICEMilestones()
        if var pair = selected, pair.isNominated {
            // Not for good any more.
            pair.isNominated = false
            selected = pair
        }
    }

    func changeRole() {
        role = role.other
        tell(.roleChanged(role))
    }
}
