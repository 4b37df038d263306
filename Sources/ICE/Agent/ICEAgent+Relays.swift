import Link
import Realtime

/// Allocations at TURN servers: asked for, kept, lost.
extension ICEAgent {
    /// An allocation belongs to the address that it was asked for from. Where that is the same as before, it lives on, and with it a call
    /// that goes by it, if the server has it yet; unless one was lost: then the others may be as dead.
    func startRelays(isAtSamePlace: Bool, now: HostTime) {
        let servers = Array(
            configuration.turnServers.filter { bases[$0.address.address.family] != nil }.prefix(ICEConfiguration.maximumServers)
        )
        let keeps = isAtSamePlace && relayLost == nil && servers == askedRelays
        let reconnectionLimit = awaitsRestart(now: now) ? now.advanced(byMilliseconds: Self.restartMilliseconds) : nil
        relayLost = nil
        askedRelays = servers
        if !keeps {
            for index in relays.indices { giveUpRelay(index, now: now) }
            relays = servers.map { TURNClient($0, random, timeout: configuration.retransmissionTimeout) }
            reselect(now: now)
        }
        for index in relays.indices {
            switch relays[index].phase {
            case .idle:
                relays[index].reconnectionLimit = reconnectionLimit
                relays[index].allocate(now: now)
            case .allocated: relays[index].confirm(now: now)
            case .allocating: break
            case .failed, .closed: replaceRelay(index, now: now)
            }
            flush(index)
        }
    }

    /// A connection tells the end of a server before it is started anew; by UDP that is learnt from the new one.
    func awaitsRestart(now: HostTime) -> Bool {
        guard let relayLost, now.milliseconds(since: relayLost) < Self.restartMilliseconds else { return false }
        return askedRelays.contains(where: \.transport.isStream)
    }

    /// How long a server that is started anew is waited for.
    static let restartMilliseconds = 10_000.0

    private func giveUpRelay(_ index: Int, now: HostTime) {
        dropPairs(by: .relay(index))
        relays[index].close(now: now)
        flush(index)
        // What came by it is nobody's now, and the next one may have its number.
        early.removeAll { $0.path == .relay(index) }
    }

    /// - Parameter reallocations: those of the client before, so that a server that loses each one is not asked for ever.
    private func replaceRelay(_ index: Int, reallocations: Int = 0, now: HostTime) {
        giveUpRelay(index, now: now)
        reselect(now: now)
        relays[index] = TURNClient(askedRelays[index], random, timeout: configuration.retransmissionTimeout)
        relays[index].reallocations = reallocations
        relays[index].allocate(now: now)
    }

    /// Carries out what a TURN client wants, and takes what it tells.
    func flush(_ index: Int) {
        if relays[index].wantsConnection { connect(index) }
        for bytes in relays[index].takeOutputs() { send(bytes, toServerOf: relays[index]) }
        if relays[index].phase == .failed || relays[index].phase == .closed { disconnect(index) }
    }

    func takeRelayEvents(_ index: Int, now: HostTime) {
        for event in relays[index].takeEvents() {
            switch event {
            case .allocated(let addresses, let mapped): allocated(index, addresses, mapped, now: now)
            case .permitted: nextCheck = min(nextCheck, now)
            case .refused(let address): failPairs(by: .relay(index), to: address)
            // Candidates are being looked for anyway.
            case .failed(.lost) where relays[index].isBeingConfirmed: replaceRelay(index, now: now)
            // Nothing was connected: a NAT that gave us another port is all that need be wrong.
            case .failed(.lost) where selected == nil:
                replaceRelay(index, reallocations: relays[index].reallocations, now: now)
            case .failed(let reason): relayFailed(index, reason, now: now)
            }
        }
        flush(index)
    }

    /// A relay is of no use any more. Where the call went by it and no other pair has answered since it fell silent, the others may be as
    /// dead: the peer's relay is often of the same server.
    private func relayFailed(_ index: Int, _ reason: ServerFailure, now: HostTime) {
        let lost = pairs.filter { $0.path == .relay(index) }
        let wasConnected = selected != nil
        let wasInUse = lost.contains { $0.id == selectedPair || $0.id == nominatedPair }
        if wasInUse { relayLost = now }
        tell(.serverFailed(relays[index].server.id, reason))
        dropPairs(by: .relay(index))
        considerGatheringDone(now: now)
        reselect(now: now)
        guard wasConnected else { return }
        guard let other = pairIndex(selectedPair) else { return tell(.failed(.relayLost)) }
        // By then the first check that went unanswered had left.
        let silence = lost.map(\.lastSuccess).max()?.advanced(byMilliseconds: 1.2 * configuration.consentInterval)
        guard wasInUse, let silence, pairs[other].lastSuccess < silence else { return }
        // Owners end a call whose relays are lost again and again, and another pair may work yet.
        if let lastRelayLoss, now.milliseconds(since: lastRelayLoss) < Self.relayLossMilliseconds { return }
        lastRelayLoss = now
        tell(.failed(.relayLost))
    }

    private static let relayLossMilliseconds = 120_000.0

    /// While it rings nothing but this keeps a NAT's binding towards servers by UDP, which know no allocation of another port.
    /// Later the checks of pairs keep it.
    func keepRelaysOpen(now: HostTime) {
        guard let relayKeepAlive, now >= relayKeepAlive else { return }
        self.relayKeepAlive = nil
        let kept = relays.filter { $0.phase == .allocated && !$0.server.transport.isStream }
        guard selected == nil, !kept.isEmpty else { return }
        self.relayKeepAlive = now.advanced(byMilliseconds: Self.keepAliveMilliseconds)
        for relay in kept {
            send(STUNBuilder(.indication, .binding, TransactionID(random)).finished(fingerprint: true), toServerOf: relay)
        }
    }

    private func allocated(_ index: Int, _ addresses: [SocketAddress], _ mapped: SocketAddress?, now: HostTime) {
        let server = relays[index].server.id
        if server.transport == .udp, relayKeepAlive == nil {
            relayKeepAlive = now.advanced(byMilliseconds: Self.keepAliveMilliseconds)
        }
        // By a connection it sees another port than the one that media leave from.
        if let mapped, server.transport == .udp { addReflexive(mapped, server: server.address) }
        for address in addresses {
            addLocal(
                Candidate(
                    foundation: foundation("relay \(address.address) \(server.address)"),
                    priority: CandidatePriority.of(.relayed, localPreference: relayPreference(index)),
                    address: address, kind: .relayed, related: configuration.relayOnly ? nil : mapped))
        }
        considerGatheringDone(now: now)
        pairAll(now: now)
        flush(index)
    }
}
