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

/// What is done in the call.
struct CallArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Hang up after this long. (default: when a side hangs up)", valueName: "seconds"))
    var duration: Double?

    @Option(help: ArgumentHelp("Send this audio file, then the microphone. (default: the microphone)", valueName: "file"))
    var play: String?

    @Option(help: ArgumentHelp("Record the call as WAV: left is sent, right is heard.", valueName: "file"))
    var record: String?

    @Option(help: ArgumentHelp("Capture the call's packets (pcapng), for `yodel replay` and others.", valueName: "file"))
    var capture: String?

    @Flag(help: "With --capture, the packets of an encrypted call decrypted. (default: as they are on the wire)")
    var captureDecrypted = false

    @Option(help: ArgumentHelp("Speech of the person in the simulated room. (default: made by the program)", valueName: "file"))
    var near: String?

    @Option(help: ArgumentHelp("Send these digits once media has started.", valueName: "digits"))
    var dtmf: String?
}

/// What is told of the call, and how.
struct OutputArguments: ParsableArguments {
    @Flag(help: "Print events, one JSON object a line.")
    var json = false

    @Option(
        name: .customLong("assert"),
        help: ArgumentHelp(
            "Threshold such as 'mouth_to_ear_ms<100'; exit 5 when missed. (repeatable)", valueName: "expr"))
    var assertions: [String] = []

    @Option(help: ArgumentHelp("Write every internal signal into this folder.", valueName: "folder"))
    var dump: String?

    @Option(
        help: ArgumentHelp(
            "Seed of everything random. (default: drawn; 1 for loopback tests)", valueName: "n"))
    var seed: UInt64?
}

/// Options of every command.
struct GeneralArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Configuration file, YAML or JSON. (default: $YODEL_CONFIG, ~/.config/yodel/yodel.yaml, /etc/yodel/yodel.yaml)",
            valueName: "file"))
    var config: String?

    @OptionGroup var log: KeyArguments<SectionOptions<LogKeys>>
}
