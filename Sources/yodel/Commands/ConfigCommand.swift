import ArgumentParser
import Reporting
import Settings

/// `yodel config`: the effective configuration, and where each value comes from.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show each value of the configuration with its source.",
        discussion: "Takes the options of a call, so that their effect can be seen.")

    @Flag(help: "Print the annotated default file instead.")
    var defaults = false

    @OptionGroup var media: MediaArguments

    func run() throws {
        if defaults { return Output.standard.write(AnnotatedDefaults.text) }
        let configuration = try resolveConfiguration(flags: media.flags, general: media.general)
        if media.json { return Output.standard.line(configuration.json.text) }
        Output.standard.line("# file: \(configuration.path ?? "none")")
        for value in configuration.values {
            let setting = "\(value.key.name): \(value.text ?? "")"
            let padding = String(repeating: " ", count: max(1, 34 - setting.count))
            Output.standard.line("\(setting)\(padding)# \(value.source)")
        }
    }
}
