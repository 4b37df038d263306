import Link
import Realtime

/// A Binding request to a STUN server, and later to the same one so that a NAT keeps the binding.
struct ServerProbe {
    let server: SocketAddress
    var transaction: TransactionID
    var bytes: [UInt8]
    var retransmission: Retransmission?
    /// When the binding is renewed; nil before the first answer, or once there is a pair.
    var renewal: HostTime?
    var isAnswered = false
}

extension ICEAgent {
    /// Milliseconds between datagrams that keep a NAT's binding (RFC 8445 section 11).
    static let keepAliveMilliseconds = 15_000.0

    /// Finds candidates: host ones at once, the others as the servers answer. Called again after a change of addresses it begins
    /// anew; then `restart` first.
    ///
    /// - `addresses`: of this machine, the best first. Loopback counts only when there is nothing else.
    /// - `port`: of the one socket, which hears on all of them.
    public func gather(_ addresses: [IPAddress], port: UInt16, now: HostTime) {
        guard !isClosed else { return }
        let useful = addresses.filter { !$0.isNowhere && !$0.isLinkLocal }
        let chosen = useful.contains { !$0.isLoopback } ? useful.filter { !$0.isLoopback } : useful
        hosts = chosen.prefix(ICEConfiguration.maximumHosts).map { SocketAddress($0, port: port) }
        localCandidates.removeAll()
        isGatheringDone = false
        gatheringDeadline = now.advanced(byMilliseconds: configuration.gatheringLimit)
        for (index, host) in hosts.enumerated() {
            let preference = UInt16.max - UInt16(index)
            addLocal(
                Candidate(
                    foundation: foundation("host \(host.address)"),
                    priority: CandidatePriority.of(.host, localPreference: preference), address: host, kind: .host))
        }
        let families = Set(hosts.map(\.address.family))
        startProbes(families, now: now)
        startRelays(families, now: now)
        considerGatheringDone(now: now)
        pairAll(now: now)
    }

    private func startProbes(_ families: Set<IPAddress.Family>, now: HostTime) {
        let servers = configuration.relayOnly ? [] : configuration.stunServers.filter { families.contains($0.address.family) }
        probes = servers.prefix(ICEConfiguration.maximumServers).map { server in
            let id = TransactionID(random)
            let bytes = STUNBuilder(.request, .binding, id).finished(fingerprint: true)
            outputs.append(.send(bytes, to: server))
            return ServerProbe(
                server: server, transaction: id, bytes: bytes,
                retransmission: Retransmission(timeout: configuration.retransmissionTimeout, now: now))
        }
    }

    private func startRelays(_ families: Set<IPAddress.Family>, now: HostTime) {
        // Allocations belong to the old address.
        for index in relays.indices {
            dropPairs(by: .relay(index))
            relays[index].close(now: now)
            flush(index)
        }
        let servers = configuration.turnServers.filter { families.contains($0.address.address.family) }
        relays = servers.prefix(ICEConfiguration.maximumServers).map {
            TURNClient($0, random, timeout: configuration.retransmissionTimeout)
        }
        for index in relays.indices {
            relays[index].allocate(now: now)
            flush(index)
        }
    }

    /// The number of a kind, base and server (RFC 8445 section 5.1.1.3).
    func foundation(_ what: String) -> String {
        if let index = foundations.firstIndex(of: what) { return "\(index + 1)" }
        foundations.append(what)
        return "\(foundations.count)"
    }

    private func addLocal(_ candidate: Candidate) {
        // The same address a second time says nothing new.
        guard !localCandidates.contains(where: { $0.address == candidate.address }) else { return }
        localCandidates.append(candidate)
        if candidate.kind == .relayed || !configuration.relayOnly { tell(.candidate(candidate)) }
    }

    private func addReflexive(_ address: SocketAddress, server: SocketAddress) {
        guard !configuration.relayOnly, !address.address.isNowhere, address.port != 0,
            let index = hosts.firstIndex(where: { $0.address.family == address.address.family })
        else { return }
        addLocal(
            Candidate(
                foundation: foundation("srflx \(hosts[index].address) \(server.address)"),
                priority: CandidatePriority.of(.serverReflexive, localPreference: UInt16.max - UInt16(index)),
                address: address, kind: .serverReflexive, related: hosts[index]))
    }

