import ArgumentParser
import Reporting
import Settings
import Signalling
import Softphone

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

    @Option(
        name: .customLong("tls-ca"),
        help: ArgumentHelp(
            "PEM file of the authorities that servers' certificates may be from. (default: the system's)", valueName: "file"))
    var authorities: String?

    @Flag(help: "One JSON object a line.")
    var json = false

    @OptionGroup var general: GeneralArguments

    func run() throws {
        _ = TerminationSignal()
        let configuration = try resolveConfiguration(flags: general.log.given, general: general)
        startLog(configuration)
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
                    account, authorityFile: authorities, isInterrupted: { TerminationSignal.caught != nil })
                for step in result.steps { show(step, of: name) }
                if worst == .fine { worst = ExitStatus(result.outcome) }
            } catch {
                throw CommandError(error)
            }
        }
        if let number = TerminationSignal.caught { throw TerminationSignal.status(number) }
        if worst != .fine { throw worst }
    }

    private func show(_ account: AccountSettings) {
        if json {
            if !check {
                Output.standard.line(
                    JSONValue.object([
                        JSONMember("account", .string(account.name)), JSONMember("uri", .string(account.uri)),
                        JSONMember("registrar", account.registrar.map { .string($0) } ?? .null),
                        JSONMember("outbound_proxy", account.outboundProxy.map { .string($0) } ?? .null),
                        JSONMember("transport", account.transport.map { .string($0) } ?? .null),
                    ]).text)
            }
            return
        }
        let ways = [
            account.registrar.map { "at \($0)" }, account.outboundProxy.map { "through \($0)" },
            account.transport.map { "by \($0)" },
        ]
        Output.standard.line(([account.name, account.uri] + ways.compactMap(\.self)).joined(separator: "  "))
    }

    private func show(_ step: AccountCheck.Step, of account: String) {
        guard json else {
            let mark = step.passed ? "ok    " : "failed"
            let time = step.milliseconds.map { " (\(Text.fixed($0, 0)) ms)" } ?? ""
            let name = step.name + String(repeating: " ", count: max(1, 13 - step.name.count))
            return Output.standard.line(PrintableText.text("  \(mark)  \(name)\(step.detail)\(time)"))
        }
        Output.standard.line(
            JSONValue.object([
                JSONMember("account", .string(account)), JSONMember("step", .string(step.name)),
                JSONMember("passed", .boolean(step.passed)), JSONMember("detail", .string(step.detail)),
                JSONMember("ms", step.milliseconds.map { .number($0, decimals: 1) } ?? .null),
            ]).text)
    }
}
