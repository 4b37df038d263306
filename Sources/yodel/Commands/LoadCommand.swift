import ArgumentParser
import CommandOptions
import Load
import Settings

/// `yodel load URI`.
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Make many calls at once, and measure every one.",
        discussion: HelpText.discussion(examples: [
            ("yodel load rtp://192.0.2.7:5004 --calls 50 --assert 'p99(mouth_to_ear_ms)<120'", "50 calls to whoever echoes")
        ]))

    @Argument(help: ArgumentHelp("rtp://HOST:PORT[?codec=NAME&pt=N&ptime=MS&rtcp=mux|PORT] of an echo.", valueName: "uri"))
    var uri: String

    @OptionGroup(title: "Load") var load: LoadArguments
    @OptionGroup(title: MediaKeys.title) var coding: KeyArguments<SectionOptions<MediaKeys>>
    @OptionGroup(title: LogKeys.title) var general: GeneralArguments

    func run() throws {
        let configuration = try resolveConfiguration(flags: coding.given + general.log.given, general: general)
        startLog(configuration)
        try ExitStatus.leave(LoadConsole(uri, load, configuration).run())
    }
}
