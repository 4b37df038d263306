import ArgumentParser
import AudioUnits
import Reporting
import Softphone
import Studio
import Terminal

extension VoiceProcessingConfiguration.Canceller.Name: ExpressibleByArgument {}
extension VoiceProcessingConfiguration.Quality: ExpressibleByArgument {}

/// `yodel process`: the voice-processing unit on files.
struct ProcessCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "process", abstract: "Run the voice-processing unit of a call on files, faster than real time.",
        discussion: HelpText.discussion(
            """
            Files are mono: WAV and the like when the name ends in .wav, else raw signed 16-bit little endian. Prints \
            the processor time for 20 ms of sound in microseconds, then a line of JSON. Sample n of OUT is sample n of \
            MIC, late by latency_ms.
            """,
            examples: [
                ("yodel process --rate 16000 --far far.wav --mic mic.wav --out out.wav", "take far.wav's echo out of mic.wav"),
                ("yodel process --rate 8000 --far f --mic m --out o --echo-canceller speexdsp", "raw samples, SpeexDSP alone"),
            ]))

    private static let rates = "8000, 12000, 16000, 24000, 32000 or 48000; with speexdsp each multiple of 100 between them"

    @Option(help: ArgumentHelp("Rate of the call and of raw files: \(ProcessCommand.rates).", valueName: "hz"))
    var rate: Int

    @Option(help: ArgumentHelp("What the loudspeaker plays.", valueName: "file")) var far: String

    @Option(help: ArgumentHelp("What the microphone picks up.", valueName: "file")) var mic: String

    @Option(help: ArgumentHelp("Where the processed microphone goes.", valueName: "file")) var out: String

    @Option(help: ArgumentHelp("Write every signal inside the unit into this folder.", valueName: "folder"))
    var dump: String?

    @Option(help: "What takes the echo out.") var echoCanceller = VoiceProcessingConfiguration().canceller.name

    @Option(help: "How much work it may do.") var quality = VoiceProcessingConfiguration().quality

    @Flag(inversion: .prefixedNo, help: "Cancel echo.")
    var echoCancellation = true

    @Flag(inversion: .prefixedNo, help: "Suppress noise.")
    var noiseSuppression = true

    @Flag(inversion: .prefixedNo, help: "Bring speech to one level.")
    var gainControl = true

    @Option(help: ArgumentHelp("Strongest attenuation of noise, -40 to 0.", valueName: "dB"))
    var noiseSuppressionDb = VoiceProcessingConfiguration().noiseSuppressionDecibels

    func run() throws {
        guard ProcessRequest.takes(rate: rate, echoCanceller) else {
            throw CommandError(.usage, "\(rate) Hz is no rate of voice processing, in --rate; give \(Self.rates)")
        }
        try PathCheck.writable(out, option: "--out")
        if let dump { try PathCheck.folder(dump, option: "--dump") }
        var request = ProcessRequest(far: far, microphone: mic, to: out, rate: rate)
        request.voice.canceller = VoiceProcessingConfiguration.Canceller(echoCanceller)
        request.voice.quality = quality
        request.voice.noiseSuppressionDecibels = noiseSuppressionDb
        request.dumpFolder = dump
        request.cancelsEcho = echoCancellation
        request.suppressesNoise = noiseSuppression
        request.controlsGain = gainControl
        let report = try request.run()
        Output.standard.line(Text.fixed(report.cpuMicroseconds ?? 0, 1))
        Output.standard.line(report.json.text)
    }
}
