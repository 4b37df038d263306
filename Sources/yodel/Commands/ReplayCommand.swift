import ArgumentParser
import AudioDevices
import AudioUnits
import Calling
import Codecs
import JitterBuffer
import Reporting
import Simulation

/// `yodel replay`: the receive path on a recorded network.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Send speech through a network trace and play it out by the receive path, in virtual time.",
        discussion: """
            Prints the mean delay in ms (network and buffer, without the codec's look-ahead), then one JSON object. What is \
            heard begins when the first packet arrives. Files whose name does not end in .wav are mono signed 16-bit little \
            endian samples at --rate.
            """)

    @Option(help: ArgumentHelp("Rate of the files in Hz; the codec's too, if it has a choice.", valueName: "hz"))
    var rate = 16_000

    @Option(name: .customLong("in"), help: ArgumentHelp("Speech.", valueName: "file"))
    var input: String

    @Option(help: ArgumentHelp("Network: lines seq,send_ms,arrive_ms, nothing in the third when lost.", valueName: "csv"))
    var trace: String

    @Option(help: ArgumentHelp("1: the sender protects what it sends by the loss it is told of; 0: it does not.", valueName: "0|1"))
    var fec = 1

    @Flag(inversion: .prefixedNo, help: "Copies of earlier packets (RFC 2198) where the loss asks for them.")
    var redundancy = true

    @Option(help: ArgumentHelp("Mean time between reports of loss to the sender, s.", valueName: "seconds"))
    var reports = 1.0

    @Option(help: ArgumentHelp("Where to write what is heard.", valueName: "file"))
    var out: String

    @Option(help: ArgumentHelp("One line for each 10 ms: reason, target, level, delay.", valueName: "file"))
    var csv: String?

    @Option(help: ArgumentHelp("Codec: opus, pcmu, pcma, l16.", valueName: "codec"))
    var codec = "opus"

    @Option(help: ArgumentHelp("Bit rate of Opus in bit/s.", valueName: "bps"))
    var bitrate: Int?

    @Option(help: ArgumentHelp("Length of a packet in ms.", valueName: "ms"))
    var ptime = 20

    @Option(help: ArgumentHelp("Delay against loss: low, balanced, robust.", valueName: "profile"))
    var latency = "balanced"

    @Option(help: ArgumentHelp("Seed of everything random.", valueName: "n"))
    var seed: UInt64 = 1

    func validate() throws {
        if fec != 0 && fec != 1 { throw ValidationError("--fec is 0 or 1, not \(fec)") }
        if !(8000...48_000).contains(rate) { throw ValidationError("--rate is 8000 to 48000 Hz, not \(rate)") }
        if !(0.1...60).contains(reports) { throw ValidationError("--reports is 0.1 to 60 s, not \(reports)") }
        if CodecKind(rawValue: codec) == nil { throw ValidationError("no codec '\(codec)': opus, pcmu, pcma, l16") }
        if LatencyProfile(rawValue: latency) == nil {
            throw ValidationError("no profile '\(latency)': low, balanced, robust")
        }
    }

    func run() throws {
        let kind = CodecKind(rawValue: codec) ?? .opus
        var configuration = CallConfiguration(codec: kind, seed: seed)
        configuration.sampleRate = kind.runs(at: rate) ? rate : nil
        configuration.encoder.frameMilliseconds = ptime
        if let bitrate { configuration.encoder.bitrate = bitrate }
        configuration.protect(fec == 1, copies: redundancy, reportIntervalSeconds: reports)
        configuration.jitterBuffer = JitterBufferConfiguration(
            latency: LatencyProfile(rawValue: latency) ?? .balanced, seed: seed)
        let codecRate = configuration.sampleRate ?? kind.sampleRate
        let network: NetworkTrace
        do { network = try NetworkTrace(contentsOfFile: trace) } catch {
            throw CommandError(.usage, "\(error), in --trace")
        }
        do {
            let speech = try AudioSamples.read(path: input, rate: codecRate, rawRate: rate)
            let replay = try TraceReplay(speech: speech, trace: network, configuration: configuration)
            replay.run()
            try AudioSamples.write(replay.heard, path: out, rate: codecRate, fileRate: rate)
            try report(replay)
        } catch let error as DeviceError {
            throw CommandError(error)
        } catch let error as CallError {
            throw CommandError(error)
        }
    }

    private func report(_ replay: TraceReplay) throws(DeviceError) {
        if let csv {
            var text = ReplayRow.header + "\n"
            for row in replay.rows { text += row.text + "\n" }
            try WholeFile.write(text, path: csv)
        }
        let figures = replay.figures
        guard let delay = figures.meanDelayMs else {
            throw .file(path: trace, reason: "no packet of it was ever heard")
        }
        Output.standard.line(String((delay * 100).rounded() / 100))
        Output.standard.line(figures.json.text)
    }
}
