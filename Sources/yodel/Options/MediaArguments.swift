import ArgumentParser
import CommandOptions
import Settings

/// Options that every media command shares, in the groups of `--help`.
struct MediaArguments: ParsableArguments {
    @OptionGroup(title: "Call") var call: CallArguments
    @OptionGroup(title: AudioKeys.title) var audio: KeyArguments<SectionOptions<AudioKeys>>
    @OptionGroup(title: MediaKeys.title) var coding: KeyArguments<SectionOptions<MediaKeys>>
    @OptionGroup(title: NetworkKeys.title) var network: KeyArguments<SectionOptions<NetworkKeys>>
    @OptionGroup(title: TLSKeys.title) var tls: KeyArguments<SectionOptions<TLSKeys>>
    @OptionGroup(title: "Output") var output: OutputArguments
    @OptionGroup(title: LogKeys.title) var general: GeneralArguments

    /// What the command line says of the configuration's keys.
    var flags: [ConfigurationFlag] { audio.given + coding.given + network.given + tls.given + general.log.given }
}

/// Options of every command.
struct GeneralArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Configuration file, YAML or JSON. (default: $YODEL_CONFIG, ~/.config/yodel/yodel.yaml (or yodel.json), \
            /etc/yodel/yodel.yaml (or yodel.json))
            """,
            valueName: "file"))
    var config: String?

    @OptionGroup var log: KeyArguments<SectionOptions<LogKeys>>
}