    /// Answer of a STUN server; false when it is none.
    func takeProbe(_ message: STUNMessage, from source: SocketAddress, now: HostTime) -> Bool {
        guard let index = probes.firstIndex(where: { $0.transaction == message.transaction && $0.server == source }),
            probes[index].retransmission != nil
        else { return false }
        probes[index].retransmission = nil
        let wasAnswered = probes[index].isAnswered
        guard message.messageClass == .success, let mapped = message.address(.xorMappedAddress) else {
            if !wasAnswered { tell(.serverFailed(source, message.errorCode.map { .refused($0) } ?? .nonsense)) }
            considerGatheringDone(now: now)
            return true
        }
        probes[index].isAnswered = true
        probes[index].renewal = now.advanced(byMilliseconds: Self.keepAliveMilliseconds)
        addReflexive(mapped, server: source)
        considerGatheringDone(now: now)
        return true
    }

    func advanceProbes(to now: HostTime) {
        for index in probes.indices {
            if var retransmission = probes[index].retransmission {
                switch retransmission.advance(to: now) {
                case .wait: break
                case .again:
                    probes[index].retransmission = retransmission
                    outputs.append(.send(probes[index].bytes, to: probes[index].server))
                case .giveUp:
                    probes[index].retransmission = nil
                    if !probes[index].isAnswered { tell(.serverFailed(probes[index].server, .noAnswer)) }
                    considerGatheringDone(now: now)
                }
            } else if let renewal = probes[index].renewal, now >= renewal {
                renewProbe(index, now: now)
            }
        }
        if let deadline = gatheringDeadline, now >= deadline { finishGathering() }
    }

    /// While it rings the other side may know our address and send to it.
    private func renewProbe(_ index: Int, now: HostTime) {
        probes[index].renewal = nil
        guard selected == nil else { return }
        let id = TransactionID(random)
        probes[index].transaction = id
        probes[index].bytes = STUNBuilder(.request, .binding, id).finished(fingerprint: true)
        probes[index].retransmission = Retransmission(timeout: configuration.retransmissionTimeout, now: now)
        outputs.append(.send(probes[index].bytes, to: probes[index].server))
    }

    func considerGatheringDone(now: HostTime) {
        guard !isGatheringDone, probes.allSatisfy({ $0.isAnswered || $0.retransmission == nil }),
            relays.allSatisfy({ $0.phase != .allocating })
        else { return }
        finishGathering()
    }

    private func finishGathering() {
        gatheringDeadline = nil
        guard !isGatheringDone else { return }
        isGatheringDone = true
        tell(.gatheringDone)
    }

    /// Carries out what a TURN client wants, and takes what it tells.
    func flush(_ index: Int) {
        for bytes in relays[index].takeOutputs() { outputs.append(.send(bytes, to: relays[index].server.address)) }
    }

    func takeRelayEvents(_ index: Int, now: HostTime) {
        for event in relays[index].takeEvents() {
            switch event {
            case .allocated(let addresses, let mapped): allocated(index, addresses, mapped, now: now)
            case .permitted: nextCheck = min(nextCheck, now)
            case .refused(let address): failPairs(by: .relay(index), to: address)
            case .failed(let reason):
                tell(.serverFailed(relays[index].server.address, reason))
                dropPairs(by: .relay(index))
                considerGatheringDone(now: now)
                reselect(now: now)
            }
        }
        flush(index)
    }

    private func allocated(_ index: Int, _ addresses: [SocketAddress], _ mapped: SocketAddress?, now: HostTime) {
        let server = relays[index].server.address
        if let mapped { addReflexive(mapped, server: server) }
        for address in addresses {
            addLocal(
                Candidate(
                    foundation: foundation("relay \(address.address) \(server.address)"),
                    priority: CandidatePriority.of(.relayed, localPreference: UInt16.max - UInt16(index)),
                    address: address, kind: .relayed, related: configuration.relayOnly ? nil : mapped))
        }
        considerGatheringDone(now: now)
        pairAll(now: now)
        flush(index)
    }
}
