import Link
import Realtime

/// Other addresses of ours that the peer cannot be told of.
extension ICEAgent {
    /// Finds candidates anew under the same credentials, and shows the peer where we are by a check of each pair that leaves at once
    /// (RFC 8445 section 7.3.1.3). For whose signalling does not reach the peer; who can tell it restarts instead.
    ///
    /// These checks carry the priority that the host candidate would be told with, greater than that of all before
    /// (`ICEConfiguration.hostPreference`), and not that of a peer-reflexive one: a peer that controls goes over to it as soon as
    /// it works, and not when it has missed us for long.
    ///
    /// - Parameters:
    ///   - addresses: as `gather` takes them.
    ///   - port: as `gather` takes it.
    ///   - now: the time.
    public func move(to addresses: [IPAddress], port: UInt16, now: HostTime) {
        guard !isClosed else { return }
        moves += 1
        gather(addresses, port: port, now: now)
        for index in pairs.indices where pairs[index].path == .direct && pairs[index].generation == current.number {
            show(index, now: now)
        }
        reselect(now: now)
        if selected == nil, current.remote != nil {
            connectDeadline = now.advanced(byMilliseconds: configuration.connectLimit)
        }
        runChecks(now: now)
    }

    private func show(_ index: Int, now: HostTime) {
        guard !pairs[index].isConsentLost else { return }
        // Until it is answered from there: another pair that works is better.
        pairs[index].unanswered = max(pairs[index].unanswered, 3)
        guard let base = base(.direct, pairs[index].remote.address.address.family) else { return }
        pairs[index].localPriority = base.priority
        if pairs[index].isUsable {
            let isChosen = role == .controlling && pairs[index].id == nominatedPair
            check(index, isChosen ? .nomination : .connectivity, now: now)
        } else {
            pairs[index].local = base
            if pairs[index].state == .failed { pairs[index].state = .waiting }
        }
    }

    /// Of the host candidate with that number.
    func hostPreference(_ index: Int) -> UInt16 {
        UInt16(clamping: Int(configuration.hostPreference) + moves * ICEConfiguration.maximumHosts - index)
    }
}
