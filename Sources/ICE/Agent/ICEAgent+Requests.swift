import Link
import Realtime

extension ICEAgent {
    /// Checks kept until the peer's credentials are known.
    private static let maximumEarlyChecks = 16

    /// Answers a check and does what it asks for (RFC 8445 section 7.3). What is not from the peer gets no answer: who knows
    /// neither user fragment nor password learns nothing.
    func takeRequest(_ message: STUNMessage, from source: SocketAddress, by path: ICEPath, now: HostTime) {
        guard message.method == .binding, let name = message.text(.username) else {
            counters.malformed += 1
            return
        }
        let mine = name.prefix { $0 != ":" }
        let generation = [current, previous].compactMap { $0 }.first { $0.local.userFragment == mine }
        guard let generation else {
            counters.unknownUser += 1
            return
        }
        guard message.verify(generation.local.key) == .valid else {
            counters.forged += 1
            return
        }
        counters.checksReceived += 1
        let unknown = message.unknownAttributes
        guard unknown.isEmpty else {
            var list: [UInt8] = []
            for type in unknown { list += [UInt8(type.rawValue >> 8), UInt8(truncatingIfNeeded: type.rawValue)] }
            return refuse(message, 420, "Unknown Attribute", unknown: list, generation, source, path)
        }
        guard let priority = message.unsigned32(.priority) else {
            return refuse(message, 400, "Bad Request", generation, source, path)
        }
        guard generation.number != current.number || settleRoles(message) else {
            return refuse(message, 487, "Role Conflict", generation, source, path)
        }
        var builder = STUNBuilder(.success, .binding, message.transaction)
        builder.add(.xorMappedAddress, source)
        transmit(builder.finished(generation.local.key, fingerprint: true), by: path, to: source)
        guard generation.number == current.number else { return }
        let check = EarlyCheck(
            source: source, path: path, priority: priority, nominates: message.has(.useCandidate),
            transaction: message.transaction, isOriginal: seen.isOriginal(message.transaction, from: source))
        guard current.remote != nil else {
            if early.count < Self.maximumEarlyChecks, !early.contains(check) { early.append(check) }
            return
        }
        heard(check, now: now)
    }

    private func refuse(
        _ message: STUNMessage, _ code: Int, _ reason: String, unknown: [UInt8] = [], _ generation: Generation,
        _ source: SocketAddress, _ path: ICEPath
    ) {
        var builder = STUNBuilder(.error, .binding, message.transaction)
        builder.add(errorCode: code, reason)
        if !unknown.isEmpty { builder.add(.unknownAttributes, unknown) }
        transmit(builder.finished(generation.local.key, fingerprint: true), by: path, to: source)
    }

    /// RFC 8445 section 7.3.1.1: the greater tie breaker controls.
    /// - Returns: false when the peer has to change its role.
    private func settleRoles(_ message: STUNMessage) -> Bool {
        let theirs = message.unsigned64(role == .controlling ? .iceControlling : .iceControlled)
        guard let theirs else { return true }
        counters.roleConflicts += 1
        let weControl = tieBreaker >= theirs
        guard weControl == (role == .controlling) else {
            changeRole()
            return true
        }
        return false
    }

    /// What follows from an authenticated check: a candidate is learnt, our own check leaves at once, a nomination is followed.
    func heard(_ check: EarlyCheck, now: HostTime) {
        if milestones.firstCheckHeard == nil { milestones.firstCheckHeard = began.map { now.milliseconds(since: $0) } }
        guard let index = pairIndex(check), pairs[index].generation == current.number, !pairs[index].isConsentLost else {
            return
        }
        pairs[index].isHeard = true
        if check.nominates, role == .controlled { nominated(index, check.transaction, now: now) }
        // A check is answered by a check at once: ours before may have died at a NAT that was still shut.
        if pairs[index].state != .succeeded || pairs[index].unanswered >= 2 { self.check(index, .connectivity, now: now) }
        reselect(now: now)
    }

    private func pairIndex(_ check: EarlyCheck) -> Int? {
        if let index = pairIndex(check.path, check.source, generation: current.number) { return index }
        guard let base = base(check.path, check.source.address.family) else { return nil }
        let known = remoteCandidates.first { $0.address == check.source }
        let candidate =
            known
            ?? Candidate(
                foundation: "prflx\(remoteCandidates.count)", priority: check.priority, address: check.source,
                kind: .peerReflexive)
        if known == nil {
            guard check.isOriginal else {
                counters.replayed += 1
                return nil
            }
            guard remoteCandidates.count < ICEConfiguration.maximumRemoteCandidates else {
                counters.refusedCandidates[.tooMany, default: 0] += 1
                return nil
            }
            remoteCandidates.append(candidate)
        }
        return addPair(check.path, base, candidate)
    }
}
