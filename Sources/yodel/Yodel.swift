import ArgumentParser
import Control
import Reporting
import Terminal

/// The program: its commands, and how every error becomes one line and an exit status.
@main
struct Yodel: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "yodel",
        abstract: "Talks to somebody over a network, and says how many milliseconds lie between mouth and ear.",
        discussion: HelpText.discussion(examples: [
            ("yodel loopback", "test a whole call in this process"),
            ("yodel listen rtp://0.0.0.0:5004", "wait for a call"),
            ("yodel call rtp://192.0.2.7:5004", "call somebody who waits"),
            ("yodel help call", "every option of a command"),
        ]),
        version: "0.1.0",
        groupedSubcommands: [
            CommandGroup(
                name: "Call",
                subcommands: [
                    PlaceCallCommand.self, ListenCommand.self, SoftphoneCommand.self, ControlCommand.self, HistoryCommand.self,
                    BundleCommand.self,
                ]),
            CommandGroup(
                name: "Test",
                subcommands: [
                    LoopbackCommand.self, LoadCommand.self, CapacityCommand.self, ProcessCommand.self, ReplayCommand.self,
                ]),
            CommandGroup(name: "File", subcommands: [PlayCommand.self, RecordCommand.self, RenderCommand.self]),
            CommandGroup(
                name: "Set-up",
                subcommands: [
                    CheckCommand.self, DevicesCommand.self, AccountsCommand.self, PeersCommand.self, ConfigCommand.self,
                ]),
        ])

    /// Parses, runs, and ends the process.
    static func main() {
        StandardDescriptors.openClosed()
        TerminationSignal.ignoreBrokenPipes()
        TerminationSignal.ignoreFullFiles()
        do {
            try checkNames(CommandLine.arguments.dropFirst())
            var command = try parseAsRoot()
            try command.run()
        } catch let status as ExitStatus {
            ExitStatus.end(status)
        } catch {
            if let error = CommandError(any: error) {
                complain(error.message)
                ExitStatus.end(error.status)
            }
            guard exitCode(for: error) != .success else {
                Output.standard.write(fullMessage(for: error) + "\n")
                ExitStatus.end(.fine)
            }
            complain("\(message(for: error)); `yodel help` lists commands, `yodel help COMMAND` its options")
            ExitStatus.end(exitCode(for: error) == .validationFailure ? .usage : .internalError)
        }
        ExitStatus.end(.fine)
    }

    /// Names of commands, as the first word and behind `help`, which by itself shows what it can of any words.
    private static func checkNames(_ words: ArraySlice<String>) throws(CommandError) {
        var known = configuration.subcommands.map { $0.configuration }
        for word in words.first == "help" ? words.dropFirst() : words.prefix(1) {
            guard !known.isEmpty, !word.hasPrefix("-"), word != "help" else { return }
            guard let command = known.first(where: { $0.commandName == word }) else {
                let near = nearestName(to: word, among: known.compactMap(\.commandName)).map { "did you mean \($0)?" }
                throw CommandError(.usage, "there is no command '\(word)'; \(near ?? "`yodel help` lists commands")")
            }
            known = command.subcommands.map { $0.configuration }
        }
    }

    /// One line on standard error.
    private static func complain(_ message: String) {
        let line = PrintableText.clipped(message).split(whereSeparator: \.isNewline).joined(separator: " ")
        Output.error.line("yodel: \(line.hasPrefix("Error: ") ? String(line.dropFirst(7)) : line)")
    }
}
