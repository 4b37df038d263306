import Link
import Realtime

extension ICEAgent {
    /// Pairs each of the peer's candidates with each path of its family.
    func pairAll(now: HostTime) {
        for candidate in remoteCandidates { pair(candidate, now: now) }
    }

    /// A candidate that only a check showed stays with the path on which it was seen: another NAT binding would have another address.
    func pair(_ candidate: Candidate, now: HostTime) {
        guard candidate.kind != .peerReflexive else { return }
        let family = candidate.address.address.family
        if !configuration.relayOnly, let base = base(.direct, family) { addPair(.direct, base, candidate) }
        for index in relays.indices {
            guard let base = base(.relay(index), family) else { continue }
            // Asked for before there are credentials, so that the peer's first check comes through.
            relays[index].permit(candidate.address.address, now: now)
            flush(index)
            takeRelayEvents(index, now: now)
            addPair(.relay(index), base, candidate)
        }
    }

    /// Our candidate at which checks leave by that path.
    func base(_ path: ICEPath, _ family: IPAddress.Family) -> Candidate? {
        switch path {
        case .direct: return localCandidates.first { $0.kind == .host && $0.address.address.family == family }
        case .relay(let index):
            guard let address = relays[index].relayed.first(where: { $0.address.family == family }) else { return nil }
            return localCandidates.first { $0.address == address }
        }
    }

    func pairIndex(_ path: ICEPath, _ remote: SocketAddress, generation: Int) -> Int? {
        pairs.firstIndex { $0.generation == generation && $0.path == path && $0.remote.address == remote }
    }

    func pairIndex(_ id: Int?) -> Int? { id.flatMap { id in pairs.firstIndex { $0.id == id } } }

    @discardableResult
    func addPair(_ path: ICEPath, _ local: Candidate, _ remote: Candidate) -> Int? {
        if let index = pairIndex(path, remote.address, generation: current.number) { return index }
        let pair = CandidatePair(
            id: nextPairID, generation: current.number, path: path, remote: remote, local: local,
            localPriority: local.priority)
        if pairs.count >= ICEConfiguration.maximumPairs {
            // The worst one goes, which has not begun; or the new one is not made.
            let worst = pairs.indices.filter { pairs[$0].state == .waiting || pairs[$0].state == .failed }
                .min { pairs[$0].priority(role) < pairs[$1].priority(role) }
            guard let worst, pairs[worst].priority(role) < pair.priority(role) else { return nil }
            let id = pairs[worst].id
            pairs.remove(at: worst)
            checks.removeAll { $0.pair == id }
        }
        nextPairID += 1
        pairs.append(pair)
        return pairs.count - 1
    }

    func dropPairs(by path: ICEPath) {
        let ids = Set(pairs.filter { $0.path == path }.map(\.id))
        pairs.removeAll { ids.contains($0.id) }
        checks.removeAll { ids.contains($0.pair) }
    }

    func failPairs(by path: ICEPath, to address: IPAddress) {
        for index in pairs.indices where pairs[index].path == path && pairs[index].remote.address.address == address {
            if pairs[index].state != .succeeded { pairs[index].state = .failed }
        }
    }

    /// Whether a check may leave: a relay must have agreed first.
    func isReady(_ pair: CandidatePair) -> Bool {
        switch pair.path {
        case .direct: true
        case .relay(let index): relays[index].isPermitted(pair.remote.address.address)
        }
    }

    /// Whether what comes from there may be handed on: a check of either direction proved that the peer is there.
    func admits(_ source: SocketAddress, by path: ICEPath) -> Bool {
        if let route, route.path == path, route.address == source { return true }
        return pairs.contains { $0.path == path && $0.remote.address == source && ($0.isUsable || $0.isHeard) }
    }
}
