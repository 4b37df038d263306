import ArgumentParser
import History
import Terminal

/// `yodel history`: the calls that the service has kept.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "List the calls that the service has kept, newest first.",
        discussion: HelpText.discussion(examples: [
            ("yodel history --search 102 --since 2026-11-24", "who has 102 in his address, from that day on"),
            ("yodel history --csv history.sqlite", "all calls of that database, as a table"),
        ]))

    @Flag(help: "As a table for people, as lines of JSON with their reports, or as CSV.") var form = HistoryForm.text
    @Option(help: "Only what has this in its address, name, account or end reason.") var search: String?
    @Option(help: "From this day or time on, in UTC.") var since: String?
    @Option(help: "Up to this day or time, included.") var until: String?
    @Argument(help: "The database. (default: softphone.history)") var file: String?
    @OptionGroup(title: "General") var general: GeneralArguments

    func run() throws {
        let configured = try resolveConfiguration(flags: general.log.given, general: general)[\.softphone.history]
        do throws(HistoryError) {
            try HistoryListing(form, search, since, until, path: file ?? configured).print { Output.standard.line($0) }
        } catch { throw CommandError(.usage, "\(error)") }
    }
}

extension HistoryForm: EnumerableFlag {}
