import Reporting
import Settings
import Softphone

/// What came of reading the configuration again.
package struct Reload: Sendable, Equatable {
    package var added: [String] = []
    package var changed: [String] = []
    /// Those of the changed ones that are registered anew; the others have another audio end only.
    package var renewed: [String] = []
    package var removed: [String] = []
    /// Keys whose new values are in force for what begins from now on.
    package var applied: [String] = []
    /// Keys whose new values count from the next start on.
    package var atRestart: [String] = []
    /// Rules that requests have changed, as ACCOUNT.FIELD, and of which the configuration says something else than before. The change stays.
    package var conflicts: [String] = []

    package init() {}

    /// Keys that are looked at whenever they are needed.
    private static let live: Set<String> = [
        "softphone_token_file", "softphone_operate_token_file", "softphone_read_token_file", "softphone_drain_seconds",
        "softphone_turn_secret_file",
        "softphone_device", "softphone_folder", "softphone_programs",
        "softphone_program_patience_seconds", "softphone_program_announcement", "softphone_calls",
        "softphone_calls_per_minute", "softphone_bundles", "softphone_bundle_calls", "softphone_bundle_megabytes",
    ]

    /// - Parameters:
    ///   - old: in force.
    ///   - new: as it was read.
    init(from old: ServiceSettings, to new: ServiceSettings) {
        let former = Dictionary(old.accounts.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for account in new.accounts {
            guard let was = former[account.name] else {
                added.append(account.name)
                continue
            }
            if was != account { renewed.append(account.name) }
            if was != account || old.audioOfAccount[account.name] != new.audioOfAccount[account.name] {
                changed.append(account.name)
            }
        }
        removed = old.accounts.map(\.name).filter { name in !new.accounts.contains { $0.name == name } }
        let values = Dictionary(
            old.configuration.entries.map { ($0.key.name, $0.value.text) }, uniquingKeysWith: { first, _ in first })
        for entry in new.configuration.entries where values[entry.key.name] != .some(entry.value.text) {
            if Self.live.contains(entry.key.name) { applied.append(entry.key.name) } else { atRestart.append(entry.key.name) }
        }
        // Of accounts that are there before and after; those that come or go are told as such.
        let rules = new.rulesOfAccount.contains { name, rules in former[name] != nil && old.rulesOfAccount[name] != rules }
        if rules { applied.append("rules") }
        if old.webhooks != new.webhooks { applied.append("webhooks") }
        // A secret may change though its file's name does not.
        if old.tokens != new.tokens, !applied.contains(where: { $0.hasSuffix("token_file") }) { applied.append("tokens") }
        if let was = old.relays?.secrets, let secrets = new.relays?.secrets, was != secrets,
            !applied.contains("softphone_turn_secret_file")
        {
            applied.append("turn_secret")
        }
    }

    package var members: [JSONMember] {
        func list(_ names: [String]) -> JSONValue { .array(names.map { .string($0) }) }
        return [
            JSONMember("accounts_added", list(added)), JSONMember("accounts_changed", list(changed)),
            JSONMember("accounts_removed", list(removed)), JSONMember("applied", list(applied)),
            JSONMember("needs_restart", list(atRestart)), JSONMember("conflicts", list(conflicts)),
        ]
    }
}

extension Problem {
    /// The configuration that was read is not taken.
    static func badConfiguration(_ reason: String) -> Problem {
        Problem(422, "the configuration has an error, and the old one stays", reason, at: "configuration")
    }
}
