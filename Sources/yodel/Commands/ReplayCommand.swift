import ArgumentParser
import Codecs
import JitterBuffer
import Logging
import Reporting
import Simulation
import Studio
import Terminal

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
                ("yodel replay --bundle call.tar --out b.wav", "a call out of its bundle, beside its own figures"),
            ]))

    @Option(
        help: ArgumentHelp(
            "Rate of the files in Hz, 16000; the codec's too, if it has a choice. With --pcap the codec's.", valueName: "hz"))
    var rate: Int?

    @Option(name: .customLong("in"), help: ArgumentHelp("Speech.", valueName: "file"))
    var input: String?

    @Option(help: ArgumentHelp("Captured call, in place of --in and --trace.", valueName: "file")) var pcap: String?

    @Option(help: ArgumentHelp("A call's bundle, in place of --pcap; exit code 5 where a figure differs.", valueName: "file"))
    var bundle: String?

    @Option(help: ArgumentHelp("Which source of the capture, decimal or 0x...", valueName: "ssrc")) var ssrc: String?

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

    @Option(help: ArgumentHelp("Where to write what is heard.", valueName: "file")) var out: String

    @Option(help: ArgumentHelp("One line for each 10 ms: reason, target, level, delay.", valueName: "file")) var csv: String?

    @Option(
        help: ArgumentHelp(
            "A page to look at: time line of arrivals, losses, target, level, reasons, waveform.", valueName: "file.html"))
    var report: String?

    @Option(help: ArgumentHelp("Codec: \(Codec.names); opus unless it is given, or known.", valueName: "codec"))
    var codec: Codec?

    @Option(help: ArgumentHelp("Bit rate of Opus in bit/s.", valueName: "bps")) var bitrate = ReplayRequest.figuresBitrate

    @Option(help: ArgumentHelp("Length of a packet in ms.", valueName: "ms")) var ptime = 20

    @Option(help: ArgumentHelp("Delay against loss.", valueName: "profile"))
    var latency = JitterBufferConfiguration().latency

    @Option(help: ArgumentHelp("Seed of everything random.", valueName: "n")) var seed: UInt64 = 1

    func validate() throws {
        if fec != 0 && fec != 1 { throw ValidationError("--fec is 0 or 1, not \(fec)") }
        if let rate, !(8000...48_000).contains(rate) {
            throw ValidationError("--rate is 8000 to 48000 Hz, not \(rate)")
        }
        if pcap == nil, bundle == nil, input == nil || trace == nil {
            throw ValidationError("give --in and --trace, or --pcap, or --bundle")
        }
        if pcap != nil || bundle != nil, input != nil || trace != nil {
            throw ValidationError("--pcap and --bundle stand for --in and --trace")
        }
        if bundle != nil, pcap != nil || csv != nil || report != nil {
            throw ValidationError(
                "--bundle goes without --pcap, --csv and --report; `tar xf` takes its captures out for --pcap")
        }
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
    private var source: UInt32? {
        guard let text = ssrc?.lowercased() else { return nil }
        return text.hasPrefix("0x") ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text)
    }

    func run() throws {
        LoggingSystem.bootstrap { _ in LineLogHandler(level: .warning) }
        var request = ReplayRequest(to: out)
        (request.table, request.page) = (csv, report)
        (request.rate, request.codec, request.packetMilliseconds, request.bitrate) = (rate, codec, ptime, bitrate)
        (request.latency, request.seed) = (latency, seed)
        (request.protects, request.copies, request.reportIntervalSeconds) = (fec == 1, redundancy, reports)
        let warn: (String) -> Void = { Output.error.line("yodel: warning: \($0)") }
        if let bundle {
            let replayed = try request.playBundle(bundle, onOmission: warn)
            Output.standard.line(replayed.json.text)
            if replayed.isSame == false { throw ExitStatus.assertionMissed }
        } else if let pcap {
            try show(request.playCapture(pcap, source: source, onOmission: warn))
        } else if let input, let trace {
            try show(request.play(input, through: trace))
        }
    }

    private func show(_ figures: ReplayFigures) {
        if let delay = figures.meanDelayMs { Output.standard.line(String((delay * 100).rounded() / 100)) }
        Output.standard.line(figures.json.text)
    }
}
