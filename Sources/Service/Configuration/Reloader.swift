import Realtime
import Reporting
import Settings
import Signalling
import Softphone

/// Reads the configuration again, by signal and by request, one at a time. A configuration with an error changes nothing: whatever can
/// fail is done before anything is in force.
package final class Reloader: Sendable {
    private let settings: LiveSettings
    private let changeAccounts: @Sendable ([AccountSettings]) throws(SoftphoneError) -> Void
    private let core: ServiceCore
    private let gate: Gate
    /// The service's own, where it was given none.
    private let ownToken: String?
    /// One after the other.
    private let turn = Lock(())

    /// - Parameters:
    ///   - settings: in force, and where the new ones are read.
    ///   - core: has the new ones in force.
    ///   - gate: has the new tokens.
    ///   - ownToken: the service's own, where it was given none.
    ///   - changeAccounts: has the telephone take other accounts, all of them or none.
    package init(
        _ settings: LiveSettings, core: ServiceCore, gate: Gate, ownToken: String?,
        changeAccounts: @escaping @Sendable ([AccountSettings]) throws(SoftphoneError) -> Void
    ) {
        (self.settings, self.core, self.changeAccounts) = (settings, core, changeAccounts)
        (self.gate, self.ownToken) = (gate, ownToken)
    }

    /// - Throws: what is wrong with the configuration, with its key.
    package func reload() throws(Problem) -> Reload {
        // Accounts that have been taken back are not to be registered again.
        guard !core.calls.isDraining else { throw .draining(seconds: 1) }
        do throws(SoftphoneError) {
            let reload = try turn.withLock { _ throws(SoftphoneError) in try take() }
            core.spool.publish(type: "reloaded", event("reloaded", reload.members))
            let names = reload.atRestart.joined(separator: ", ")
            logger.notice(
                "the configuration was read again\(names.isEmpty ? "" : "; these count from the next start on: \(names)")")
            return reload
        } catch {
            // Whoever may only look is told too, and webhooks are.
            let problem = Problem.badConfiguration(error.description.maskingPasswords)
            logger.error("\(problem.title): \(problem.detail)")
            core.spool.publish(type: "reload_failed", event("reload_failed", [JSONMember("reason", .string(problem.detail))]))
            throw problem
        }
    }

    private func event(_ type: String, _ members: [JSONMember]) -> JSONValue {
        let accounts = JSONMember("accounts", .array(core.accounts.all.map(\.json)))
        return .object(
            [JSONMember("type", .string(type)), JSONMember("time", .string(Timestamp.now().text))] + members + [accounts])
    }

    private func take() throws(SoftphoneError) -> Reload {
        let old = settings.now
        guard let source = old.source else { throw .request("the service was started without a configuration to read again") }
        var new = try source.read()
        guard old.address.isLoopback || new.tokens[.admin] != nil else {
            throw .request("without a token the service is on loopback only; set softphone.token_file")
        }
        // What it is bound to and what its telephone offers stays as it began.
        (new.address, new.port, new.certificate) = (old.address, old.port, old.certificate)
        (new.codecs, new.media, new.history, new.retention) = (old.codecs, old.media, old.history, old.retention)
        (new.webhookSpool, new.webhookBytes, new.access) = (old.webhookSpool, old.webhookBytes, old.access)
        if core.recordings == nil,
            let account = new.accounts.first(where: { new.rulesOfAccount[$0.name]?.unanswered == .message })
        {
            throw .request(
                "accounts.\(account.name) takes messages, and their folder counts from the next start on; start the service "
                    + "anew with softphone.recordings")
        }
        var reload = Reload(from: old, to: new)
        new.keep(reload.atRestart, of: old)
        let webhooks = try core.webhooks.prepare(new.webhooks)
        try changeAccounts(new.accounts)
        // From here on nothing fails.
        core.webhooks.take(webhooks)
        reload.conflicts = core.ruleBook.conflicts(old.rulesOfAccount, new.rulesOfAccount)
        settings.set(new)
        core.accounts.change(new.accounts.map { ($0.name, $0.uri) }, renewed: reload.renewed)
        core.calls.limit(capacity: new.callsAllowed, drainSeconds: new.drainSeconds)
        gate.change(new.tokens(orOwn: ownToken))
        return reload
    }
}

extension ServiceSettings {
    /// The tokens of the files, and the service's own for everything where no file has one.
    func tokens(orOwn token: String?) -> [Role: String] {
        var all = tokens
        if all[.admin] == nil { all[.admin] = token }
        return all
    }
}
