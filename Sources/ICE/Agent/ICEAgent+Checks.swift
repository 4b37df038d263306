import Link
import Realtime

extension ICEAgent {
    /// Milliseconds for which an answer to a check that is not repeated is taken.
    private static let answerMilliseconds = 5000.0
    /// Checks under way for one pair; the oldest is forgotten first.
    private static let maximumChecks = 4
    /// Role conflicts that a pair is tried again after: two agents that give way at once agree after few of them.
    private static let maximumConflicts = 16

    /// Sends the next ordinary check if its time has come (RFC 8445 section 6.1.4.2). No pair is frozen: with one component and one
    /// stream there is nothing to wait for.
    func runChecks(now: HostTime) {
        guard current.remote != nil, now >= nextCheck, let index = nextWaiting() else { return }
        nextCheck = now.advanced(byMilliseconds: configuration.pacing)
        check(index, .connectivity, now: now)
    }

    func nextWaiting() -> Int? {
        pairs.indices.filter { pairs[$0].state == .waiting && pairs[$0].generation == current.number && isReady(pairs[$0]) }
            .max { pairs[$0].priority(role) < pairs[$1].priority(role) }
    }

    func check(_ index: Int, _ purpose: ConnectivityCheck.Purpose, now: HostTime) {
        let pair = pairs[index]
        let generation = pair.generation == current.number ? current : previous
        guard let generation, let remote = generation.remote else { return }
        let id = TransactionID(random)
        var builder = STUNBuilder(.request, .binding, id)
        builder.add(.username, text: "\(remote.userFragment):\(generation.local.userFragment)")
        builder.add(.priority, number: learntPriority(pair))
        builder.add(role == .controlling ? .iceControlling : .iceControlled, number: tieBreaker)
        // Consent checks of the chosen pair say so again: a peer that missed it, or chose otherwise, follows.
        if role == .controlling, purpose == .nomination || purpose == .consent && pair.id == nominatedPair {
            builder.add(.useCandidate, [])
        }
        let bytes = builder.finished(remote.key, fingerprint: true)
        for other in checks.indices where checks[other].pair == pair.id && purpose != .consent {
            checks[other].retransmission = nil
        }
        while checks.count(where: { $0.pair == pair.id }) >= Self.maximumChecks,
            let oldest = checks.firstIndex(where: { $0.pair == pair.id })
        {
            checks.remove(at: oldest)
        }
        let isRepeated = purpose != .consent
        // RFC 8445 section 14.3: with many checks under way each is repeated the later.
        let patience =
            purpose == .connectivity && pair.remote.kind == .relayed
            ? configuration.relayRetransmissionTimeout : configuration.retransmissionTimeout
        let timeout = max(patience, configuration.pacing * Double(unansweredPairs))
        checks.append(
            ConnectivityCheck(
                id: id, pair: pair.id, path: pair.path, destination: pair.remote.address, bytes: bytes, purpose: purpose,
                role: role, sent: now,
                retransmission: isRepeated ? Retransmission(timeout: timeout, .check, now: now) : nil,
                expiry: now.advanced(byMilliseconds: Self.answerMilliseconds)))
        if pair.state != .succeeded { pairs[index].state = .inProgress }
        counters.checksSent += 1
        transmit(bytes, by: pair.path, to: pair.remote.address)
    }

    /// Pairs whose checks wait or are under way.
    private var unansweredPairs: Int { pairs.count { $0.state == .waiting || $0.state == .inProgress } }

    /// What our candidate's priority would be if this check showed it to the peer (RFC 8445 section 7.1.1). A relayed one keeps
    /// its own: learnt early it must not look as cheap as a direct one. So does one that is shown in place of those that are gone.
    private func learntPriority(_ pair: CandidatePair) -> UInt32 {
        guard pair.path == .direct, moves == 0 else { return pair.localPriority }
        return CandidateKind.peerReflexive.preference << 24 | pair.localPriority & 0xff_ffff
    }

