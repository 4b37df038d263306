import ArgumentParser
import AudioUnits
import Studio
import Terminal

/// `yodel play FILE...`.
struct PlayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "Play audio files.",
        discussion: HelpText.discussion(
            """
            WAV, AIFF, FLAC, MP3, Ogg Vorbis, Opus and what else libsndfile reads; one after the other without a gap, or \
            with --mix all at once. Presets of --eq, by number or name: \
            \(EqualizerPreset.all.map { "\($0.number) \($0.name.lowercased())" }.joined(separator: ", ")). On a terminal: \
            \(MediaKey.playing).
            """,
            examples: [
                ("yodel play song.flac", "play a file"),
                ("yodel play one.wav two.wav --loop 0 --gain=-6", "both in turn, for ever, 6 dB quieter"),
                ("yodel play song.flac --rate 1.25 --eq 3 --start 60", "faster from 1:00 on, through an equalizer"),
            ]))

    @Argument(help: ArgumentHelp("What to play.", valueName: "file")) var files: [String]

    @Option(help: ArgumentHelp("How many times all files are played; 0: for ever.", valueName: "n")) var loop = 1

    @Flag(help: "All files at once.") var mix = false

    @Option(help: ArgumentHelp("Begin so far into the first file (with --mix, each).", valueName: "seconds")) var start = 0.0

    @Option(help: ArgumentHelp("Speed, 0.25 to 4; the pitch stays unless --pitch says otherwise.", valueName: "speed"))
    var rate = 1.0

    @Flag(help: "The pitch goes with --rate, as on a tape.") var pitch = false

    @Option(help: ArgumentHelp("Equalizer preset, by number or name.", valueName: "preset")) var eq: String?

    @Option(help: ArgumentHelp("Place between left (-1) and right (1).", valueName: "place")) var pan: Double?

    @Option(help: ArgumentHelp("Louder or quieter, -40 to 12.", valueName: "dB")) var gain = 0.0

    @OptionGroup var device: DeviceArguments

    func run() throws {
        let signals = TerminationSignal()
        var plan = PlayPlan(paths: files)
        plan.loops = loop == 0 ? nil : loop
        plan.mixes = mix
        plan.startSeconds = start
        plan.rate = rate
        plan.pitchFollows = pitch
        plan.preset = try eq.map { try PlayPlan.preset($0) }
        plan.pan = pan.map { Float($0) }
        plan.gainDecibels = gain
        try check()
        let choice = try device.choice()
        let graph = try PlayGraph(plan, on: choice)
        let console = MediaConsole(
            signals: signals,
            teller: EventTeller(json: device.json, audioOnStandardOutput: choice.output == .pipe),
            readsStandardInput: true)
        var session = PlaySession(graph, duration: device.duration, console: console)
        signals.endInOrder()
        if try !session.run() { throw ExitStatus.usage }
    }

    private func check() throws(CommandError) {
        func range(_ value: Double, _ allowed: ClosedRange<Double>, _ option: String) throws(CommandError) {
            guard allowed.contains(value) else {
                throw CommandError(
                    .usage, "\(value) is out of range, in \(option); give \(allowed.lowerBound) to \(allowed.upperBound)")
            }
        }
        guard loop >= 0 else {
            throw CommandError(.usage, "\(loop) times is no number, in --loop; give 1 or more, or 0 for ever")
        }
        try range(rate, 0.25...4, "--rate")
        try range(start, 0...1e7, "--start")
        try range(gain, -40...12, "--gain")
        if let pan { try range(pan, -1...1, "--pan") }
        if pitch, rate == 1 { throw CommandError(.usage, "--pitch changes nothing at speed 1; give --rate too") }
    }
}
