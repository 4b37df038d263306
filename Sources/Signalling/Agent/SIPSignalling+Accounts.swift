import Realtime
import SIP

/// Accounts that come, change and go while calls run, and what becomes of their registrations.
extension SIPSignalling {
    /// An account that is no longer wanted. Calls that came by it go on, and their requests still need its password.
    struct LeavingAccount {
        var settings: AccountSettings
        /// When its registration was taken back.
        var goneSince: HostTime?
    }

    /// Requests at the end of a call may be challenged for so long (RFC 3261 timer F, and some), in ms.
    private static let farewellMilliseconds = 40_000.0

    public nonisolated func change(accounts settings: [AccountSettings]) throws(AccountSettingsError) {
        let made = try Self.accounts(settings)
        perform { $0.take(settings, made) }
    }

    /// As the user agent takes them; each name once.
    static func accounts(_ settings: [AccountSettings]) throws(AccountSettingsError) -> [Account] {
        var made: [Account] = []
        for one in settings {
            let account = try one.account()
            guard !made.contains(where: { $0.id == account.id }) else { throw .twice(account: one.name) }
            made.append(account)
        }
        return made
    }

    /// The settings of an account, also of one that is leaving.
    func settings(of account: AccountID?) -> AccountSettings? {
        guard let name = account?.name else { return nil }
        return accounts.first { $0.name == name } ?? leaving[name]?.settings
    }

    private func take(_ settings: [AccountSettings], _ made: [Account]) {
        let former = accounts
        accounts = settings
        for old in former where !settings.contains(where: { $0.name == old.name }) {
            moving[old.name] = nil
            // Where nothing is to be taken back it is gone already.
            let isRegistered = registrations.contains(old.name)
            leaving[old.name] = LeavingAccount(settings: old, goneSince: isRegistered ? nil : .monotonicNow())
            takeBack(old.name)
        }
        for (new, account) in zip(settings, made) {
            let old = former.first { $0.name == new.name } ?? leaving[new.name]?.settings
            let wasLeaving = leaving.removeValue(forKey: new.name) != nil
            guard let old else {
                agent.add(account)
                enter(new.name)
                continue
            }
            guard old != new || wasLeaving else { continue }
            moving[new.name] = nil
            if new.isElsewhere(than: old), registrations.contains(new.name) {
                // Its old place is told first, with the old password.
                moving[new.name] = account
                takeBack(new.name)
            } else {
                try? agent.update(account)
                enter(new.name)
            }
        }
        sweep()
    }

    /// Registers an account, anew where it is.
    private func enter(_ name: String) {
        do throws(UserAgentError) {
            try agent.register(AccountID(name), now: .monotonicNow())
            registrations.insert(name)
        } catch {
            tell(.warning(nil, "\(error)"))
        }
    }

    /// It is registered, for the first time or again.
    func registered(_ account: AccountID, _ facts: Registered) {
        localHosts[account] = agent.registrar(of: account).map { localHost(towardsServer: $0) }
        tell(
            .registration(
                RegistrationChange(
                    account: account.name, state: .registered, reason: "", sipCode: 200, expires: facts.expires,
                    seenAddress: facts.seenAddress?.description)))
    }

    /// The registrar has refused it, or could not be reached.
    func registrationFailed(_ account: AccountID, _ facts: RegistrationFailure) {
        var kind: RegistrationChange.Failure =
            switch facts.kind {
            case .authentication: .authentication
            case .refused: .refused
            case .server: .server
            case .network: .network
            }
        var reason = facts.reason
        if facts.status == nil, let failure {
            reason += ": \(failure.text)"
            if failure.isCertificate { kind = .certificate }
        }
        tell(
            .registration(
                RegistrationChange(
                    account: account.name, state: .failed, failure: kind, reason: reason, sipCode: facts.status,
                    retryAfter: facts.retryAfter)))
    }

    /// A registration was taken back, or could not be in time.
    func unregistered(_ account: AccountID) {
        let name = account.name
        tell(.registration(RegistrationChange(account: name, state: .unregistered, reason: "")))
        if let next = moving.removeValue(forKey: name) {
            try? agent.update(next)
            enter(name)
        }
        if leaving[name] != nil { leaving[name]?.goneSince = .monotonicNow() }
        sweep()
    }

    /// Forgets accounts that are gone and that no call needs any more.
    func sweep() {
        let limit = HostTime.monotonicNow().advanced(byMilliseconds: -Self.farewellMilliseconds)
        for (name, account) in leaving {
            guard let goneSince = account.goneSince, goneSince <= limit,
                !calls.values.contains(where: { $0.account?.name == name })
            else { continue }
            leaving[name] = nil
            agent.remove(AccountID(name))
        }
    }
}

extension AccountSettings {
    /// Whether it is another registration, not the same one with other settings.
    fileprivate func isElsewhere(than other: AccountSettings) -> Bool {
        (uri, user, registrar, outboundProxy, transport) != (
            other.uri, other.user, other.registrar, other.outboundProxy, other.transport
        )
    }
}
