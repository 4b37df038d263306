import ArgumentParser

/// Options of `yodel capacity` that no configuration has.
public struct CapacityArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What a call must keep: names of load_report, parted by commas. (default: \(CapacityPlan.usualObjective))",
            valueName: "exprs"))
    var slo: String?

    @Flag(help: "Also measure what encryption adds to a call.")
    var srtp = false

    @Flag(help: "Also measure what voice processing adds to a call with a device.")
    var voiceProcessing = false

    @Option(help: ArgumentHelp("Seconds that the search may take (20 to 600).", valueName: "n"))
    var seconds = 60.0

    @Flag(help: "Only what a call costs, in virtual time: nothing is sent.")
    var offline = false

    @Option(help: ArgumentHelp("Only the kind of work of this name, as the table has it.", valueName: "name"))
    var work: String?

    @Option(help: ArgumentHelp("Only so many virtual seconds of it, for whoever counts instructions.", valueName: "n"))
    var virtualSeconds: Double?

    @Option(
        help: ArgumentHelp(
            "What callers say in virtual time: this audio file. (default: speech made by the program)", valueName: "file"))
    var play: String?

    @Flag(help: "Print each figure as JSON, one object a line.")
    var json = false

    @Option(help: ArgumentHelp("Seed of everything random.", valueName: "n"))
    var seed: UInt64 = 1

    public init() {}
}

extension CapacityArguments {
    /// How the command presents itself.
    public static var command: CommandConfiguration {
        CommandConfiguration(
            commandName: "capacity",
            abstract: "Say what a call costs, how many this machine carries, and what keeps it from more.",
            discussion: """
                EXAMPLES:
                  yodel capacity --codec pcmu
                      calls in PCMU that this machine carries, in a minute
                  yodel capacity --slo 'p99(mouth_to_ear_ms)<80,gaps==0'
                      by another objective
                  yodel capacity --offline --srtp --voice-processing
                      only what a call costs, in a few seconds
                """)
    }
}
