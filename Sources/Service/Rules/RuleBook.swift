import History
import Realtime
import Reporting

/// The rules of accounts as they are in force: the configuration's, and what requests have changed of them. Changes are kept in the
/// database of the history, where there is one. Any thread may call any function.
package final class RuleBook: Sendable {
    private struct State {
        /// By account.
        var changes: [String: RuleChanges] = [:]
        /// What was kept before is among them.
        var isLoaded = false
        /// Changed before that.
        var touched: Set<String> = []
    }

    private let state = Lock(State())
    private let history: CallHistory?
    private let base: @Sendable (String?) -> AccountRules
    private let ends: @Sendable () -> AudioEnds
    private let unreached: @Sendable (String, String) -> String?
    private static let prefix = "rules."

    /// - Parameters:
    ///   - history: keeps the changes; `nil`: they go with the process.
    ///   - unreached: why an account may not have somebody called; `nil`: it may.
    ///   - base: the configuration's rules.
    init(
        _ history: CallHistory?, ends: @escaping @Sendable () -> AudioEnds,
        unreached: @escaping @Sendable (_ account: String, _ target: String) -> String?,
        base: @escaping @Sendable (String?) -> AccountRules
    ) {
        (self.history, self.base, self.ends, self.unreached) = (history, base, ends, unreached)
    }

    func rules(of account: String?) -> AccountRules {
        let base = base(account)
        guard let account, let changes = current[account] else { return base }
        return changes.applied(to: base, ends: ends())
    }

    func json(of account: String) -> JSONValue {
        rules(of: account).json(current[account] ?? RuleChanges())
    }

    /// Has the rules of an account be the configuration's with these changes from now on; none: they are the configuration's.
    func change(_ account: String, to changes: RuleChanges, takesMessages: Bool) throws(Problem) {
        try changes.check(on: base(account), ends: ends(), takesMessages: takesMessages)
        if let target = changes.forwardTo, let reason = unreached(account, target) { throw .badField("forward_to", reason) }
        let isNone = changes == RuleChanges()
        state.withLock { state in
            state.changes[account] = isNone ? nil : changes
            if !state.isLoaded { state.touched.insert(account) }
            // Under the lock: of two changes at once the same one is the last here and there.
            history?.keep(isNone ? nil : JSONValue.object(changes.members).text, as: Self.prefix + account)
        }
    }

    /// Accounts, with the fields that requests have changed and of which a configuration that was read says something else than before.
    func conflicts(_ old: [String: AccountRules], _ new: [String: AccountRules]) -> [String] {
        current.sorted { $0.key < $1.key }.flatMap { account, changes -> [String] in
            guard let old = old[account], let new = new[account] else { return [] }
            return changes.conflicts(old, new).map { "\(account).\($0)" }
        }
    }

    private var current: [String: RuleChanges] {
        state.withLock { state in
            if !state.isLoaded, let kept = history?.kept {
                for (name, text) in kept where name.hasPrefix(Self.prefix) {
                    let account = String(name.dropFirst(Self.prefix.count))
                    guard !state.touched.contains(account), let changes = RuleChanges(kept: text) else { continue }
                    state.changes[account] = changes
                }
                state.isLoaded = true
            }
            return state.changes
        }
    }
}

/// The routes of rules.
enum RuleRoutes {
    static let all: [Route<ServiceCore>] = [
        Route("GET", "/v1/accounts/{id}/rules") { (service, request) throws(Problem) in
            .json(service.ruleBook.json(of: try AccountRoutes.account(service, request).name))
        },
        Route("PUT", "/v1/accounts/{id}/rules") { (service, request) throws(Problem) in
            try change(service, request, RuleChanges(BodyFields(request, known: RuleChanges.fields)))
        },
        Route("DELETE", "/v1/accounts/{id}/rules") { (service, request) throws(Problem) in
            try change(service, request, RuleChanges())
        },
    ]

    private static func change(
        _ service: ServiceCore, _ request: APIRequest, _ changes: RuleChanges
    ) throws(Problem) -> APIResponse {
        let name = try AccountRoutes.account(service, request).name
        try service.ruleBook.change(name, to: changes, takesMessages: service.recordings != nil)
        let rules = service.ruleBook.json(of: name)
        service.spool.publish(
            type: "rules_changed",
            [
                JSONMember("type", .string("rules_changed")), JSONMember("time", .string(Timestamp.now().text)),
                JSONMember("account", .string(name)), JSONMember("rules", rules),
            ].object)
        return .json(rules)
    }
}
