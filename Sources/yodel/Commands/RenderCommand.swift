import ArgumentParser
import AudioFiles
import Settings
import Softphone
import Studio
import Terminal

/// `yodel render GRAPH.yaml`.
struct RenderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Render a graph of audio units that is described in a file.",
        discussion: HelpText.discussion(
            """
            Players, tones, mixers, equalizers and time effects, their connections, and settings that change at times: \
            config/graph.yaml explains each. Without --offline it is played on the device (and written, when the graph or \
            --out says where); with it, written as fast as the machine can. Both render the same samples.
            """,
            examples: [
                ("yodel render config/graph.yaml", "hear it"),
                ("yodel render config/graph.yaml --offline --out mix.wav --bits 24", "write it"),
            ]))

    @Argument(help: ArgumentHelp("The description.", valueName: "graph.yaml")) var graph: String

    @Flag(help: "Into a file only, as fast as the machine can.") var offline = false

    @Option(help: ArgumentHelp("Where to write, in place of the graph's `to`.", valueName: "file")) var out: String?

    @Option(
        help: ArgumentHelp(
            "Bits of a sample where nothing is compressed with loss; 32 is floating point.", valueName: "16|24|32"))
    var bits = AudioFileDepth.int16

    @OptionGroup var device: DeviceArguments

    func run() throws {
        let signals = TerminationSignal()
        let choice = try device.choice()
        var description = try GraphDescription(rendering: graph)
        if let duration = device.duration { description.duration = duration }
        if let out { description.target = out }
        if offline, description.target == nil {
            throw CommandError(.usage, "nowhere to render to, in \(graph); give `to: FILE` there, or --out FILE")
        }
        let run = try GraphRun(description)
        var writer: AudioFileWriter?
        if let target = description.target {
            guard AudioFileFormat(path: target) != nil else {
                throw CommandError(
                    .usage, "\(target) does not say a format by its ending; use one of \(AudioFileFormat.endings)")
            }
            try PathCheck.writable(target, option: out == nil ? "`to`" : "--out")
        }
        try description.checkFiles(target: out == nil ? "`to`" : "--out", on: offline ? nil : choice)
        let speaker = try offline ? nil : GraphSpeaker(on: choice, format: run.format)
        if let target = description.target {
            writer = try AudioFileWriter(
                path: target, sampleRate: description.rate, channels: description.channels, depth: bits)
        }
        let console = MediaConsole(
            signals: signals,
            teller: EventTeller(json: device.json, audioOnStandardOutput: !offline && choice.output == .pipe),
            readsStandardInput: true)
        var session = RenderSession(
            run, blockFrames: description.block, writer: writer, speaker: speaker, console: console)
        signals.endInOrder()
        if try !session.start() { throw ExitStatus.usage }
    }
}
