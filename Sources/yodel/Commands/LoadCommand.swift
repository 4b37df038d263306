import ArgumentParser
import CommandOptions
import Load
import Settings

/// `yodel load URI`.
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Make many calls at once, and measure every one.",
        discussion: HelpText.discussion(examples: [
            ("yodel load rtp://192.0.2.7:5004 --calls 50 --assert 'p99(mouth_to_ear_ms)<120'", "50 calls to whoever echoes"),
            ("yodel load sip:echo@192.0.2.7 --calls 50 --rate 5", "by SIP, five more each second"),
            ("yodel load rtp://192.0.2.7:5004 --mix pcmu=7,opus=3", "in two codecs, at a port of codec=any"),
        ]))

    @OptionGroup(title: "Load") var load: LoadArguments
    @OptionGroup(title: MediaKeys.title) var coding: KeyArguments<EncoderOptions>
    @OptionGroup(title: LogKeys.title) var general: GeneralArguments

    func run() throws {
        let configuration = try resolveConfiguration(flags: coding.given + general.log.given, general: general)
        try ExitStatus.leave(LoadConsole(load, configuration).run())
    }
}

/// `yodel capacity`.
struct CapacityCommand: ParsableCommand {
    static let configuration = CapacityArguments.command
    @OptionGroup(title: "Capacity") var capacity: CapacityArguments
    @OptionGroup(title: MediaKeys.title) var coding: KeyArguments<SectionOptions<MediaKeys>>
    @OptionGroup(title: LogKeys.title) var general: GeneralArguments

    func run() throws {
        let configuration = try resolveConfiguration(flags: coding.given + general.log.given, general: general)
        try ExitStatus.leave(CapacityConsole(capacity, configuration).run())
    }
}
