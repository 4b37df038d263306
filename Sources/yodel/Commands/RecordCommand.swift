import ArgumentParser
import AudioFiles
import AudioUnits
import Softphone
import Studio
import Terminal

extension AudioFileDepth: ExpressibleByArgument {}

/// `yodel record FILE`.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record the microphone.",
        discussion: HelpText.discussion(
            """
            The file's name ends in the format: \(AudioFileFormat.endings). It can be played at any moment, also after a \
            SIGKILL or on a full disk. q, Ctrl-C or --duration end the recording.
            """,
            examples: [
                ("yodel record voice.opus", "until q or Ctrl-C"),
                ("yodel record voice.wav --process --duration 10", "ten seconds, without echo and noise"),
            ]))

    @Argument(help: ArgumentHelp("Where to.", valueName: "file")) var file: String

    @Option(help: ArgumentHelp("Channels, 1 to 8.", valueName: "n")) var channels = 1

    @Option(help: ArgumentHelp("Rate of the recording in Hz.", valueName: "hz")) var rate = 48_000

    @Option(
        help: ArgumentHelp(
            "Bits of a sample where nothing is compressed with loss; 32 is floating point.", valueName: "16|24|32"))
    var bits = AudioFileDepth.int16

    @Flag(help: "Cancel echo, suppress noise, control gain, as in a call.") var process = false

    @OptionGroup var device: DeviceArguments

    /// Those of a graph, and of devices.
    private static let rates = 4_000...384_000

    func run() throws {
        let signals = TerminationSignal()
        guard StreamFormat.channelCounts.contains(channels), channels == 1 || !process else {
            throw CommandError(.usage, "\(channels) channels cannot be had, in --channels; give 1 to 8, with --process 1")
        }
        guard process ? ProcessRequest.takes(rate: rate, .yodel) : Self.rates.contains(rate) else {
            let others = "\(Self.rates.lowerBound) to \(Self.rates.upperBound)"
            let rates = process ? "8000, 12000, 16000, 24000, 32000 or 48000 with --process" : others
            throw CommandError(.usage, "\(rate) Hz cannot be had, in --rate; give \(rates)")
        }
        let choice = try device.choice()
        guard AudioFileFormat(path: file) != nil else {
            throw CommandError(.usage, "\(file) does not say a format by its ending; use one of \(AudioFileFormat.endings)")
        }
        try PathCheck.writable(file, option: "FILE")
        let recording = try Recording(
            file, format: StreamFormat(sampleRate: Double(rate), channels: channels, interleaved: channels > 1), depth: bits,
            from: choice, processesVoice: process, seconds: device.duration)
        let console = MediaConsole(
            signals: signals, teller: EventTeller(json: device.json, audioOnStandardOutput: false),
            readsStandardInput: choice.input != .pipe)
        var session = RecordSession(recording, duration: device.duration, console: console)
        signals.endInOrder()
        if try !session.run() { throw ExitStatus.usage }
    }
}
