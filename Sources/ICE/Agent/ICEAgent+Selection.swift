import Link
import Realtime

extension ICEAgent {
    /// How long a better nominated pair must have been left alone before a worse one is followed.
    private static let patienceMilliseconds = 2000.0

    /// The peer controls and asks for this pair.
    func nominated(_ index: Int, _ transaction: TransactionID, now: HostTime) {
        guard pairs[index].lastNomination != transaction else { return }
        pairs[index].lastNomination = transaction
        if pairs[index].isUsable {
            follow(index, now: now)
        } else {
            pairs[index].awaitsNomination = true
        }
    }

    /// Moves to a pair that the peer nominated. One that nominates every pair (aggressive nomination of RFC 5245) means the
    /// best; one that changes its mind repeats the new pair and leaves the old one alone.
    func follow(_ index: Int, now: HostTime) {
        pairs[index].lastNominated = now
        pairs[index].repeatedNominations += 1
        if let old = pairIndex(nominatedPair), old != index, pairs[old].isUsable, !pairs[old].isDoubtful,
            pairs[old].generation == current.number, pairs[old].priority(role) > pairs[index].priority(role)
        {
            let isLeftAlone = now.milliseconds(since: pairs[old].lastNominated) >= Self.patienceMilliseconds
            guard isLeftAlone, pairs[index].repeatedNominations >= 2 else { return }
        }
        nominatedPair = pairs[index].id
        for other in pairs.indices where other != index { pairs[other].repeatedNominations = 0 }
        reselect(now: now)
    }

    /// Chooses the pair for media: one that answers before one in doubt, a new generation before the old, the nominated one before
    /// others, then the best.
    func reselect(now: HostTime) {
        let best = pairs.indices.filter { pairs[$0].isUsable }.max { rank(pairs[$0]) < rank(pairs[$1]) }
        select(best, now: now)
        considerNomination(now: now)
    }

    private func rank(_ pair: CandidatePair) -> (Int, Int, Int, UInt64) {
        (pair.isDoubtful ? 0 : 1, pair.generation, pair.id == nominatedPair ? 1 : 0, pair.priority(role))
    }

    private func select(_ index: Int?, now: HostTime) {
        guard let index else {
            selectedPair = nil
            selected = nil
            route = nil
            return
        }
        let pair = pairs[index]
        let isNominated = pair.id == nominatedPair && pair.generation == current.number
        let isNew =
            selectedPair != pair.id || selected?.isNominated != isNominated
            || selected?.local.address != pair.local.address || selected?.local.kind != pair.local.kind
            || selected?.remote.kind != pair.remote.kind
        selectedPair = pair.id
        selected = SelectedPair(local: pair.local, remote: pair.remote, isNominated: isNominated, roundTrip: pair.roundTrip)
        route = (pair.path, pair.remote.address)
        guard isNew else { return }
        if pair.generation == current.number, let began {
            let passed = now.milliseconds(since: began)
            if milestones.firstPair == nil { milestones.firstPair = passed }
            if isNominated, milestones.nominated == nil { milestones.nominated = passed }
        }
        if case .relay(let relay) = pair.path {
            relays[relay].bindChannel(to: pair.remote.address, now: now)
            flush(relay)
        }
        scheduleConsent(index, now: now)
        connectDeadline = nil
        if let selected { tell(.selected(selected)) }
    }

    /// Pairs of before a restart have done their duty once a new one is nominated. Apart from `select`, whose callers hold indices
    /// of pairs.
    func forgetPrevious() {
        guard previous != nil, selected?.isNominated == true else { return }
        let old = Set(pairs.filter { $0.generation != current.number }.map(\.id))
        pairs.removeAll { old.contains($0.id) }
        checks.removeAll { old.contains($0.pair) }
        previous = nil
    }

    /// Regular nomination (RFC 8445 section 8.1.1): the best pair, once nothing better is likely to come.
    func considerNomination(now: HostTime) {
        nominationDue = nil
        guard role == .controlling, current.remote != nil, let best = bestCandidatePair() else {
            bestPair = nil
            return
        }
        let pair = pairs[best]
        if let chosen = pairIndex(nominatedPair), pairs[chosen].generation == current.number, pairs[chosen].isUsable,
            !pairs[chosen].isDoubtful
        {
            // Afterwards only a cheaper kind is worth a change.
            guard pair.kind < pairs[chosen].kind else {
                bestPair = nil
                return
            }
        }
        if bestPair?.id != pair.id { bestPair = (pair.id, now) }
        guard !checks.contains(where: { $0.pair == pair.id && $0.purpose == .nomination && $0.retransmission != nil }) else {
            return
        }
        let due = nominationTime(best)
        guard due <= now else {
            nominationDue = due
            return
        }
        check(best, .nomination, now: now)
    }

    private func bestCandidatePair() -> Int? {
        pairs.indices.filter { pairs[$0].isUsable && !pairs[$0].isDoubtful && pairs[$0].generation == current.number }
            .max { pairs[$0].priority(role) < pairs[$1].priority(role) }
    }

    /// A pair within one network is as good as it gets; for others better ones are given the time that they need: two round trips,
    /// twice that before a relay is taken.
    private func nominationTime(_ index: Int) -> HostTime {
        let pair = pairs[index]
        let since = bestPair?.since ?? .zero
        let isBetterPossible = pairs.contains {
            ($0.state == .waiting || $0.state == .inProgress) && $0.generation == current.number
                && $0.priority(role) > pair.priority(role)
        }
        guard pair.kind != .host, isBetterPossible || pair.kind == .relayed && !areRemoteCandidatesComplete else {
            return since
        }
        let factor = pair.kind == .relayed ? 4.0 : 2.0
        return since.advanced(byMilliseconds: min(50 + factor * (pair.roundTrip ?? 100), configuration.nominationLimit))
    }

    /// Tells when nothing has worked for long. That all pairs have failed says little before: the peer may hide its addresses and send
    /// checks any moment (RFC 8863).
    func considerFailure(now: HostTime) {
        guard let deadline = connectDeadline, now >= deadline else { return }
        connectDeadline = nil
        // After a restart that came to nothing the old pair goes on.
        guard selected == nil else { return }
        tell(.failed(pairs.isEmpty ? .noCandidates : .noAnswer))
    }
}
