import ArgumentParser
import CommandOptions
import Settings
import Signalling
import Softphone
import Terminal

/// `yodel accounts`: who this program is at which registrar, and whether that works.
struct AccountsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts", abstract: "Show the accounts, and with --check whether each can register.",
        discussion: HelpText.discussion(
            """
            --check registers each account from a port of its own, tells each step, what failed and what to do, and takes the \
            registration back; other phones of the account stay registered.
            """,
            examples: [
                ("yodel accounts", "the accounts of the configuration"),
                ("yodel accounts --check", "each step of each registration"),
                ("yodel accounts --check office --json", "of one account, for programs"),
            ]))

    @Flag(help: "Register each account and tell each step.")
    var check = false

    @Argument(help: ArgumentHelp("Only these accounts (default: all).", valueName: "name"))
    var names: [String] = []

    @OptionGroup(title: TLSKeys.title) var tls: KeyArguments<SectionOptions<TLSKeys>>

    @Flag(help: "One JSON object a line.")
    var json = false

    @OptionGroup var general: GeneralArguments

    func run() throws {
        let signals = TerminationSignal()
        let configuration = try resolveConfiguration(flags: tls.given + general.log.given, general: general)
        signals.endInOrder()
        let known = configuration[\.accounts].compactMap(\.name)
        if known.isEmpty {
            throw CommandError(.usage, "there are no accounts; add one below accounts: in the configuration file")
        }
        var worst = ExitStatus.fine
        for name in names.isEmpty ? known : names {
            guard TerminationSignal.caught == nil else { break }
            let account: AccountSettings
            do throws(SoftphoneError) {
                account = try AccountSettings(named: name, in: configuration, environment: processEnvironment())
            } catch {
                throw CommandError(error)
            }
            show(account)
            guard check else { continue }
            do throws(SoftphoneError) {
                let result = try AccountCheck.run(
                    account, access: SignallingAccess(configuration), isInterrupted: { TerminationSignal.caught != nil })
                for step in result.steps { show(step, of: name) }
                if worst == .fine { worst = ExitStatus(result.outcome) }
            } catch {
                throw CommandError(error)
            }
        }
        if let number = TerminationSignal.caught { throw ExitStatus(signal: number) }
        if worst != .fine { throw worst }
    }

    private func show(_ account: AccountSettings) {
        if !json { Output.standard.line(account.text) } else if !check { Output.standard.line(account.json.text) }
    }

    private func show(_ step: AccountCheck.Step, of account: String) {
        Output.standard.line(json ? step.json(of: account).text : step.text)
    }
}
