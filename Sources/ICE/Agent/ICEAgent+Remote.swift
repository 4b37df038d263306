import Link
import Realtime

extension ICEAgent {
    /// Takes the other side's credentials; checks begin with its candidates. The same ones again change nothing.
    /// - `isLite`: it does no checks (`a=ice-lite`), so we control.
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

    /// Takes a candidate of the other side; one that is refused is counted.
    /// - `userFragment`: of the generation that it belongs to, where trickle says so (RFC 8840).
    public func add(_ candidate: Candidate, userFragment: String? = nil, now: HostTime) {
        guard !isClosed else { return }
        if let refusal = refusal(of: candidate, userFragment) {
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
    public func add(candidateLine text: String, userFragment: String? = nil, now: HostTime) {
        do {
            add(try Candidate(parsing: text), userFragment: userFragment, now: now)
        } catch {
            counters.refusedCandidates[error, default: 0] += 1
        }
    }

    /// The other side has no more (`a=end-of-candidates`).
    public func endOfRemoteCandidates(now: HostTime) {
        areRemoteCandidatesComplete = true
        considerFailure(now: now)
    }

    private func refusal(of candidate: Candidate, _ userFragment: String?) -> CandidateRefusal? {
        if let userFragment, let remote = current.remote, userFragment != remote.userFragment { return .stale }
        let address = candidate.address
        guard !address.address.isNowhere, !address.address.isLinkLocal, address.port != 0 else { return .address }
        let isOwn = address.address.isLoopback || localCandidates.contains { $0.address.address == address.address && $0.kind == .host }
        if isOwn, configuration.protectedPorts.contains(address.port) { return .ourOwn }
        if hosts.contains(address) { return .ourOwn }
        if address.address.isLoopback, !hosts.contains(where: \.address.isLoopback) { return .address }
        return remoteCandidates.count < ICEConfiguration.maximumRemoteCandidates ? nil : .tooMany
    }

    /// Begins anew with other credentials (RFC 8445 section 9); the pair that carries media does so until a new one works. Ours are
    /// to be told to the other side, and `setRemote` takes its new ones.
    public func restart(now: HostTime) {
        guard !isClosed else { return }
        let kept = selectedPair
        previous = current
        current = Generation(number: current.number + 1, local: ICECredentials(random))
        pairs.removeAll { $0.id != kept }
        let ids = Set(pairs.map(\.id))
        checks.removeAll { !ids.contains($0.pair) }
        remoteCandidates.removeAll()
        areRemoteCandidatesComplete = false
        early.removeAll()
        bestPair = nil
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
