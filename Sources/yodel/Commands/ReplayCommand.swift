import ArgumentParser
import AudioDevices
import AudioFiles
import AudioUnits
import Codecs
import JitterBuffer
import Media
import Reporting
import Simulation

extension Codec: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument.lowercased()) }
}
extension LatencyProfile: ExpressibleByArgument {}

/// `yodel replay`: the receive path on a recorded network, or on a captured call.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Play a network trace or a captured call out by the receive path, in virtual time.",
        discussion: HelpText.discussion(
            """
            Prints the mean delay in ms (network and buffer, without the codec's look-ahead), then one JSON object. What is \
            heard begins when the first packet arrives. Files whose name does not end in .wav are mono signed 16-bit little \
            endian samples at --rate.

            With --pcap a capture (pcap, pcapng) is played instead of --in through --trace: its longest RTP stream, or that \
            of --ssrc. Captures of ours tell the codec and when each sound was pulled: what is heard is what the call heard. \
            In others static payload types (RFC 3551) name the codec, and others are of --codec; delays are beyond the first packet's.
            """,
            examples: [
                ("yodel replay --in a.wav --trace wifi-roam --out b.wav --report b.html", "a scenario, with a picture"),
                ("yodel replay --pcap call.pcapng --out b.wav --csv b.csv", "a captured call, with a table"),
            ]))

    @Option(
        help: ArgumentHelp(
            "Rate of the files in Hz, 16000; the codec's too, if it has a choice. With --pcap the codec's.", valueName: "hz"))
    var rate: Int?

    @Option(name: .customLong("in"), help: ArgumentHelp("Speech.", valueName: "file"))
    var input: String?

    @Option(help: ArgumentHelp("Captured call, in place of --in and --trace.", valueName: "file"))
    var pcap: String?

    @Option(help: ArgumentHelp("Which source of the capture, decimal or 0x...", valueName: "ssrc"))
    var ssrc: String?

    @Option(
        help: ArgumentHelp(
            "Network: a file of lines seq,send_ms,arrive_ms, nothing in the third when lost; or a scenario: "
                + NetworkScenario.allCases.map(\.rawValue).joined(separator: ", ") + ".",
            valueName: "csv|name"))
    var trace: String?

    @Option(
        help: ArgumentHelp("1: the sender protects what it sends by the loss it is told of; 0: it does not.", valueName: "0|1"))
    var fec = 1

    @Flag(inversion: .prefixedNo, help: "Copies of earlier packets (RFC 2198) where the loss asks for them.")
    var redundancy = true

    @Option(help: ArgumentHelp("Mean time between reports of loss to the sender, s.", valueName: "seconds"))
    var reports = 1.0

    @Option(help: ArgumentHelp("Where to write what is heard.", valueName: "file"))
    var out: String

    @Option(help: ArgumentHelp("One line for each 10 ms: reason, target, level, delay.", valueName: "file"))
    var csv: String?

    @Option(
        help: ArgumentHelp(
            "A page to look at: time line of arrivals, losses, target, level, reasons, waveform.", valueName: "file.html"))
    var report: String?

    @Option(help: ArgumentHelp("Codec: \(Codec.names); opus unless it is given, or known.", valueName: "codec"))
    var codec: Codec?

    @Option(help: ArgumentHelp("Bit rate of Opus in bit/s.", valueName: "bps"))
    var bitrate = Self.figuresBitrate

    /// A replay's figures (docs/receive-figures.md) were taken at this rate, which is not a call's.
    private static let figuresBitrate = 30_000

    @Option(help: ArgumentHelp("Length of a packet in ms.", valueName: "ms"))
    var ptime = 20

    @Option(help: ArgumentHelp("Delay against loss.", valueName: "profile"))
    var latency = JitterBufferConfiguration().latency

    @Option(help: ArgumentHelp("Seed of everything random.", valueName: "n"))
    var seed: UInt64 = 1

    func validate() throws {
        if fec != 0 && fec != 1 { throw ValidationError("--fec is 0 or 1, not \(fec)") }
        if let rate, !(8000...48_000).contains(rate) {
            throw ValidationError("--rate is 8000 to 48000 Hz, not \(rate)")
        }
        if pcap == nil, input == nil || trace == nil { throw ValidationError("give --in and --trace, or --pcap") }
        if pcap != nil, input != nil || trace != nil { throw ValidationError("--pcap stands for --in and --trace") }
        if let ssrc, pcap == nil || source == nil { throw ValidationError("--ssrc '\(ssrc)' names no source of --pcap") }
        let lengths = Set(Codec.allCases.flatMap(\.sendableFrameMilliseconds)).sorted()
        if !lengths.contains(ptime) {
            throw ValidationError("--ptime is \(lengths.map(String.init).joined(separator: ", ")) ms, not \(ptime)")
        }
        if !(6_000...510_000).contains(bitrate) {
            throw ValidationError("--bitrate is 6000 to 510000 bit/s, not \(bitrate)")
        }
        if !(0.1...60).contains(reports) { throw ValidationError("--reports is 0.1 to 60 s, not \(reports)") }
    }

    /// Of --ssrc.
    var source: UInt32? {
        guard let text = ssrc?.lowercased() else { return nil }
        return text.hasPrefix("0x") ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text)
    }

    func run() throws {
        if let pcap { return try runCapture(pcap) }
        guard let input, let trace else { return }
        let kind = codec ?? .opus
        let rate = rate ?? 16_000
        var configuration = CallConfiguration(codec: kind, seed: seed)
        configuration.sampleRate = kind.runs(at: rate) ? rate : nil
        configuration.encoder.frameMilliseconds = ptime
        configuration.encoder.bitrate = bitrate
        configuration.protect(fec == 1, copies: redundancy, reportIntervalSeconds: reports)
        configuration.jitterBuffer = JitterBufferConfiguration(
            latency: latency, seed: seed)
        let codecRate = configuration.sampleRate ?? kind.sampleRate
        let network: NetworkTrace
        do { network = try NetworkTrace(named: trace) } catch {
            throw CommandError(.usage, "\(error), in --trace")
        }
        let speech: [Float]
        do { speech = try AudioSamples.read(path: input, rate: codecRate, rawRate: rate) } catch { throw CommandError(error) }
        let replay: TraceReplay
        do { replay = try TraceReplay(speech: speech, trace: network, configuration: configuration) } catch {
            throw CommandError(error)
        }
        replay.run()
        do {
            try AudioSamples.write(replay.heard, path: out, rate: codecRate, fileRate: rate)
            try finish(
                ReplayPicture(
                    title: trace, figures: replay.figures, rows: replay.rows, arrivals: replay.arrivals,
                    heard: replay.heard, sampleRate: codecRate))
        } catch {
            throw CommandError(error)
        }
    }

    /// Writes table and picture, prints the figures.
    func finish(_ picture: ReplayPicture) throws(AudioFileError) {
        if let csv {
            var text = ReplayRow.header + "\n"
            for row in picture.rows { text += row.text + "\n" }
            try WholeFile.write(text, path: csv)
        }
        if let report { try WholeFile.write(picture.html, path: report) }
        guard let delay = picture.figures.meanDelayMs else {
            throw AudioFileError(path: picture.title, reason: "no packet of it was ever heard")
        }
        Output.standard.line(String((delay * 100).rounded() / 100))
        Output.standard.line(picture.figures.json.text)
    }
}
