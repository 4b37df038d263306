import ArgumentParser
import CommandOptions
import Diagnosis
import Settings
import Terminal

/// `yodel check`: what is wrong with the machine, the configuration or the servers, and what to do.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Look at devices, machine, limits, ports and servers, and say what to do.",
        discussion: HelpText.discussion(
            "Registers each account from a port of its own, and takes that back. The exit code tells of the first trouble.",
            examples: [
                ("yodel check", "each thing that was looked at: fine, or what to do"),
                ("yodel check --json --config office.yaml", "of that configuration, for programs"),
            ]))

    @OptionGroup(title: TLSKeys.title) var tls: KeyArguments<SectionOptions<TLSKeys>>

    @Flag(help: "One JSON object a line.")
    var json = false

    @OptionGroup var general: GeneralArguments

    func run() throws {
        let signals = TerminationSignal()
        let configuration = try resolveConfiguration(flags: tls.given + general.log.given, general: general)
        signals.endInOrder()
        let diagnosis = Diagnosis(configuration, environment: processEnvironment())
        var trouble: Finding.Area?
        let show = { (finding: Finding) in
            Output.standard.line(json ? finding.json.text : finding.text)
            if finding.grade == .trouble { trouble = trouble ?? finding.area }
        }
        diagnosis.run(isInterrupted: { TerminationSignal.caught != nil }, onFinding: show)
        if let number = TerminationSignal.caught { throw ExitStatus(signal: number) }
        if let trouble { throw ExitStatus(trouble) }
    }
}
