import Link
import Realtime

/// A STUN server, asked again later so that a NAT keeps the binding.
struct ServerProbe {
    var client: STUNBindingClient
    /// When the binding is renewed; nil while a request is under way.
    var renewal: HostTime?
}

extension ICEAgent {
    /// Milliseconds between datagrams that keep a NAT's binding (RFC 8445 section 11).
    static let keepAliveMilliseconds = 15_000.0
    /// How long servers are waited for at least, where another one of their kind has answered.
    private static let patienceMilliseconds = 50.0

    /// Finds candidates: host ones at once, the others as the servers answer. Called again after a change of addresses it begins
    /// anew; then `restart` first.
    ///
    /// - Parameters:
    ///   - addresses: of this machine, the best of each family first. Loopback counts only when there is nothing else.
    ///   - port: of the one socket, which hears on all of them.
    public func gather(_ addresses: [IPAddress], port: UInt16, now: HostTime) {
        guard !isClosed else { return }
        let useful = addresses.filter { !$0.isNowhere && !$0.isLinkLocal }
        let others = useful.filter { !$0.isLoopback }
        let usesLoopback = configuration.usesLoopback || others.isEmpty
        let chosen = others + (usesLoopback ? useful.filter(\.isLoopback) : [])
        let formerBases = bases
        hosts = Self.interleaved(chosen).prefix(ICEConfiguration.maximumHosts).map { SocketAddress($0, port: port) }
        localCandidates.removeAll()
        foundations.removeAll()
        isGatheringDone = false
        gatheringBegan = now
        gatheringDeadline = now.advanced(
            byMilliseconds: awaitsRestart(now: now) ? Self.restartMilliseconds : configuration.gatheringLimit)
        for (index, host) in hosts.enumerated() {
            addLocal(
                Candidate(
                    foundation: foundation("host \(host.address)"),
                    priority: CandidatePriority.of(.host, localPreference: hostPreference(index)), address: host, kind: .host))
        }
        startProbes(now: now)
        startRelays(isAtSamePlace: bases == formerBases, now: now)
        considerGatheringDone(now: now)
        pairAll(now: now)
    }

    /// IPv6 and IPv4 in turn, so that a family which does not work delays the other by one check only (RFC 8421 section 4).
    private static func interleaved(_ addresses: [IPAddress]) -> [IPAddress] {
        let six = addresses.filter { $0.family == .v6 }
        let four = addresses.filter { $0.family == .v4 }
        return (0..<max(six.count, four.count)).flatMap { six.dropFirst($0).prefix(1) + four.dropFirst($0).prefix(1) }
    }

    /// Where packets of each family leave from.
    var bases: [IPAddress.Family: SocketAddress] {
        Dictionary(hosts.map { ($0.address.family, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private func startProbes(now: HostTime) {
        let servers = configuration.relayOnly ? [] : configuration.stunServers.filter { bases[$0.address.family] != nil }
        probes = servers.prefix(ICEConfiguration.maximumServers).map {
            ServerProbe(client: STUNBindingClient($0, random, timeout: configuration.retransmissionTimeout))
        }
        for index in probes.indices {
            probes[index].client.request(now: now)
            flush(probe: index)
        }
    }

    /// The number of a kind, base and server (RFC 8445 section 5.1.1.3).
    func foundation(_ what: String) -> String {
        if let index = foundations.firstIndex(of: what) { return "\(index + 1)" }
        foundations.append(what)
        return "\(foundations.count)"
    }

    func addLocal(_ candidate: Candidate) {
        // The same address a second time says nothing new.
        guard !localCandidates.contains(where: { $0.address == candidate.address }),
            localCandidates.count < ICEConfiguration.maximumLocalCandidates
        else { return }
        localCandidates.append(candidate)
        if candidate.kind == .relayed || !configuration.relayOnly { tell(.candidate(candidate)) }
    }

    func addReflexive(_ address: SocketAddress, server: SocketAddress) {
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
        for index in probes.indices {
            guard let outcome = probes[index].client.receive(message, from: source) else { continue }
            took(outcome, of: index, now: now)
            return true
        }
        return false
    }

    private func took(_ outcome: STUNBindingClient.Outcome, of index: Int, now: HostTime) {
        let client = probes[index].client
        switch outcome {
        case .mapped(let address, _):
            probes[index].renewal = now.advanced(byMilliseconds: Self.keepAliveMilliseconds)
            addReflexive(address, server: client.server)
        case .failed(let reason):
            // One that answered once may do so again.
            if client.mapped != nil {
                probes[index].renewal = now.advanced(byMilliseconds: Self.keepAliveMilliseconds)
            } else {
                tell(.serverFailed(ServerID(client.server), reason))
            }
        }
        considerGatheringDone(now: now)
    }

    func advanceProbes(to now: HostTime) {
        for index in probes.indices {
            if let outcome = probes[index].client.advance(to: now) { took(outcome, of: index, now: now) }
            // While it rings the peer may know our address and send to it. Later the checks of pairs keep the binding.
            if let renewal = probes[index].renewal, now >= renewal {
                probes[index].renewal = nil
                if selected == nil { probes[index].client.request(now: now) }
            }
            flush(probe: index)
        }
        if let deadline = gatheringDeadline, now >= deadline { finishGathering() }
    }

    private func flush(probe index: Int) {
        let server = probes[index].client.server
        for bytes in probes[index].client.takeOutputs() { outputs.append(.send(bytes, to: server)) }
    }

    /// Servers that were asked and have not answered.
    public var silentServers: Set<ServerID> {
        Set(probes.filter { $0.client.mapped == nil && $0.client.isAsking }.map { ServerID($0.client.server) })
            .union(relays.filter { $0.phase == .allocating || $0.isBeingConfirmed }.map(\.server.id))
    }

    /// Servers that gave what they were asked for.
    public var answeringServers: Set<ServerID> {
        Set(probes.filter { $0.client.mapped != nil }.map { ServerID($0.client.server) })
            .union(relays.filter(\.isUseful).map(\.server.id))
    }

    func considerGatheringDone(now: HostTime) {
        guard !isGatheringDone else { return }
        // Without a relay there would be nothing to tell at all.
        let unawaited = configuration.relayOnly ? [] : configuration.unawaitedServers
        guard !silentServers.isSubset(of: unawaited) else { return finishGathering() }
        // One of each kind will do: who takes three times as long as it did is not waited for.
        guard let began = gatheringBegan, let deadline = gatheringDeadline,
            localCandidates.contains(where: { $0.kind == .serverReflexive || $0.kind == .relayed }),
            relays.isEmpty || relays.contains(where: \.isUseful)
        else { return }
        let patience = max(Self.patienceMilliseconds, 3 * now.milliseconds(since: began))
        gatheringDeadline = min(deadline, began.advanced(byMilliseconds: patience))
    }

    private func finishGathering() {
        gatheringDeadline = nil
        guard !isGatheringDone else { return }
        isGatheringDone = true
        tell(.gatheringDone)
    }
}