    func advanceChecks(to now: HostTime) {
        var ended: [Int] = []
        for index in checks.indices.reversed() {
            guard var retransmission = checks[index].retransmission else {
                if now >= checks[index].expiry { checks.remove(at: index) }
                continue
            }
            switch retransmission.advance(to: now) {
            case .wait: break
            case .again:
                checks[index].retransmission = retransmission
                checks[index].expiry = now.advanced(byMilliseconds: Self.answerMilliseconds)
                counters.checksSent += 1
                transmit(checks[index].bytes, by: checks[index].path, to: checks[index].destination)
            case .giveUp: ended.append(checks.remove(at: index).pair)
            }
        }
        for id in ended {
            guard let index = pairIndex(id) else { continue }
            if pairs[index].state == .succeeded {
                pairs[index].unanswered = max(pairs[index].unanswered, 3)
            } else {
                pairs[index].state = .failed
            }
        }
        if !ended.isEmpty { reselect(now: now) }
    }

    /// Takes the answer to one of our checks; false when it is none.
    func takeAnswer(_ message: STUNMessage, from source: SocketAddress, by path: ICEPath, now: HostTime) -> Bool {
        guard let number = checks.firstIndex(where: { $0.id == message.transaction }) else { return false }
        let check = checks[number]
        guard let index = pairIndex(check.pair),
            let key = (pairs[index].generation == current.number ? current : previous)?.remote?.key
        else { return false }
        guard message.verify(key) == .valid else {
            counters.forged += 1
            return true
        }
        checks.remove(at: number)
        guard message.messageClass == .success else {
            refused(check, index, message.errorCode ?? 500, now: now)
            return true
        }
        // RFC 8445 section 7.2.5.2.1.
        guard source == check.destination, path == check.path else {
            counters.asymmetricResponses += 1
            if pairs[index].state != .succeeded { pairs[index].state = .failed }
            return true
        }
        guard message.unknownAttributes.isEmpty, let mapped = message.address(.xorMappedAddress) else {
            counters.malformed += 1
            if pairs[index].state != .succeeded { pairs[index].state = .failed }
            return true
        }
        answered(check, index, mapped, now: now)
        return true
    }

    private func refused(_ check: ConnectivityCheck, _ index: Int, _ code: Int, now: HostTime) {
        guard code == 487 else {
            if pairs[index].state != .succeeded { pairs[index].state = .failed }
            return reselect(now: now)
        }
        counters.roleConflicts += 1
        // An answer to a check from before a change of role says nothing about the new one.
        if check.role == role, !isRemoteLite {
            changeRole()
            // RFC 8445 section 7.2.5.1: two agents that gave way at once must not do so for ever.
            tieBreaker = random.next()
        }
        guard pairs[index].state != .succeeded else { return }
        // At the pace of checks, and not for ever: a peer that finds a conflict in each of them would be asked as fast as it answers.
        pairs[index].conflicts += 1
        pairs[index].state = pairs[index].conflicts > Self.maximumConflicts ? .failed : .waiting
        reselect(now: now)
    }

    private func answered(_ check: ConnectivityCheck, _ index: Int, _ mapped: SocketAddress, now: HostTime) {
        pairs[index].state = .succeeded
        pairs[index].lastSuccess = now
        pairs[index].unanswered = 0
        if check.retransmission?.isFirst ?? true { pairs[index].roundTrip = now.milliseconds(since: check.sent) }
        pairs[index].local = ourCandidate(mapped, pairs[index])
        // Checks of the same pair that are still repeated have their answer; the nominating one goes on.
        for other in checks.indices where checks[other].pair == check.pair && checks[other].purpose == .connectivity {
            checks[other].retransmission = nil
        }
        // The pace of the pair in use is that of its requests.
        if check.purpose != .consent || check.pair != selectedPair { scheduleConsent(index, now: now) }
        if check.purpose == .nomination, role == .controlling, check.role == .controlling,
            pairs[index].generation == current.number
        {
            nominatedPair = check.pair
            pairs[index].lastNominated = now
        }
        if pairs[index].awaitsNomination, role == .controlled {
            pairs[index].awaitsNomination = false
            follow(index, now: now)
        }
        reselect(now: now)
    }

    /// The candidate that the peer sees: one of ours, or one that was unknown (RFC 8445 section 7.2.5.3.1).
    private func ourCandidate(_ mapped: SocketAddress, _ pair: CandidatePair) -> Candidate {
        guard pair.path == .direct else { return pair.local }
        let known = localCandidates.first { $0.address.address == mapped.address && $0.address.port == mapped.port }
        if let known, known.kind != .relayed { return known }
        return Candidate(
            foundation: "prflx", priority: learntPriority(pair), address: mapped, kind: .peerReflexive,
            related: base(.direct, mapped.address.family)?.address)
    }
}
