import ArgumentParser
import Loopback
import Reporting
import Settings
import Simulation
import Softphone
import Terminal

/// `yodel loopback`: the automated call test.
struct LoopbackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loopback",
        abstract: "Test a whole call between two endpoints in this process; no sound card needed.",
        discussion: HelpText.discussion(
            """
            Each endpoint sits in a simulated room: --device takes room:MODEL only. --play, --record, --capture, \
            --capture-decrypted, --dtmf, --pin, --duck and all options of network and TLS are refused. Names in --assert \
            without a_to_b. or b_to_a. hold in both.
            """,
            examples: [
                ("yodel loopback", "a call of 20 s in real time"),
                ("yodel loopback --offline --seed 7 --json", "a minute in virtual time, the same each time"),
                ("yodel loopback --offline --network loss=5,jitter=20 --assert 'mos_lq>3.5'", "on a bad network"),
                ("yodel loopback --srtp", "encrypted, with the whole handshake"),
                ("yodel loopback --room hall,drift=100 --echo-canceller speexdsp", "another room, another canceller"),
            ]))

    @Flag(help: "In virtual time: as fast as the machine can, the same figures for the same seed.") var offline = false

    @Option(
        help: ArgumentHelp(
            "Simulated network: loss=PERCENT,burst=PACKETS,jitter=MS,spike=EVERY_MS:MS,reorder=PERCENT,"
                + "duplicate=PERCENT,rate=KBIT,delay=MS,trace=CSV|NAME (a file, or a scenario as for replay)",
            valueName: "conditions"))
    var network: String?

    @Option(help: "With --offline, when the machine stands still: stops=EVERY_S:MS[-MS],stop=AT_S:MS,from=S,to=S,side=a|b.")
    var machine: String?

    @Option(
        help: ArgumentHelp(
            "Room of both endpoints, short for --device room:MODEL: small, office, hall or PATH.wav, with drift and noise.",
            valueName: "model"))
    var room: String?

    @Flag(help: "Encrypt the media: live by DTLS-SRTP with its whole handshake, with --offline by SRTP with keys of the seed.")
    var srtp = false

    @OptionGroup var media: MediaArguments

    mutating func run() throws {
        let signals = TerminationSignal()
        let assertions = try parseAssertions(media.output.assertions, known: LoopbackReport.comparablePaths)
        var conditions = NetworkConditions()
        if let network {
            do { conditions = try NetworkConditions(parsing: network) } catch { throw CommandError(error) }
        }
        let keys = AudioKeys()
        let audio = media.audio.given.filter { [keys.pin.name, keys.duck.name].contains($0.key) && $0.value == .text("true") }
        let refused = media.call.given.filter { $0 != "--near" } + (audio + media.network.given + media.tls.given).map(\.option)
        if let option = refused.first {
            throw CommandError(.usage, "\(option) is for other calls; a loopback test has sound and network of its own")
        }
        if let room {
            guard !media.audio.gives(keys.device, keys.input, keys.output) else {
                throw CommandError(.usage, "--room is a device itself; leave out --device, --input and --output")
            }
            media.audio.set(keys.device, to: "room:" + room, option: "--room")
        }
        let configuration = try resolveConfiguration(flags: media.flags, general: media.general)
        let options = try MediaOptions(media, configuration)
        let media = options.request
        try media.checkPayloadTypes()
        let printer = EventPrinter(json: self.media.output.json, input: media.device.input, output: media.device.output)
        var request = LoopbackRequest(media: media)
        request.choosesDevice = options.choosesDevice
        (request.seconds, request.nearPath) = (options.durationSeconds, options.nearPath)
        (request.conditions, request.scenario, request.offline) = (conditions, network, offline)
        request.encrypts = srtp
        do { try request.stopMachine(machine) } catch { throw CommandError(error) }
        var report = try run(request, printer, signals)
        let hasMedia = [report.aToB, report.bToA].contains { ($0.packetsReceived ?? 0) > 0 }
        if let number = TerminationSignal.caught, !hasMedia { throw ExitStatus(signal: number) }
        report.assertions = assertions.map { $0.evaluate(report) }
        printer.report(report)
        if !report.assertions.allSatisfy(\.passed) { throw ExitStatus.assertionMissed }
    }

    private func run(
        _ request: LoopbackRequest, _ printer: EventPrinter, _ signals: TerminationSignal
    ) throws(CommandError) -> LoopbackReport {
        do {
            return try request.run(
                willBegin: { signals.endInOrder() }, isInterrupted: { TerminationSignal.caught != nil },
                onEvent: { printer.show($0) })
        } catch {
            throw CommandError(error)
        }
    }
}
