import Realtime
import SIP
import SignallingTransport

/// Changes of network: another address, another route, none at all.
extension SIPSignalling {
    /// Accounts whose registrar is reached from another address now than when they were registered can no longer be called: they
    /// register anew. So do those that wait for a network, at once.
    func routesChanged(now: HostTime) {
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
