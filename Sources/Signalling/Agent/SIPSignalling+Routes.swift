import Realtime
import SIP
import SignallingTransport

/// Changes of network: another address, another route, none at all.
extension SIPSignalling {
    /// Accounts whose registrar is reached from another address now than when they were registered can no longer be called: they
    /// register anew. So do those that wait for a network, at once. Streams from addresses that are gone are closed, whoever is
    /// at their end; and then those we talk to are told where we are now.
    func routesChanged(now: HostTime) {
        routesLook = now
        registerElsewhere(now: now)
        transport.closeStranded()
        for id in calls.filter({ $0.value.wantedPorts != nil }).keys.sorted(by: { $0.number < $1.number }) { change(id) }
    }

    private func registerElsewhere(now: HostTime) {
        for name in registrations.sorted() {
            let account = AccountID(name)
            guard let known = localHosts[account], let server = agent.registrar(of: account) else {
                agent.retry(account, now: now)
                continue
            }
            let host = localHost(towardsServer: server)
            guard host != known else { continue }
            localHosts[account] = host
            // Without a way there is nothing to be done until there is one again.
            if !host.isEmpty { agent.addressChanged(of: account, now: now) }
        }
    }

    /// The address of ours that leads there; empty: none does.
    func localHost(towardsServer server: SignallingAddress) -> String {
        (try? SignallingAddress.local(towards: server))?.host ?? ""
    }
}
