import ArgumentParser
import Reporting
import Settings
import Terminal

/// `yodel config`: the effective configuration, and where each value comes from.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show each value of the configuration with its source.",
        discussion: HelpText.discussion(
            "Takes the options of a call, so that their effect can be seen.",
            examples: [
                ("yodel config", "every key, its value and where that comes from"),
                ("yodel config --defaults", "the annotated default file"),
                ("yodel config --config office.yaml --json", "what a file makes of it, as JSON"),
            ]))

    @Flag(help: "Print the annotated default file instead.")
    var defaults = false

    @OptionGroup var media: MediaArguments

    func run() throws {
        if defaults, media.output.json { throw CommandError(.usage, "--defaults prints a YAML file; leave out --json") }
        if defaults { return Output.standard.write(AnnotatedDefaults.text) }
        let configuration = try resolveConfiguration(flags: media.flags, general: media.general)
        if media.output.json { return Output.standard.line(configuration.json.text) }
        Output.standard.line("# file: \(configuration.path ?? "none")")
        for entry in configuration.entries {
            let setting = "\(entry.key.name): \(entry.value.text ?? "")"
            let padding = String(repeating: " ", count: max(1, 34 - setting.count))
            Output.standard.line("\(setting)\(padding)# \(entry.source)")
        }
    }
}
